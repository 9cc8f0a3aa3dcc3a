// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "world.h"

#include "failure.h"
#include "os.h"
#include "tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *world_cache(const struct world *world)
{
    const bool is_one = world->test->own_modes || world->test->one_cache;
    return world->mode == DIRECT_MODE && !is_one ? "cache-direct" : "cache";
}

// ---- Files --------------------------------------------------------------------------

char *world_path(const struct world *world, const char *name)
{
    return mem_printf("%s/%s", world->folder, name);
}

void world_write(const struct world *world, const char *name, const char *text)
{
    struct error error = {{0}};
    char *path = world_path(world, name);
    const bool ok = text == NULL ? os_remove_file(path, &error)
                                 : os_replace_file(path, text, strlen(text), &error);
    if (!ok) {
        fail("%s", error.text);
    }
    free(path);
}

void world_append(const struct world *world, const char *name, const char *text)
{
    struct error error = {{0}};
    char *path = world_path(world, name);
    if (!os_append_file(path, text, strlen(text), &error)) {
        fail("%s", error.text);
    }
    free(path);
}

static char *read_text(const char *path)
{
    struct error error = {{0}};
    struct buffer text = {0};
    if (!os_read_file(path, &text, NULL, &error)) {
        fail("%s", error.text);
    }
    buffer_append_u8(&text, '\0');
    return (char *)text.data;
}

char *world_read(const struct world *world, const char *name)
{
    char *path = world_path(world, name);
    char *text = read_text(path);
    free(path);
    return text;
}

bool world_has(const struct world *world, const char *name)
{
    struct file_status status;
    char *path = world_path(world, name);
    const bool found = os_stat(path, &status);
    free(path);
    return found;
}

void world_copy(const struct world *world, const char *from, const char *name)
{
    char *path = world_path(world, name);
    tree_copy_file(from, path);
    free(path);
}

void world_rename(const struct world *world, const char *from, const char *to)
{
    struct error error = {{0}};
    char *old_path = world_path(world, from);
    char *new_path = world_path(world, to);
    if (!os_rename(old_path, new_path, &error)) {
        fail("%s", error.text);
    }
    free(old_path);
    free(new_path);
}

void world_wait_for(const struct world *world, const char *name)
{
    // Only a hang ends this early: no result depends on how long it takes.
    for (int i = 0; i < 12000 && !world_has(world, name); i++) {
        os_sleep_ms(10);
    }
    if (!world_has(world, name)) {
        fail("%s did not appear", name);
    }
}

static void make_folder(const struct world *world, const char *name)
{
    struct error error = {{0}};
    char *path = world_path(world, name);
    if (!os_make_directories(path, &error)) {
        fail("%s", error.text);
    }
    free(path);
}

// ---- Compiling ----------------------------------------------------------------------

char *world_source(const struct world *world, const char *name)
{
    char *path = mem_printf("%s/%s", world->tools->sources, name);
    char *text = read_text(path);
    free(path);
    return text;
}

char *world_edit(const char *text, const struct edit *edit)
{
    const char *at = strstr(text, edit->from);
    if (at == NULL || strstr(at + 1, edit->from) != NULL) {
        fail("'%s' is not exactly once in the source", edit->from);
    }
    return mem_printf("%.*s%s%s", (int)(at - text), text, edit->to,
                      at + strlen(edit->from));
}

static void add_words(const struct world *world, struct words *to, const char *text)
{
    words_add_words(to, text, world->folder, world->tools->halide);
}

static void must_run(const struct world *world, char *const *argv)
{
    char *prints = world_path(world, "tool");
    const struct command command = {.argv = argv,
                                    .environment = os_environment(),
                                    .folder = world->folder,
                                    .prints = prints};
    struct process_result result;
    process_run(&command, &result);
    if (result.code != 0 || result.signal != 0) {
        char *text = words_join(argv);
        fail("%s\n%.*s%.*s", text, (int)result.out.size, (const char *)result.out.data,
             (int)result.err.size, (const char *)result.err.data);
    }
    process_result_release(&result);
    free(prints);
}

void world_must_run(const struct world *world, const char *words)
{
    struct words argv = {0};
    add_words(world, &argv, words);
    must_run(world, argv.list);
    words_release(&argv);
}

void world_compile(const struct world *world, const char *text, const char *program,
                   const char *flags, const char *link_flags)
{
    char *source = mem_printf("%s.cpp", program);
    char *object = mem_printf("%s.o", program);
    world_write(world, source, text);
    struct words compile = {0};
    words_add_all(&compile, world->tools->compiler.list);
    add_words(world, &compile, flags);
    words_add(&compile, mem_printf("-c"));
    words_add(&compile, mem_strdup(source));
    words_add(&compile, mem_strdup("-o"));
    words_add(&compile, mem_strdup(object));
    must_run(world, compile.list);
    words_release(&compile);

    // Linked under another name, as no linker writes into a program that runs.
    struct words link = {0};
    words_add(&link, mem_strdup(world->tools->compiler.list[0]));
    words_add(&link, mem_strdup(object));
    add_words(world, &link,
              "{halide}/lib64/libHalide_GenGen.a -L{halide}/lib64 -lHalide "
              "-Wl,-rpath,{halide}/lib64 -ldl -pthread");
    add_words(world, &link, flags);
    add_words(world, &link, link_flags);
    words_add(&link, mem_strdup("-o"));
    words_add(&link, mem_printf("%s.linked", program));
    must_run(world, link.list);
    words_release(&link);
    char *linked = mem_printf("%s.linked", program);
    world_rename(world, linked, program);
    free(linked);
    free(object);
    free(source);
}

static void compile_shared(const struct world *world, struct words *command,
                           const char *text, const char *name)
{
    char *source = mem_printf("%s.cpp", name);
    char *linked = mem_printf("%s.linked", name);
    world_write(world, source, text);
    words_add(command, mem_strdup("-shared"));
    words_add(command, mem_strdup(source));
    words_add(command, mem_strdup("-o"));
    words_add(command, mem_strdup(linked));
    must_run(world, command->list);
    world_rename(world, linked, name);
    free(linked);
    free(source);
}

void world_compile_library(const struct world *world, const char *text, const char *name)
{
    struct words command = {0};
    words_add(&command, mem_strdup(world->tools->compiler.list[0]));
    add_words(world, &command, "-std=c++17 -O0 -fPIC");
    compile_shared(world, &command, text, name);
    words_release(&command);
}

void world_compile_plugin(const struct world *world, const char *text, const char *name)
{
    struct words command = {0};
    words_add_all(&command, world->tools->compiler.list);
    compile_shared(world, &command, text, name);
    words_release(&command);
}

// ---- Life ---------------------------------------------------------------------------

static void get_generator(const struct world *world)
{
    const struct test_case *test = world->test;
    if (test->generator == NULL) {
        return;
    }
    char *prepared = mem_printf("%s/%s", world->tools->prepared, test->generator);
    struct file_status status;
    if (test->flags == NULL && os_stat(prepared, &status)) {
        world_copy(world, prepared, "gen");
    } else {
        char *name = mem_printf("generators/%s.cpp", test->generator);
        char *text = world_source(world, name);
        world_compile(world, text, "gen", test->flags, NULL);
        free(text);
        free(name);
    }
    free(prepared);
}

void world_init(struct world *world, const struct tools *tools,
                const struct test_case *test, const char *folder)
{
    struct error error = {{0}};
    if (!os_remove_tree(folder, &error) || !os_make_directories(folder, &error)) {
        fail("%s", error.text);
    }
    *world = (struct world){.tools = tools,
                            .test = test,
                            .folder = os_absolute_path(folder),
                            .tracer = tools->tracer,
                            .cached_name = "cached",
                            .program = test->program == NULL ? "../gen" : test->program};
    make_folder(world, "tmp");
    // Nothing of the user's environment may decide a test.
    char *path = mem_printf("PATH=%s", getenv("PATH"));
    char *home = mem_printf("HOME=%s", world->folder);
    char *temporary = mem_printf("TMPDIR=%s/tmp", world->folder);
    world_set(world, path);
    world_set(world, home);
    world_set(world, temporary);
    world_set(world, "LC_ALL=C");
    world_set(world, "TZ=UTC");
    free(temporary);
    free(home);
    free(path);
    if (test->prepare != NULL) {
        test->prepare(world);
    }
    get_generator(world);
}

void world_release(struct world *world)
{
    process_result_release(&world->cached);
    process_result_release(&world->plain);
    words_release(&world->environment);
    free(world->folder);
}

void world_set(struct world *world, const char *variable)
{
    words_add(&world->environment, mem_strdup(variable));
}
