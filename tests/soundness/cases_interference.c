// SPDX-License-Identifier: MIT
//
// Something happens while a generator runs, or to what is stored.
//
// libraries/stopper.cpp, which is preloaded, stops a generator at a point: before main()
// or where it opens a certain file. So all of these are reproducible: what happens,
// happens while the generator stands there.

#define _GNU_SOURCE

#include "failure.h"
#include "hooks.h"
#include "os.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SCALE                                                                            \
    .generator = "source_plain", .pipeline = "scale", .prepare = hook_build_stopper
#define PRELOAD HOOK_PRELOAD_STOPPER
#define AT_OBJECT PRELOAD " STOP=.o"
#define AT_HEADER PRELOAD " STOP=.h"
#define AT_START PRELOAD " START=1"

// A run that is stopped is `before`, one that is not is `after`: the variables that stop
// it are in no key.
#define STOPS(where) .before = {.environment = where}, .after = {.environment = PRELOAD}

// ---- Steps --------------------------------------------------------------------------

// Returns the generator's process.
static pid_t start_and_stop(struct world *world, bool cached, struct started *started)
{
    world_write(world, "stopped", NULL);
    world_write(world, "go", NULL);
    world_start(world, &world->test->before, cached, started);
    world_wait_for(world, "stopped");
    char *text = world_read(world, "stopped");
    const pid_t generator = (pid_t)strtol(text, NULL, 10);
    free(text);
    return generator;
}

static void let_go(struct world *world, bool cached, struct started *started)
{
    world_write(world, "go", "");
    world_finish(world, cached, started);
}

static void run_and_compare(struct world *world, const char *what)
{
    world_run_plain(world, &world->test->after);
    world_run_cached(world, &world->test->after);
    world_compare(world, what, "plain", &world->plain);
}

// Nothing is left of what happened: "after" misses, hits when repeated, and is right.
static void must_start_afresh(struct world *world)
{
    run_and_compare(world, "the next run");
    world_expect(world, "the next run", MISS, BYPASS_NONE, NULL);
    run_and_compare(world, "the run after that");
    world_expect(world, "the run after that", HIT, BYPASS_NONE, NULL);
}

static void forget_log(const struct world *world)
{
    struct outcome_report report;
    world_read_log(world, &report);
    outcome_report_release(&report);
}

// ---- Ends ---------------------------------------------------------------------------

static bool is_running(pid_t process)
{
    char *path = mem_printf("/proc/%ld/stat", (long)process);
    struct buffer text = {0};
    const bool found = os_read_file(path, &text, NULL, NULL);
    buffer_append_u8(&text, '\0');
    // "<pid> (<name>) <state> ...": one that nobody has waited for yet does not run.
    const char *name_end = strrchr((const char *)text.data, ')');
    const bool running =
        found && name_end != NULL && name_end[1] == ' ' && name_end[2] != 'Z';
    buffer_release(&text);
    free(path);
    return running;
}

static void kill_helper(struct world *world)
{
    struct started started;
    const pid_t generator = start_and_stop(world, true, &started);
    (void)kill(started.process, SIGKILL);
    world_finish(world, true, &started);
    for (int i = 0; i < 1000 && is_running(generator); i++) {
        os_sleep_ms(10);
    }
    if (is_running(generator)) {
        fail("the generator runs on without the helper");
    }
    world_expect(world, "a killed helper", NO_LOG, BYPASS_NONE, NULL);
    must_start_afresh(world);
}

static void signal_one(struct world *world, bool helper, int signal)
{
    struct started started;
    const pid_t generator = start_and_stop(world, true, &started);
    (void)kill(helper ? started.process : generator, signal);
    world_finish(world, true, &started);
    if (world->cached.signal != signal) {
        fail("it ended with status %d, signal %d, and not with signal %d",
             world->cached.code, world->cached.signal, signal);
    }
    world_expect(world, "a killed generator", NOT_STORED, BYPASS_NONE, NULL);
    must_start_afresh(world);
}

static void kill_generator(struct world *world)
{
    signal_one(world, false, SIGKILL);
}

static void terminate_helper(struct world *world)
{
    signal_one(world, true, SIGTERM);
}

// A run that ends by itself, and not as it should.
static void end_early(struct world *world)
{
    world_run_plain(world, &world->test->before);
    world_run_cached(world, &world->test->before);
    world_compare(world, "a run that ends early", "plain", &world->plain);
    world_expect(world, "a run that ends early", NOT_STORED, BYPASS_NONE, NULL);
    must_start_afresh(world);
}

// ---- Folders ------------------------------------------------------------------------

static void remove_output_folder(struct world *world)
{
    struct started started;
    (void)start_and_stop(world, true, &started);
    hook_remove_folder(world, "cached/out");
    let_go(world, true, &started);
    (void)start_and_stop(world, false, &started);
    hook_remove_folder(world, "plain/out");
    let_go(world, false, &started);
    if (world->plain.code == 0) {
        fail("without the cache it did not fail");
    }
    world_compare(world, "without a folder", "plain", &world->plain);
    world_expect(world, "without a folder", NOT_STORED, BYPASS_NONE, NULL);
    must_start_afresh(world);
}

static void remove_cache_folder(struct world *world)
{
    struct started started;
    (void)start_and_stop(world, true, &started);
    hook_remove_folder(world, world_cache(world));
    let_go(world, true, &started);
    world_run_plain(world, &world->test->after);
    world_compare(world, "without its cache", "plain", &world->plain);
    run_and_compare(world, "the next run");
}

static void occupy_if_wanted(struct world *world)
{
    static const char *const outputs[] = {"cached/out/scale.o", "plain/out/scale.o"};
    for (size_t i = 0; i < 2 && world_has(world, "occupy"); i++) {
        if (!world_has(world, outputs[i])) {
            hook_make_folder(world, outputs[i]);
        }
    }
}

// A folder has the name of an output, when the cache has what to put there.
static void occupy_output(struct world *world)
{
    run_and_compare(world, "the first run");
    world_write(world, "occupy", "");
    run_and_compare(world, "with a folder in the way");
    if (world->plain.code == 0) {
        fail("without the cache it did not fail");
    }
}

// ---- Files that change under it -----------------------------------------------------

// "gen" becomes the edited one when the generator is stopped.
static void edit_while_it_runs(struct world *world)
{
    const struct test_case *test = world->test;
    char *name = mem_printf("generators/%s.cpp", test->generator);
    char *text = world_source(world, name);
    char *edited = world_edit(text, &test->edits[0]);
    world_compile(world, edited, "edited", test->flags, NULL);
    free(edited);
    free(text);
    free(name);

    struct started started;
    (void)start_and_stop(world, true, &started);
    world_rename(world, "gen", "unedited");
    world_rename(world, "edited", "gen");
    let_go(world, true, &started);
    world->program = "../unedited";
    world_run_plain(world, &test->after);
    world_compare(world, "the run of the old one", "plain", &world->plain);
    world->program = "../gen";
    run_and_compare(world, "the new one");
    world->program = "../unedited";
    run_and_compare(world, "the old one");
}

static void prepare_halides(struct world *world)
{
    hook_build_stopper(world);
    hook_copy_halide(world, "halide");
    hook_copy_halide(world, "new");
    hook_patch_build_id(world, "new/libHalide.so", 0);
}

// Halide is upgraded after the generator has loaded the old one and before the probe
// reports: what the old one compiles must not be taken for the work of the new one.
static void replace_halide(struct world *world)
{
    struct started started;
    (void)start_and_stop(world, true, &started);
    world_rename(world, "halide/libHalide.so", "halide/old.so");
    world_rename(world, "new/libHalide.so", "halide/libHalide.so");
    let_go(world, true, &started);
    forget_log(world);
    must_start_afresh(world);
}

static void prepare_weights(struct world *world)
{
    hook_build_stopper(world);
    hook_write_weights(world, '=');
}

// They change when the key is made and the autoscheduler has yet to read them.
static void change_weights(struct world *world)
{
    struct started started;
    (void)start_and_stop(world, true, &started);
    hook_write_weights(world, '>');
    let_go(world, true, &started);
    run_and_compare(world, "with the new weights");
    hook_write_weights(world, '=');
    run_and_compare(world, "with the old weights");
}

// A generator builds the pipeline of the second target when the first one is compiled.
// The table that it reads changes in between, and back again.
static void change_table(struct world *world)
{
    struct started started;
    world_write(world, "table.txt", "ABCDEFG");
    (void)start_and_stop(world, true, &started);
    world_write(world, "table.txt", "GFEDCBA");
    let_go(world, true, &started);
    world_write(world, "table.txt", "ABCDEFG");
    run_and_compare(world, "with the old table");
}

// ---- Entries ------------------------------------------------------------------------

struct entry_file {
    char *path;
    struct buffer content;
};

// Reads the only entry.
static void read_entry(const struct world *world, struct entry_file *entry)
{
    struct error error = {{0}};
    entry->path = hook_find_stored(world, ".entry");
    entry->content = (struct buffer){0};
    if (!os_read_file(entry->path, &entry->content, NULL, &error)) {
        fail("there is no entry: %s", error.text);
    }
}

static void release_entry(struct entry_file *entry)
{
    buffer_release(&entry->content);
    free(entry->path);
}

static void must_be_noticed(struct world *world, const struct entry_file *entry,
                            const void *data, size_t size, const char *what)
{
    struct error error = {{0}};
    if (!os_replace_file(entry->path, data, size, &error)) {
        fail("%s", error.text);
    }
    world_run_cached(world, &world->test->after);
    world_compare(world, what, "plain", &world->plain);
    world_expect(world, what, MISS, BYPASS_NONE, NULL);
}

static void damage_entry(struct world *world)
{
    run_and_compare(world, "the first run");
    world_expect(world, "the first run", MISS, BYPASS_NONE, NULL);
    struct entry_file entry;
    read_entry(world, &entry);
    const size_t size = entry.content.size;
    unsigned char *bytes = entry.content.data;

    // Bytes of the head, of the outputs, and the last one.
    for (size_t i = 0; i < 12; i++) {
        const size_t at = i * (size - 1) / 11;
        char *what = mem_printf("byte %zu of %zu flipped", at, size);
        bytes[at] ^= 1;
        must_be_noticed(world, &entry, bytes, size, what);
        bytes[at] ^= 1;
        free(what);
    }
    must_be_noticed(world, &entry, bytes, 0, "an empty entry");
    must_be_noticed(world, &entry, bytes, 100, "100 bytes of an entry");
    must_be_noticed(world, &entry, bytes, size - 1, "all but the last byte of an entry");
    buffer_append_u8(&entry.content, 0);
    must_be_noticed(world, &entry, entry.content.data, size + 1, "a byte too many");
    run_and_compare(world, "the last run");
    world_expect(world, "the last run", HIT, BYPASS_NONE, NULL);
    release_entry(&entry);
}

// An entry of another command, under the key of this one.
static void exchange_entry(struct world *world)
{
    static const struct state other = {.environment = PRELOAD, .more = "factor=7"};
    world_run_cached(world, &other);
    struct entry_file stranger;
    read_entry(world, &stranger);
    hook_remove_folder(world, world_cache(world));

    run_and_compare(world, "the first run");
    forget_log(world);
    struct entry_file entry;
    read_entry(world, &entry);
    must_be_noticed(world, &entry, stranger.content.data, stranger.content.size,
                    "another command's entry");
    release_entry(&entry);
    release_entry(&stranger);
}

// ---- Cases --------------------------------------------------------------------------

static const struct test_case cases[] = {
    // ---- Ends
    {
        .name = "interference.helper-killed",
        SCALE,
        STOPS(AT_OBJECT),
        .run_all = kill_helper,
    },
    {
        .name = "interference.helper-killed-between-outputs",
        SCALE,
        STOPS(AT_HEADER),
        .run_all = kill_helper,
    },
    {
        .name = "interference.generator-killed",
        SCALE,
        STOPS(AT_OBJECT),
        .run_all = kill_generator,
    },
    {
        .name = "interference.generator-killed-between-outputs",
        SCALE,
        STOPS(AT_HEADER),
        .run_all = kill_generator,
    },
    {
        .name = "interference.terminated",
        SCALE,
        STOPS(AT_OBJECT),
        .run_all = terminate_helper,
    },

    {
        // It says that it succeeded.
        .name = "interference.exits-between-outputs",
        SCALE,
        STOPS(PRELOAD " LEAVE=.h"),
        .run_all = end_early,
    },
    {
        .name = "interference.fails-after-writing",
        SCALE,
        STOPS(PRELOAD " FAIL=out/scale.o"),
        .run_all = end_early,
    },

    // ---- Limits
    {
        .name = "interference.no-more-processes",
        SCALE,
        .before = {.environment = PRELOAD " NO_FORK=1"},
        .after = {.environment = PRELOAD " NO_FORK=1"},
        .warm = BYPASS,
        .expected = BYPASS,
        .reason = BYPASS_NO_PROBE,
        .detail = "the generator cannot be copied",
    },

    // ---- Folders
    {
        .name = "interference.output-folder-removed",
        SCALE,
        STOPS(AT_OBJECT),
        .run_all = remove_output_folder,
    },
    {
        .name = "interference.cache-folder-removed",
        SCALE,
        STOPS(AT_OBJECT),
        .run_all = remove_cache_folder,
    },
    {
        .name = "interference.folder-in-the-way",
        SCALE,
        .reset = occupy_if_wanted,
        .run_all = occupy_output,
    },

    // ---- Files
    {
        .name = "interference.source-edited",
        SCALE,
        STOPS(AT_OBJECT),
        .edits = {{"/*constant*/ 3", "5"}},
        .run_all = edit_while_it_runs,
    },
    {
        .name = "interference.source-edited-before-main",
        SCALE,
        STOPS(AT_START),
        .edits = {{"/*constant*/ 3", "5"}},
        .run_all = edit_while_it_runs,
    },
    {
        // Its key has the content of the program.
        .name = "interference.autoscheduler-edited-before-main",
        .generator = "plugin_own",
        .pipeline = "auto",
        .common = "autoscheduler=Own",
        .prepare = hook_build_stopper,
        STOPS(AT_START),
        .edits = {{"/*width*/ 4", "8"}},
        .run_all = edit_while_it_runs,
    },
    {
        .name = "interference.halide-replaced-before-main",
        .generator = "source_plain",
        .pipeline = "scale",
        .prepare = prepare_halides,
        .before = {.environment = AT_START " LD_LIBRARY_PATH={case}/halide"},
        .after = {.environment = PRELOAD " LD_LIBRARY_PATH={case}/halide"},
        .run_all = replace_halide,
    },
    {
        .name = "interference.weights-changed",
        .generator = "plugin_plain",
        .pipeline = "auto",
        .kinds = "c_header,object,schedule",
        .common = "autoscheduler=Adams2019 autoscheduler.parallelism=8 "
                  "autoscheduler.beam_size=1 autoscheduler.weights_path=../weights "
                  "-p {halide}/lib64/libautoschedule_adams2019.so",
        .prepare = prepare_weights,
        STOPS(PRELOAD " STOP=head1_conv1_weight.data"),
        .run_all = change_weights,
    },
    {
        .name = "interference.table-changed-between-targets",
        .generator = "source_plain",
        .prepare = hook_build_stopper,
        .before = {.arguments = "-g table -o out -e object,assembly target="
                                "x86-64-linux-sse41-no_runtime,x86-64-linux-no_runtime",
                   .environment = PRELOAD " STOP=-sse41-no_runtime.o"},
        .after = {.environment = PRELOAD},
        .run_all = change_table,
    },

    // ---- What is stored
    {
        .name = "interference.entry-damaged",
        SCALE,
        STOPS(PRELOAD),
        .run_all = damage_entry,
    },
    {
        .name = "interference.entry-exchanged",
        SCALE,
        STOPS(PRELOAD),
        .run_all = exchange_entry,
    },
};

const struct case_list interference_cases = CASE_LIST(cases);
