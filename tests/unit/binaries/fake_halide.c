// SPDX-License-Identifier: MIT
// Stands in for libHalide. The functions are told apart by what they return.

#include "names.h"

int generate_filter_main(int argc, char **argv)
{
    return argv[argc] == (char *)0 ? 1 : 2;
}

int generate_filter_main_from(int argc, char **argv, const void *factories)
{
    return argv[argc] == (const char *)factories ? 3 : 4;
}

int generate_filter_main_more(int argc, char **argv)
{
    return argv[argc] == (char *)0 ? 5 : 6;
}
