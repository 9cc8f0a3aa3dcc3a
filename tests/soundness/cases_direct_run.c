// SPDX-License-Identifier: MIT
//
// The run that a direct hit relies on: what the generator has seen was still there when
// it was over, and the next run is where the last one was and may do the same.

#define _GNU_SOURCE

#include "failure.h"
#include "hooks.h"
#include "os.h"
#include "places.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOKS_AT(name) .generator = "direct_plain", .pipeline = name

enum { NOBODY = 65534 };

// ---- When ---------------------------------------------------------------------------

// Without any time in between: what the clock of the file system does not tell apart.
static void change_at_once(struct world *world)
{
    place_number(world);
    for (int i = 0; i < 8; i++) {
        world_write(world, PLACE_NUMBER, i % 2 == 0 ? "3" : "4");
        world_run_plain(world, &world->test->before);
        world_write(world, PLACE_NUMBER, i % 2 == 0 ? "4" : "3");
        world_write(world, PLACE_NUMBER, i % 2 == 0 ? "3" : "4");
        world_run_cached(world, &world->test->before);
        world_compare(world, "changed at once", "plain", &world->plain);
    }
}

// Its times are those of the command or later: as it is for a moment after every change.
static void run_with_young_file(struct world *world)
{
    static const int64_t hour_ns = INT64_C(3600000000000);
    place_number(world);
    hook_set_mtime(world, PLACE_NUMBER, os_wall_clock_ns() + hour_ns);
    world_run_plain(world, &world->test->before);
    for (int i = 0; i < 3; i++) {
        world_run_cached(world, &world->test->before);
        world_compare(world, "with a young file", "plain", &world->plain);
        world_expect(world, "with a young file", i == 0 ? MISS : PIPELINE_HIT,
                     BYPASS_NONE, NULL);
    }
}

// ---- While it runs ------------------------------------------------------------------

// Stops the copy that builds the pipeline where it has seen everything but ../then.txt,
// and makes the change.
static void change_while_it_builds(struct world *world)
{
    struct started started;
    char *path = world_path(world, "gate");
    hook_must(mkfifo(path, 0600) == 0, path);
    world_start(world, &world->test->before, true, &started);
    int gate = -1;
    while ((gate = open(path, O_WRONLY | O_NONBLOCK)) < 0 &&
           process_is_running(started.process)) {
        os_sleep_ms(2);
    }
    hook_must(gate >= 0, path);
    world->test->change(world);
    hook_must(unlink(path) == 0 && close(gate) == 0, path);
    world_finish(world, true, &started);
    free(path);
}

static void run_and_compare(struct world *world, const char *what, enum outcome outcome)
{
    world_run_cached(world, &world->test->after);
    world_compare(world, what, "plain", &world->plain);
    world_expect(world, what, outcome, BYPASS_NONE, NULL);
}

// What is stored is right for what the generator has seen, and nothing else may lead
// there.
static void change_meanwhile(struct world *world)
{
    world->mode = PIPELINE_MODE;
    hook_build_stopper(world);
    world_run_plain(world, &world->test->after);
    run_and_compare(world, "before", MISS);
    if (world->tools->tracer[0] == '\0') {
        return;
    }
    os_sleep_ms(PLACE_SETTLED_MS);
    world->mode = DIRECT_MODE;
    change_while_it_builds(world);
    world_compare(world, "the changed run", "plain", &world->plain);
    world_expect(world, "the changed run", PIPELINE_HIT, BYPASS_NONE, NULL);
    world_run_plain(world, &world->test->after);
    run_and_compare(world, "after", MISS);
    run_and_compare(world, "after, again", HIT);
}

#define STOPPED HOOK_PRELOAD_STOPPER " GATE=1 STOP=then.txt"
#define MEANWHILE(why)                                                                   \
    .before = {.environment = STOPPED, .no_manifest = why},                              \
    .after = {.environment = HOOK_PRELOAD_STOPPER}, .run_all = change_meanwhile,         \
    .own_modes = true
#define CHANGED "it changed meanwhile"
#define GONE "it is not what it was any more"

// ---- Back and forth -----------------------------------------------------------------

static void run_version(struct world *world, const char *number, enum outcome outcome)
{
    world_write(world, PLACE_NUMBER, number);
    world_run_plain(world, &world->test->before);
    world_run_cached(world, &world->test->before);
    world_compare(world, number, "plain", &world->plain);
    world_expect(world, number, outcome, BYPASS_NONE, NULL);
}

static void go_back_and_forth(struct world *world)
{
    static const char *const versions[] = {"1", "2", "3", "4"};
    place_number(world);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
            run_version(world, versions[i], round == 0 ? MISS : HIT);
        }
    }
}

// ---- Where and by whom --------------------------------------------------------------

static void write_here(struct world *world)
{
    world_write(world, "cached/number.txt", "3");
    world_write(world, "plain/number.txt",
                strcmp(world->cached_name, "cached") == 0 ? "3" : "4");
    if (strcmp(world->cached_name, "cached") != 0) {
        world_write(world, "elsewhere/number.txt", "4");
    }
}

static void make_folders_to_be_in(struct world *world)
{
    hook_make_folder(world, "cached");
    hook_make_folder(world, "plain");
}

static void go_elsewhere(struct world *world)
{
    world->cached_name = "elsewhere";
}

static void set_umask(struct world *world)
{
    (void)world;
    (void)umask(077);
}

// Everybody may write everything.
static void open_to_all(struct world *world)
{
    (void)umask(0);
    hook_set_mode(world, ".", 0777);
    hook_set_mode(world, "tmp", 0777);
}

static void make_secret_number(struct world *world)
{
    open_to_all(world);
    place_number(world);
    hook_set_mode(world, PLACE_NUMBER, 0600);
    os_sleep_ms(PLACE_SETTLED_MS);
}

// What only root may read shows for nobody else. Others than root cannot try.
static void become_nobody(struct world *world)
{
    if (geteuid() == 0) {
        // Not the number: what happens to that shows.
        world_must_run(world, "chmod -R a+rwX cache log.all");
        if (world->tools->tracer[0] != '\0') {
            world_must_run(world, "chmod -R a+rwX cache-direct");
        }
        world->user = NOBODY;
    } else {
        hook_set_mode(world, PLACE_NUMBER, 0);
    }
}

// Who may read everything would not notice.
static void be_somebody(struct world *world)
{
    open_to_all(world);
    place_settled_number(world);
    world->user = geteuid() == 0 ? NOBODY : 0;
}

static void lock_number(struct world *world)
{
    hook_set_mode(world, PLACE_NUMBER, 0);
}

static void lock_and_unlock(struct world *world)
{
    lock_number(world);
    hook_set_mode(world, PLACE_NUMBER, 0644);
}

// With rights that its user does not have, the dynamic linker preloads nothing.
static void run_with_other_group(struct world *world)
{
    if (geteuid() != 0) {
        (void)puts("not root: there is no group to give the generator to");
        return;
    }
    char *path = world_path(world, "gen");
    hook_must(chown(path, 0, NOBODY) == 0 && chmod(path, 02755) == 0, path);
    free(path);
    world_run_plain(world, &world->test->before);
    for (int i = 0; i < 3; i++) {
        world_run_cached(world, &world->test->before);
        world_compare(world, "with another group", "plain", &world->plain);
        world_expect(world, "with another group", i == 0 ? MISS : HIT, BYPASS_NONE, NULL);
    }
}

// ---- The tracer ---------------------------------------------------------------------

static void lose_tracer(struct world *world)
{
    world->tracer = "../no-tracer.so";
}

static void move_tracer(struct world *world)
{
    hook_make_folder(world, "a folder");
    if (world->tools->tracer[0] != '\0') {
        world_copy(world, world->tools->tracer, "a folder/tracer.so");
    }
    world->tracer = "../a folder/tracer.so";
}

// ---- Manifests ----------------------------------------------------------------------

static void must_survive(struct world *world, const char *path, const void *data,
                         size_t size, const char *what)
{
    struct error error = {{0}};
    if (!os_replace_file(path, data, size, &error)) {
        fail("%s", error.text);
    }
    run_and_compare(world, what, PIPELINE_HIT);
    run_and_compare(world, what, HIT);
}

static void read_manifest(const struct world *world, char **path, struct buffer *content)
{
    struct error error = {{0}};
    *path = hook_find_stored(world, ".manifest");
    *content = (struct buffer){0};
    if (!os_read_file(*path, content, NULL, &error)) {
        fail("%s", error.text);
    }
}

static void damage_manifest(struct world *world)
{
    enum { PLACES = 12 };
    if (world->mode != DIRECT_MODE) {
        return;
    }
    place_number(world);
    world_run_plain(world, &world->test->after);
    run_and_compare(world, "the first run", MISS);
    char *path = NULL;
    struct buffer content;
    read_manifest(world, &path, &content);
    for (size_t i = 0; i < PLACES; i++) {
        const size_t at = i * (content.size - 1) / (PLACES - 1);
        content.data[at] ^= 1;
        must_survive(world, path, content.data, content.size, "a byte flipped");
        content.data[at] ^= 1;
    }
    must_survive(world, path, content.data, 0, "an empty manifest");
    must_survive(world, path, content.data, content.size / 2, "half a manifest");
    buffer_release(&content);
    free(path);
}

// One that holds, of another command.
static void exchange_manifest(struct world *world)
{
    static const struct state other = {.more = "-f other"};
    if (world->mode != DIRECT_MODE) {
        return;
    }
    place_number(world);
    world_run_cached(world, &other);
    world_expect(world, "another command", MISS, BYPASS_NONE, NULL);
    char *path = NULL;
    struct buffer stranger;
    read_manifest(world, &path, &stranger);
    free(path);
    hook_remove_folder(world, world_cache(world));
    world_run_plain(world, &world->test->after);
    run_and_compare(world, "the first run", MISS);
    struct buffer content;
    read_manifest(world, &path, &content);
    must_survive(world, path, stranger.data, stranger.size, "another command's");
    buffer_release(&content);
    buffer_release(&stranger);
    free(path);
}

// ---- Cases --------------------------------------------------------------------------

static const struct test_case cases[] = {
    // ---- The generator
    {
        .name = "direct.comment",
        .generator = "source_plain",
        .pipeline = "scale",
        .flags = "-O0", // both from the same path
        .edits = {{"// A remark.", "// Another remark."}},
        .expected = HIT,
        .directly = DIRECT_HIT,
    },

    // ---- When
    {
        .name = "direct.file-changed-at-once",
        LOOKS_AT("file"),
        .run_all = change_at_once,
    },
    {
        .name = "direct.file-is-young",
        LOOKS_AT("file"),
        .run_all = run_with_young_file,
        .no_manifest = CHANGED,
    },
    {
        .name = "direct.two-versions",
        LOOKS_AT("file"),
        .run_all = go_back_and_forth,
    },

    // ---- While it runs
    {
        .name = "direct.file-changed-meanwhile",
        LOOKS_AT("file"),
        .prepare = place_number,
        .change = place_other_number,
        MEANWHILE(CHANGED),
    },
    {
        .name = "direct.file-exchanged-meanwhile",
        LOOKS_AT("file"),
        .prepare = place_two_folders,
        .change = place_retarget,
        MEANWHILE(GONE),
    },
    {
        .name = "direct.folder-exchanged-meanwhile",
        LOOKS_AT("file"),
        .prepare = place_two_folders,
        .change = place_exchange,
        MEANWHILE(GONE),
    },
    {
        .name = "direct.size-changed-meanwhile",
        LOOKS_AT("size"),
        .prepare = place_two_folders,
        .change = place_retarget,
        MEANWHILE(GONE),
    },
    {
        .name = "direct.link-changed-meanwhile",
        LOOKS_AT("link"),
        .prepare = place_two_folders,
        .change = place_retarget,
        MEANWHILE(GONE),
    },
    {
        .name = "direct.resolved-path-changed-meanwhile",
        LOOKS_AT("resolved"),
        .prepare = place_two_folders,
        .change = place_retarget,
        MEANWHILE(GONE),
    },
    {
        .name = "direct.file-appears-meanwhile",
        LOOKS_AT("search"),
        .prepare = place_late,
        .change = place_early,
        MEANWHILE(GONE),
    },
    {
        .name = "direct.listing-changed-meanwhile",
        LOOKS_AT("listing"),
        .prepare = place_names,
        .change = place_another_name,
        MEANWHILE(CHANGED),
    },

    // ---- Where and by whom
    {
        .name = "direct.other-folder",
        LOOKS_AT("here"),
        .prepare = make_folders_to_be_in,
        .reset = write_here,
        .change = go_elsewhere,
        .expected = MISS,
    },
    {
        .name = "direct.umask",
        LOOKS_AT("file"),
        .prepare = place_number,
        .change = set_umask,
        .expected = HIT,
    },
    {
        .name = "direct.umask-read",
        LOOKS_AT("mask"),
        .change = set_umask,
        .expected = MISS,
        .no_manifest = "asks about the process",
    },
    {
        .name = "direct.other-user",
        LOOKS_AT("file"),
        .prepare = make_secret_number,
        .change = become_nobody,
        .expected = MISS,
        .after = {.no_manifest = "it could not open"},
    },
    {
        .name = "direct.file-locked",
        LOOKS_AT("file"),
        .prepare = be_somebody,
        .change = lock_number,
        .expected = MISS,
        .after = {.no_manifest = "it could not open"},
    },
    {
        .name = "direct.file-locked-and-unlocked",
        LOOKS_AT("file"),
        .prepare = be_somebody,
        .change = lock_and_unlock,
        .expected = HIT,
    },
    {
        .name = "direct.other-group",
        LOOKS_AT("variable"),
        .run_all = run_with_other_group,
        .no_manifest = "there was no tracer",
    },

    // ---- The tracer
    {
        .name = "direct.tracer-missing",
        LOOKS_AT("variable"),
        .prepare = lose_tracer,
        .expected = HIT,
        .no_manifest = "there was no tracer",
    },
    {
        // The dynamic linker would take it for two, and say so.
        .name = "direct.tracer-in-a-folder-with-a-space",
        LOOKS_AT("variable"),
        .prepare = move_tracer,
        .expected = HIT,
        .no_manifest = "there was no tracer",
    },

    // ---- What is stored
    {
        .name = "direct.manifest-damaged",
        LOOKS_AT("file"),
        .run_all = damage_manifest,
    },
    {
        .name = "direct.manifest-exchanged",
        LOOKS_AT("file"),
        .run_all = exchange_manifest,
    },
};

const struct case_list direct_run_cases = CASE_LIST(cases);
