// SPDX-License-Identifier: MIT
// Programs that do something of their own. CASE says which; make_stock_main.cmake lists
// them.

#include "names.h"

extern int helper(int argc, char **argv);
extern void prepare(void);
extern int forward(int argc, char **argv);
int factories;
int (*chosen)(int argc, char **argv) = generate_filter_main;
volatile int result;

#if CASE == 1 // changes an argument
int main(int argc, char **argv)
{
    argv[0] = "mine";
    return generate_filter_main(argc, argv);
}
#elif CASE == 2  // leaves one out
int main(int argc, char **argv)
{
    return generate_filter_main(argc - 1, argv);
}
#elif CASE == 3  // the first one
int main(int argc, char **argv)
{
    return generate_filter_main(argc, argv + 1);
}
#elif CASE == 4  // brings its own registry
int main(int argc, char **argv)
{
    return generate_filter_main_from(argc, argv, &factories);
}
#elif CASE == 5  // calls something that may do anything
int main(int argc, char **argv)
{
    return helper(argc, argv);
}
#elif CASE == 6  // drops the result
int main(int argc, char **argv)
{
    (void)generate_filter_main(argc, argv);
    return 0;
}
#elif CASE == 7  // runs twice
int main(int argc, char **argv)
{
    return generate_filter_main(argc, argv) + generate_filter_main(argc, argv);
}
#elif CASE == 8  // changes the result
int main(int argc, char **argv)
{
    return !generate_filter_main(argc, argv);
}
#elif CASE == 9  // does something before
int main(int argc, char **argv)
{
    prepare();
    return generate_filter_main(argc, argv);
}
#elif CASE == 10 // and after
int main(int argc, char **argv)
{
    const int status = generate_filter_main(argc, argv);
    prepare();
    return status;
}
#elif CASE == 11 // writes a variable before
int main(int argc, char **argv)
{
    result = argc;
    return generate_filter_main(argc, argv);
}
#elif CASE == 12 // runs only sometimes
int main(int argc, char **argv)
{
    return argc < 3 ? 1 : generate_filter_main(argc, argv);
}
#elif CASE == 13 // calls what a variable says
int main(int argc, char **argv)
{
    return chosen(argc, argv);
}
#elif CASE == 14 // calls a function with a longer name
int main(int argc, char **argv)
{
    return generate_filter_main_more(argc, argv);
}
#elif CASE == 15 // passes constants
int main(void)
{
    static char *arguments[] = {"mine", (char *)0};
    return generate_filter_main(1, arguments);
}
#elif CASE == 16 // never runs
int main(int argc, char **argv)
{
    return argc > 0 && argv[0] != (char *)0;
}
#elif CASE == 17 // has a function with Halide's name, and uses Halide besides
int generate_filter_main(int argc, char **argv)
{
    argv[0] = "mine";
    return generate_filter_main_from(argc, argv, &factories);
}
int main(int argc, char **argv)
{
    return generate_filter_main(argc, argv);
}
#elif CASE == 18 // is stock, but the program does not begin there
int main(int argc, char **argv)
{
    return generate_filter_main(argc, argv);
}
void own_start(void)
{
    prepare();
    for (;;) {
    }
}
#elif CASE == 19 // takes a way around, even if an innocent one
__attribute__((noinline)) int forward(int argc, char **argv)
{
    return generate_filter_main(argc, argv);
}
int main(int argc, char **argv)
{
    return forward(argc, argv);
}
#endif

__attribute__((noinline)) int helper(int argc, char **argv)
{
    argv[0] = "mine";
    return generate_filter_main(argc, argv);
}

__attribute__((noinline)) void prepare(void)
{
    result = 1;
}
