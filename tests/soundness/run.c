// SPDX-License-Identifier: MIT
//
// The part of world.h that runs the generator and compares what became of it.

#define _GNU_SOURCE

#include "world.h"

#include "failure.h"
#include "os.h"
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the default arguments write: a signature, code, and a text in which every name
// shows.
static const char default_kinds[] = "c_header,function_info_header,object,stmt";

enum { LONGER_THAN_A_TICK_MS = 20 };

// ---- Running ------------------------------------------------------------------------

static void add_words(const struct world *world, struct words *to, const char *text)
{
    words_add_words(to, text, world->folder, world->tools->halide);
}

static const char *arguments_of(const struct world *world, const struct state *state)
{
    return state->arguments != NULL ? state->arguments : world->test->before.arguments;
}

void world_command(const struct world *world, const struct state *state,
                   struct words *command)
{
    const struct test_case *test = world->test;
    add_words(world, command, world->program);
    if (arguments_of(world, state) != NULL) {
        add_words(world, command, arguments_of(world, state));
    } else {
        char *arguments = mem_printf("-g %s -o out -e %s target=host-no_runtime",
                                     test->pipeline == NULL ? "" : test->pipeline,
                                     test->kinds == NULL ? default_kinds : test->kinds);
        add_words(world, command, arguments);
        free(arguments);
    }
    add_words(world, command, test->common);
    add_words(world, command, state->more);
}

// The later of two settings of one variable wins, as with env(1).
static void set_variable(struct words *environment, const char *variable)
{
    const size_t length = strcspn(variable, "=") + 1;
    for (size_t i = 0; i < environment->count; i++) {
        if (strncmp(environment->list[i], variable, length) == 0) {
            free(environment->list[i]);
            environment->list[i] = mem_strdup(variable);
            return;
        }
    }
    words_add(environment, mem_strdup(variable));
}

static void make_environment(const struct world *world, const struct state *state,
                             bool cached, struct words *environment)
{
    struct words own = {0};
    for (size_t i = 0; i < world->environment.count; i++) {
        set_variable(environment, world->environment.list[i]);
    }
    add_words(world, &own, state->environment);
    for (size_t i = 0; i < own.count; i++) {
        set_variable(environment, own.list[i]);
    }
    words_release(&own);
    if (cached) {
        char *log = mem_printf("HALIDE_CACHE_LOG=%s/log", world->folder);
        set_variable(environment, log);
        free(log);
    }
}

static void make_argv(const struct world *world, const struct state *state, bool cached,
                      struct words *argv)
{
    if (cached) {
        words_add(argv, mem_strdup(world->tools->helper));
        words_add(argv, mem_strdup("run"));
        words_add(argv, mem_strdup("--dir"));
        words_add(argv, mem_printf("../%s", world_cache(world)));
        words_add(argv, mem_strdup("--probe"));
        words_add(argv, mem_printf("%s/halide-cache-probe.so", world->tools->prepared));
        if (world->mode == DIRECT_MODE) {
            words_add(argv, mem_strdup("--tracer"));
            words_add(argv, mem_strdup(world->tracer));
        }
        words_add(argv, mem_strdup("--"));
    }
    world_command(world, state, argv);
}

static void empty_folder(const char *folder)
{
    struct error error = {{0}};
    char *out = mem_printf("%s/out", folder);
    if (!os_remove_tree(folder, &error) || !os_make_directories(out, &error)) {
        fail("%s", error.text);
    }
    free(out);
}

void world_start(struct world *world, const struct state *state, bool cached,
                 struct started *started)
{
    *started = (struct started){0};
    started->folder = world_path(world, cached ? world->cached_name : "plain");
    started->prints = world_path(world, cached ? world->cached_name : "plain");
    empty_folder(started->folder);
    for (size_t i = 0; i < 4 && state->files[i].name != NULL; i++) {
        world_write(world, state->files[i].name, state->files[i].text);
    }
    if (world->test->reset != NULL) {
        world->test->reset(world);
    }
    if (cached) {
        world->state = state;
    }
    if (cached && world->mode == DIRECT_MODE) {
        // There is no manifest with a file that is younger than a tick of the clock.
        os_sleep_ms(LONGER_THAN_A_TICK_MS);
    }
    make_argv(world, state, cached, &started->argv);
    make_environment(world, state, cached, &started->environment);
    started->command = (struct command){
        .argv = started->argv.list,
        .environment = started->environment.list,
        .folder = started->folder,
        .input = state->input != NULL ? state->input : world->test->before.input,
        .prints = started->prints,
        .user = world->user};
    started->process = process_start(&started->command);
}

void world_finish(struct world *world, bool cached, struct started *started)
{
    struct process_result *result = cached ? &world->cached : &world->plain;
    process_result_release(result);
    process_finish(started->process, &started->command, result);
    words_release(&started->argv);
    words_release(&started->environment);
    free(started->folder);
    free(started->prints);
}

void world_run_cached(struct world *world, const struct state *state)
{
    struct started started;
    world_start(world, state, true, &started);
    world_finish(world, true, &started);
}

void world_run_plain(struct world *world, const struct state *state)
{
    struct started started;
    world_start(world, state, false, &started);
    world_finish(world, false, &started);
}

// ---- Is it the same -----------------------------------------------------------------

static void append_stream(struct buffer *to, const char *name, const struct buffer *text)
{
    char *part =
        mem_printf("%s:\n%.*s\n", name, (int)text->size, (const char *)text->data);
    buffer_append_string(to, part);
    free(part);
}

static bool same_bytes(const struct buffer *a, const struct buffer *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

void world_compare(const struct world *world, const char *what, const char *folder,
                   const struct process_result *result)
{
    struct buffer differences = {0};
    char *mine = world_path(world, world->cached_name);
    char *other = world_path(world, folder);
    tree_compare(mine, other, &differences);
    const struct process_result *cached = &world->cached;
    if (cached->code != result->code || cached->signal != result->signal) {
        char *line = mem_printf("  exit status %d, signal %d; and %d, %d\n", cached->code,
                                cached->signal, result->code, result->signal);
        buffer_append_string(&differences, line);
        free(line);
    }
    if (!same_bytes(&cached->out, &result->out)) {
        append_stream(&differences, "  standard output there", &result->out);
        append_stream(&differences, "  and here", &cached->out);
    }
    if (!same_bytes(&cached->err, &result->err)) {
        append_stream(&differences, "  standard error there", &result->err);
        append_stream(&differences, "  and here", &cached->err);
    }
    if (differences.size > 0) {
        fail("%s: it is not the same as in %s:\n%.*s", what, other, (int)differences.size,
             (const char *)differences.data);
    }
    free(mine);
    free(other);
}
