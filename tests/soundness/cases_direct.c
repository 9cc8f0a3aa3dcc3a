// SPDX-License-Identifier: MIT
//
// What decides about a direct hit: everything that the generator has looked at.
// generators/direct_plain.cpp has generators that look at things; cases_behaviour.c has
// more, which run in direct mode too.

#define _GNU_SOURCE

#include "failure.h"
#include "hooks.h"
#include "os.h"
#include "places.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOKS_AT(name) .generator = "direct_plain", .pipeline = name

// ---- Files --------------------------------------------------------------------------

static int64_t mtime_of(const struct world *world, const char *name)
{
    struct file_status status;
    char *path = world_path(world, name);
    hook_must(os_stat(path, &status), path);
    free(path);
    return status.mtime_ns;
}

// In the very file, as an editor may do it, and with the old time.
static void overwrite_secretly(struct world *world)
{
    const int64_t mtime_ns = mtime_of(world, PLACE_NUMBER);
    char *path = world_path(world, PLACE_NUMBER);
    const int file = open(path, O_WRONLY);
    hook_must(file >= 0 && pwrite(file, "4", 1, 0) == 1 && close(file) == 0, path);
    free(path);
    hook_set_mtime(world, PLACE_NUMBER, mtime_ns);
}

static void replace_secretly(struct world *world)
{
    const int64_t mtime_ns = mtime_of(world, PLACE_NUMBER);
    world_write(world, "new", "4");
    hook_set_mtime(world, "new", mtime_ns);
    world_rename(world, "new", PLACE_NUMBER);
}

static void lengthen_number(struct world *world)
{
    world_write(world, PLACE_NUMBER, "3 ");
}

static void touch_number(struct world *world)
{
    world_write(world, PLACE_NUMBER, "3");
}

static void make_number_executable(struct world *world)
{
    place_number(world);
    hook_set_mode(world, PLACE_NUMBER, 0755);
}

static void make_number_data(struct world *world)
{
    hook_set_mode(world, PLACE_NUMBER, 0644);
}

// ---- Files that the kernel makes up as they are read --------------------------------

#define COUNTER "/sys/class/net/lo/statistics/tx_packets"

static char *read_counter(void)
{
    struct buffer text = {0};
    if (!os_read_file(COUNTER, &text, NULL, NULL)) {
        return NULL;
    }
    buffer_append_u8(&text, 0);
    return (char *)text.data;
}

static void count_up(void)
{
    const struct sockaddr_in nobody = {.sin_family = AF_INET,
                                       .sin_port = htons(9),
                                       .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int out = socket(AF_INET, SOCK_DGRAM, 0);
    (void)sendto(out, "", 1, 0, (const struct sockaddr *)&nobody, sizeof nobody);
    (void)close(out);
}

// Both runs, until nobody else has counted meanwhile.
static bool run_undisturbed(struct world *world)
{
    for (int i = 0; i < 50; i++) {
        char *before = read_counter();
        world_run_cached(world, &world->test->before);
        world_run_plain(world, &world->test->before);
        char *after = read_counter();
        const bool same = strcmp(before, after) == 0;
        free(after);
        free(before);
        if (same) {
            return true;
        }
    }
    return false;
}

// Its status stays.
static void read_counters(struct world *world)
{
    char *counter = read_counter();
    if (counter == NULL) {
        (void)puts("there is no " COUNTER);
        return;
    }
    free(counter);
    hook_make_folder(world, "folder");
    hook_make_link(world, COUNTER, PLACE_NUMBER);
    os_sleep_ms(PLACE_SETTLED_MS);
    for (int i = 0; i < 3; i++) {
        count_up();
        if (!run_undisturbed(world)) {
            (void)puts("the counter does not keep still");
            return;
        }
        world_compare(world, "another count", "plain", &world->plain);
    }
}

// ---- Search paths -------------------------------------------------------------------

static void make_only_late(struct world *world)
{
    hook_make_folder(world, "late");
    world_write(world, "late/number.txt", "3");
}

static void build_library(struct world *world, const char *folder, const char *number)
{
    const struct edit edit = {"/*number*/ 3", number};
    char *text = world_source(world, "libraries/helper.cpp");
    char *edited = world_edit(text, &edit);
    char *name = mem_printf("%s/libhelper.so", folder);
    hook_make_folder(world, folder);
    world_compile_library(world, edited, name);
    free(name);
    free(edited);
    free(text);
}

static void build_late_library(struct world *world)
{
    build_library(world, "late", "3");
}

static void build_early_library(struct world *world)
{
    build_library(world, "early", "4");
}

static void make_linked_number(struct world *world)
{
    hook_make_folder(world, "folder");
    world_write(world, "one", "3");
    world_write(world, "two", "4");
    hook_make_link(world, "../one", PLACE_NUMBER);
}

static void retarget_number(struct world *world)
{
    hook_make_link(world, "../two", PLACE_NUMBER);
}

// ---- Folders ------------------------------------------------------------------------

static bool append_name(void *context, const char *name)
{
    buffer_append_string(context, name);
    return true;
}

static char *names_in_order(const char *folder)
{
    struct error error = {{0}};
    struct buffer names = {0};
    if (!os_list_directory(folder, append_name, &names, &error)) {
        fail("%s", error.text);
    }
    buffer_append_u8(&names, 0);
    return (char *)names.data;
}

static void make_names_in(struct world *world, const char *folder, bool backwards)
{
    struct error error = {{0}};
    if (!os_remove_tree(folder, &error) || !os_make_directories(folder, &error)) {
        fail("%s", error.text);
    }
    for (int i = 0; i < PLACE_NAMES; i++) {
        place_name(world, backwards ? PLACE_NAMES - 1 - i : i);
    }
}

// The same names: where a file system sorts them, it has to hit.
static void list_in_other_order(struct world *world)
{
    char memory[] = "/dev/shm/soundness-XXXXXX";
    char *folder =
        mkdtemp(memory) != NULL ? mem_strdup(memory) : world_path(world, "names");
    hook_make_link(world, folder, "folder");
    make_names_in(world, folder, false);
    char *before = names_in_order(folder);
    world_run_cached(world, &world->test->before);
    world_expect(world, "in one order", MISS, BYPASS_NONE, NULL);
    make_names_in(world, folder, true);
    char *after = names_in_order(folder);
    world_run_cached(world, &world->test->before);
    world_run_plain(world, &world->test->before);
    (void)os_remove_tree(folder, NULL);
    world_compare(world, "in another order", "plain", &world->plain);
    world_expect(world, "in another order", strcmp(before, after) == 0 ? HIT : MISS,
                 BYPASS_NONE, NULL);
    free(after);
    free(before);
    free(folder);
}

static void make_name_a_folder(struct world *world)
{
    world_write(world, "folder/a0", NULL);
    hook_make_folder(world, "folder/a0");
}

static void make_old_folder(struct world *world)
{
    place_number(world);
    hook_set_mtime(world, "folder", INT64_C(1000000000000000000));
}

static void make_folder_older(struct world *world)
{
    hook_set_mtime(world, "folder", INT64_C(1000000009000000000));
}

// ---- Cases --------------------------------------------------------------------------

static const struct test_case cases[] = {
    // ---- Files
    {
        .name = "direct.file",
        LOOKS_AT("file"),
        .prepare = place_number,
        .change = place_other_number,
        .expected = MISS,
    },
    {
        .name = "direct.file-anew",
        LOOKS_AT("file"),
        .prepare = place_number,
        .change = touch_number,
        .expected = HIT,
    },
    {
        .name = "direct.file-means-the-same",
        LOOKS_AT("file"),
        .prepare = place_number,
        .change = lengthen_number,
        .expected = HIT,
        .directly = PIPELINE_HIT,
    },
    {
        .name = "direct.file-with-its-old-time",
        LOOKS_AT("file"),
        .prepare = place_settled_number,
        .change = overwrite_secretly,
        .expected = MISS,
    },
    {
        .name = "direct.file-replaced-by-one-as-old",
        LOOKS_AT("file"),
        .prepare = place_settled_number,
        .change = replace_secretly,
        .expected = MISS,
    },
    {
        .name = "direct.file-size",
        LOOKS_AT("size"),
        .prepare = place_number,
        .change = lengthen_number,
        .expected = MISS,
    },
    {
        .name = "direct.file-access",
        LOOKS_AT("access"),
        .prepare = make_number_executable,
        .change = make_number_data,
        .expected = MISS,
        .after = {.no_manifest = "it could not open"},
    },

    {
        .name = "direct.file-of-the-kernel",
        LOOKS_AT("file"),
        .run_all = read_counters,
    },

    // ---- Search paths
    {
        .name = "direct.file-appears-earlier",
        LOOKS_AT("search"),
        .prepare = place_late,
        .change = place_early,
        .expected = MISS,
    },
    {
        .name = "direct.folder-appears-earlier",
        LOOKS_AT("search"),
        .prepare = make_only_late,
        .change = place_early,
        .expected = MISS,
    },
    {
        .name = "direct.library-appears-earlier",
        .generator = "machine_helper_",
        .pipeline = "helped",
        .prepare = build_late_library,
        .flags = "-L{case}/late -lhelper -Wl,-rpath,{case}/early:{case}/late",
        .change = build_early_library,
        .expected = MISS,
    },
    {
        .name = "direct.library-appears-in-library-path",
        .generator = "machine_helper_",
        .pipeline = "helped",
        .prepare = build_late_library,
        .flags = "-L{case}/late -lhelper",
        .before = {.environment = "LD_LIBRARY_PATH={case}/early:{case}/late"},
        .after = {.environment = "LD_LIBRARY_PATH={case}/early:{case}/late"},
        .change = build_early_library,
        .expected = MISS,
    },

    // ---- Links
    {
        .name = "direct.file-behind-a-link",
        LOOKS_AT("file"),
        .prepare = make_linked_number,
        .change = retarget_number,
        .expected = MISS,
    },
    {
        .name = "direct.folder-behind-links",
        LOOKS_AT("file"),
        .prepare = place_two_folders,
        .change = place_retarget,
        .expected = MISS,
    },
    {
        .name = "direct.folders-exchanged",
        LOOKS_AT("file"),
        .prepare = place_two_folders,
        .change = place_exchange,
        .expected = MISS,
    },
    {
        .name = "direct.link",
        LOOKS_AT("link"),
        .prepare = place_two_folders,
        .change = place_retarget,
        .expected = MISS,
    },
    {
        .name = "direct.resolved-path",
        LOOKS_AT("resolved"),
        .prepare = place_two_folders,
        .change = place_retarget,
        .expected = MISS,
    },

    // ---- Folders
    {
        .name = "direct.listing",
        LOOKS_AT("listing"),
        .prepare = place_names,
        .change = place_another_name,
        .expected = MISS,
    },
    {
        .name = "direct.listing-in-other-order",
        LOOKS_AT("listing"),
        .run_all = list_in_other_order,
    },
    {
        .name = "direct.listing-of-other-kinds",
        LOOKS_AT("kinds"),
        .prepare = place_names,
        .change = make_name_a_folder,
        .expected = MISS,
    },
    {
        .name = "direct.folder-time",
        LOOKS_AT("folder_time"),
        .prepare = make_old_folder,
        .change = make_folder_older,
        .expected = MISS,
    },
    {
        .name = "direct.folder-time-by-library",
        LOOKS_AT("folder_time_otherwise"),
        .prepare = make_old_folder,
        .change = make_folder_older,
        .expected = MISS,
    },
    {
        .name = "direct.folder-is-there",
        LOOKS_AT("folder_is_there"),
        .prepare = place_number,
        .expected = HIT,
    },

    // ---- Variables
    {
        .name = "direct.variable-set",
        LOOKS_AT("variable"),
        .after = {.environment = "NUMBER=3"},
        .expected = MISS,
    },
    {
        .name = "direct.variable-set-to-nothing",
        LOOKS_AT("variable"),
        .after = {.environment = "NUMBER="},
        .expected = MISS,
    },
    {
        .name = "direct.variable-emptied",
        LOOKS_AT("variable"),
        .before = {.environment = "NUMBER=3"},
        .after = {.environment = "NUMBER="},
        .expected = MISS,
    },
    {
        .name = "direct.other-variable",
        LOOKS_AT("variable"),
        .before = {.environment = "NUMBER=3"},
        .after = {.environment = "NUMBER=3 OTHER=4 NUMBER_=5"},
        .expected = HIT,
    },
    {
        .name = "direct.whole-environment",
        LOOKS_AT("environment"),
        .flags = "-DENVIRONMENT",
        .before = {.environment = "NUMBER=3"},
        .after = {.environment = "NUMBER=4"},
        .expected = MISS,
        .no_manifest = "it can read all of the environment",
    },

    // ---- What cannot be replayed
    {
        .name = "direct.clock",
        LOOKS_AT("clock"),
        .expected = HIT,
        .no_manifest = "reads a clock",
    },
    {
        .name = "direct.random",
        LOOKS_AT("random"),
        .expected = HIT,
        .no_manifest = "reads random numbers",
    },
    {
        .name = "direct.pid",
        LOOKS_AT("pid"),
        .expected = HIT,
        .no_manifest = "asks about the process",
    },
    {
        .name = "direct.machine",
        LOOKS_AT("machine"),
        .expected = HIT,
        .no_manifest = "asks about the machine",
    },
    {
        .name = "direct.terminal",
        LOOKS_AT("terminal"),
        .expected = HIT,
        .no_manifest = "asks about the process",
    },
    {
        .name = "direct.input-by-position",
        LOOKS_AT("input_at"),
        .before = {.input = "3"},
        .after = {.input = "4"},
        .expected = MISS,
        .no_manifest = "reads standard input",
    },
    {
        .name = "direct.process-before-main",
        LOOKS_AT("clock"),
        .before = {.environment = "START=process"},
        .after = {.environment = "START=process"},
        .expected = HIT,
        .no_manifest = "starts a process",
    },
    {
        .name = "direct.socket-before-main",
        LOOKS_AT("clock"),
        .before = {.environment = "START=socket"},
        .after = {.environment = "START=socket"},
        .expected = HIT,
        .no_manifest = "uses the network",
    },
};

const struct case_list direct_cases = CASE_LIST(cases);
