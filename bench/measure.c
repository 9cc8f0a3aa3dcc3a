// SPDX-License-Identifier: MIT
//
// Measures commands: runs each of them many times, in turns, and prints what a run costs
// as JSON. The first round is in the order of the file. CPU time is that of the process
// and of all it waited for, as wait4 tells; Linux derives the sum of user and system time
// from the scheduler's nanoseconds. Each process is started by posix_spawn, so that no
// copy of a big process is charged to it.
//
//   measure FILE
//
// The file has one directive a line, a word and the rest of the line:
//
//   rounds N          how many times at most; for all commands that follow
//   warmup N          rounds that are not counted
//   command NAME      starts a command
//   runs N              this one runs only N times, in the first rounds
//   fresh PATH          before each run, not timed: an empty folder; may be repeated
//   parallel            its steps start together; else each starts after the one before
//   step                starts a process of the command
//   directory PATH        where it runs
//   variable NAME=VALUE   added to its environment
//   argument TEXT         the program (a path), then its arguments
//
// In PATH and VALUE, {run} stands for a number that each run of each command has for
// itself. A run is all steps. A step that does not end with status 0 ends the
// measurement.

#define _GNU_SOURCE // wait4, posix_spawn_file_actions_addchdir_np, nftw, asprintf

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct list {
    char **items; // NULL-terminated
    size_t count;
};

struct step {
    const char *directory;
    struct list arguments;
    struct list variables;
    pid_t pid;
};

struct command {
    const char *name;
    long runs;
    bool parallel;
    struct list fresh;
    struct step *steps;
    size_t step_count;
    double *cpu_ms;
    double *wall_ms;
    size_t measured;
};

static struct command *commands;
static size_t command_count;
static long rounds = 1;
static long warmup;
static unsigned long run_number;

static void fail(const char *what, const char *name)
{
    (void)fprintf(stderr, "measure: %s: %s%s%s\n", name, what, errno != 0 ? ": " : "",
                  errno != 0 ? strerror(errno) : "");
    exit(1);
}

static void *grow(void *items, size_t count, size_t size)
{
    void *larger = realloc(items, count * size);
    if (larger == NULL) {
        fail("out of memory", "");
    }
    return larger;
}

static void list_add(struct list *list, const char *item)
{
    list->items = grow(list->items, list->count + 2, sizeof *list->items);
    list->items[list->count] = strdup(item);
    list->items[++list->count] = NULL;
}

// ---- Reading the file ---------------------------------------------------------------

static struct command *last_command(void)
{
    if (command_count == 0) {
        fail("a directive that belongs to a command comes before one", "");
    }
    return &commands[command_count - 1];
}

static struct step *last_step(void)
{
    struct command *command = last_command();
    if (command->step_count == 0) {
        fail("a directive that belongs to a step comes before one", command->name);
    }
    return &command->steps[command->step_count - 1];
}

static void add_command(const char *name)
{
    commands = grow(commands, command_count + 1, sizeof *commands);
    commands[command_count++] = (struct command){.name = strdup(name), .runs = rounds};
}

static void add_step(void)
{
    struct command *command = last_command();
    command->steps =
        grow(command->steps, command->step_count + 1, sizeof *command->steps);
    command->steps[command->step_count++] = (struct step){.directory = "."};
}

static void read_directive(const char *word, const char *rest)
{
    if (strcmp(word, "rounds") == 0) {
        rounds = strtol(rest, NULL, 10);
    } else if (strcmp(word, "warmup") == 0) {
        warmup = strtol(rest, NULL, 10);
    } else if (strcmp(word, "command") == 0) {
        add_command(rest);
    } else if (strcmp(word, "runs") == 0) {
        last_command()->runs = strtol(rest, NULL, 10);
    } else if (strcmp(word, "fresh") == 0) {
        list_add(&last_command()->fresh, rest);
    } else if (strcmp(word, "parallel") == 0) {
        last_command()->parallel = true;
    } else if (strcmp(word, "step") == 0) {
        add_step();
    } else if (strcmp(word, "directory") == 0) {
        last_step()->directory = strdup(rest);
    } else if (strcmp(word, "variable") == 0) {
        list_add(&last_step()->variables, rest);
    } else if (strcmp(word, "argument") == 0) {
        list_add(&last_step()->arguments, rest);
    } else {
        fail("not a directive", word);
    }
}

static void read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail("cannot be opened", path);
    }
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    while ((length = getline(&line, &capacity, file)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0') {
            char *space = strchr(line, ' ');
            if (space != NULL) {
                *space = '\0';
            }
            errno = 0;
            read_directive(line, space != NULL ? space + 1 : "");
        }
    }
    free(line);
    (void)fclose(file);
}

// The inherited environment with the step's variables instead of those it has.
static void complete_environment(struct list *variables)
{
    const size_t own = variables->count;
    for (char **variable = environ; *variable != NULL; variable++) {
        const size_t name = strcspn(*variable, "=") + 1;
        bool replaced = false;
        for (size_t i = 0; i < own; i++) {
            replaced = replaced || strncmp(variables->items[i], *variable, name) == 0;
        }
        if (!replaced) {
            list_add(variables, *variable);
        }
    }
}

// ---- Running ------------------------------------------------------------------------

static int remove_one(const char *path, const struct stat *status, int type,
                      struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

static void make_fresh(const char *path)
{
    errno = 0;
    if (nftw(path, remove_one, 64, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT) {
        fail("cannot be emptied", path);
    }
    if (mkdir(path, 0777) != 0) {
        fail("cannot be made", path);
    }
}

// A copy with the number of this run.
static char *expand(const char *text)
{
    static const char place[] = "{run}";
    const char *found = strstr(text, place);
    char *expanded = NULL;
    const int length = found == NULL
                           ? asprintf(&expanded, "%s", text)
                           : asprintf(&expanded, "%.*s%lu%s", (int)(found - text), text,
                                      run_number, found + sizeof place - 1);
    if (length < 0) {
        fail("out of memory", "");
    }
    return expanded;
}

static void expand_all(const struct list *from, struct list *to)
{
    for (size_t i = 0; i < from->count; i++) {
        char *text = expand(from->items[i]);
        list_add(to, text);
        free(text);
    }
}

static void list_free(struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
}

static void start(struct step *step, const char *name)
{
    char *directory = expand(step->directory);
    struct list variables = {0};
    expand_all(&step->variables, &variables);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    errno = posix_spawn(&step->pid, step->arguments.items[0], &actions, NULL,
                        step->arguments.items, variables.items);
    if (errno != 0) {
        fail("cannot be started", name);
    }
    posix_spawn_file_actions_destroy(&actions);
    list_free(&variables);
    free(directory);
}

static double milliseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

// Waits for the step; returns its CPU time.
static double finish(const struct step *step, const char *name)
{
    int status = 0;
    struct rusage usage;
    while (wait4(step->pid, &status, 0, &usage) < 0) {
        if (errno != EINTR) {
            fail("cannot be waited for", name);
        }
    }
    if (status != 0) {
        errno = 0;
        fail(WIFEXITED(status) ? "a step failed" : "a step was killed", name);
    }
    return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
}

static double now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void run(struct command *command, bool counts)
{
    run_number++;
    for (size_t i = 0; i < command->fresh.count; i++) {
        char *path = expand(command->fresh.items[i]);
        make_fresh(path);
        free(path);
    }
    double cpu = 0;
    const double begin = now_ms();
    for (size_t i = 0; i < command->step_count; i++) {
        start(&command->steps[i], command->name);
        if (!command->parallel) {
            cpu += finish(&command->steps[i], command->name);
        }
    }
    for (size_t i = 0; command->parallel && i < command->step_count; i++) {
        cpu += finish(&command->steps[i], command->name);
    }
    const double wall = now_ms() - begin;
    if (counts) {
        command->cpu_ms[command->measured] = cpu;
        command->wall_ms[command->measured++] = wall;
    }
}

// ---- Printing -----------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Of sorted values, linear between neighbours.
static double quantile(const double *values, size_t count, double at)
{
    const double position = at * (double)(count - 1);
    const size_t below = (size_t)position;
    if (below + 1 >= count) {
        return values[count - 1];
    }
    return values[below] +
           (values[below + 1] - values[below]) * (position - (double)below);
}

static void print_values(const char *name, const double *values, size_t count)
{
    double *sorted = grow(NULL, count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    printf("\"%s\": {\"median\": %.4f, \"q1\": %.4f, \"q3\": %.4f, \"min\": %.4f}", name,
           quantile(sorted, count, 0.5), quantile(sorted, count, 0.25),
           quantile(sorted, count, 0.75), sorted[0]);
    free(sorted);
}

static void print_string(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            putchar('\\');
        }
        putchar(*text);
    }
    putchar('"');
}

// What each round took more than the first command in the same round. What slows a
// machine down for a while slows both.
static void print_more(const struct command *command)
{
    const struct command *first = &commands[0];
    const size_t count =
        command->measured < first->measured ? command->measured : first->measured;
    double *more = grow(NULL, count, sizeof *more);
    for (size_t i = 0; i < count; i++) {
        more[i] = command->cpu_ms[i] - first->cpu_ms[i];
    }
    print_values("more_cpu_ms", more, count);
    free(more);
}

static void print_results(void)
{
    printf("{");
    for (size_t i = 0; i < command_count; i++) {
        struct command *command = &commands[i];
        printf("%s\n  ", i > 0 ? "," : "");
        print_string(command->name);
        printf(": {\"runs\": %zu, ", command->measured);
        print_values("cpu_ms", command->cpu_ms, command->measured);
        printf(", ");
        print_values("wall_ms", command->wall_ms, command->measured);
        printf(", ");
        print_more(command);
        printf("}");
    }
    printf("\n}\n");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: measure FILE\n");
        return 2;
    }
    read_file(argv[1]);
    for (size_t i = 0; i < command_count; i++) {
        struct command *command = &commands[i];
        if (command->step_count == 0 || command->runs < 1) {
            errno = 0;
            fail("nothing to run", command->name);
        }
        command->cpu_ms = grow(NULL, (size_t)command->runs, sizeof *command->cpu_ms);
        command->wall_ms = grow(NULL, (size_t)command->runs, sizeof *command->wall_ms);
        for (size_t k = 0; k < command->step_count; k++) {
            if (command->steps[k].arguments.count == 0) {
                errno = 0;
                fail("a step without a program", command->name);
            }
            complete_environment(&command->steps[k].variables);
        }
    }
    for (long round = -warmup; round < rounds; round++) {
        // Every round begins with another command, so that none always follows the same.
        for (size_t i = 0; i < command_count; i++) {
            struct command *command =
                &commands[(i + (size_t)(round + warmup)) % command_count];
            if (round < command->runs) {
                run(command, round >= 0);
            }
        }
    }
    print_results();
    return fflush(stdout) == 0 ? 0 : 1;
}
