// SPDX-License-Identifier: MIT
//
// Plugins: autoschedulers, which run when the pipeline is built and the key is made. What
// they do is determined by the pipeline, the target, their params, their own code and the
// files that params and variables name.

#include "hooks.h"

#include <stdlib.h>

#define AUTO                                                                             \
    .generator = "plugin_plain", .pipeline = "auto", .kinds = "c_header,object,schedule"
#define MULLAPUDI "autoscheduler=Mullapudi2016 -p "
#define MULLAPUDI_OF_HALIDE MULLAPUDI "{halide}/lib64/libautoschedule_mullapudi2016.so"
// Small enough for a test.
#define ADAMS                                                                            \
    "autoscheduler=Adams2019 autoscheduler.parallelism=8 autoscheduler.beam_size=1 "     \
    "-p {halide}/lib64/libautoschedule_adams2019.so"
#define OWN .generator = "plugin_own", .pipeline = "auto"
#define OWN_PLUGIN AUTO, .common = "autoscheduler=Own -p ../own.so"
#define BYPASSED(why) .warm = BYPASS, .expected = BYPASS, .reason = why

// ---- Hooks --------------------------------------------------------------------------

static void copy_plugin(const struct world *world, const char *plugin, const char *name)
{
    char *from =
        mem_printf("%s/lib64/libautoschedule_%s.so", world->tools->halide, plugin);
    world_copy(world, from, name);
    free(from);
}

static void copy_mullapudi(struct world *world)
{
    copy_plugin(world, "mullapudi2016", "plugin.so");
}

static void change_mullapudi(struct world *world)
{
    copy_mullapudi(world);
    world_append(world, "plugin.so", "changed");
}

static void replace_mullapudi(struct world *world)
{
    copy_plugin(world, "li2018", "plugin.so");
}

// Folders with a plugin that LD_LIBRARY_PATH finds.
static void copy_three_mullapudis(struct world *world)
{
    hook_make_folder(world, "one");
    hook_make_folder(world, "same");
    hook_make_folder(world, "other");
    copy_plugin(world, "mullapudi2016", "one/libscheduler.so");
    copy_plugin(world, "mullapudi2016", "same/libscheduler.so");
    copy_plugin(world, "mullapudi2016", "other/libscheduler.so");
    world_append(world, "other/libscheduler.so", "changed");
}

static void build_edited_scheduler(struct world *world, const struct edit *edit)
{
    char *text = world_source(world, "libraries/scheduler.cpp");
    if (edit != NULL) {
        char *edited = world_edit(text, edit);
        free(text);
        text = edited;
    }
    world_compile_plugin(world, text, "own.so");
    free(text);
}

static void build_scheduler(struct world *world)
{
    build_edited_scheduler(world, NULL);
}

static void edit_scheduler(struct world *world)
{
    static const struct edit edit = {"/*schedule*/", "width = 8;"};
    build_edited_scheduler(world, &edit);
}

static void build_scheduler_with_variable(struct world *world)
{
    static const struct edit edit = {
        "/*schedule*/",
        "if (getenv(\"WIDTH\") != nullptr) { width = atoi(getenv(\"WIDTH\")); }"};
    build_edited_scheduler(world, &edit);
}

static void build_scheduler_with_file(struct world *world)
{
    static const struct edit edit = {
        "/*schedule*/", "std::ifstream file(\"../width.txt\"); file >> width;"};
    build_edited_scheduler(world, &edit);
}

static void build_scheduler_that_writes(struct world *world)
{
    static const struct edit edit = {"/*namespace scope*/",
                                     "std::ofstream file(\"own.txt\");"};
    build_edited_scheduler(world, &edit);
}

static void write_weights(struct world *world)
{
    hook_write_weights(world, '=');
}

static void change_weights(struct world *world)
{
    hook_write_weights(world, '>');
}

// ---- Cases --------------------------------------------------------------------------

static const struct test_case cases[] = {
    // ---- Halide's autoschedulers
    {
        .name = "plugin.autoscheduler",
        AUTO,
        .after = {.more = MULLAPUDI_OF_HALIDE},
        .expected = MISS,
    },
    {
        .name = "plugin.loaded-and-not-used",
        AUTO,
        .after = {.more = "-p {halide}/lib64/libautoschedule_mullapudi2016.so"},
        .expected = MISS,
    },
    {
        .name = "plugin.other-autoscheduler",
        AUTO,
        .before = {.more = MULLAPUDI_OF_HALIDE},
        .after = {.more = ADAMS},
        .expected = MISS,
    },
    {
        .name = "plugin.param",
        AUTO,
        .common = MULLAPUDI_OF_HALIDE,
        .before = {.more = "autoscheduler.parallelism=16"},
        .after = {.more = "autoscheduler.parallelism=8"},
        .expected = MISS,
    },
    {
        .name = "plugin.params-in-other-order",
        AUTO,
        .common = MULLAPUDI_OF_HALIDE,
        .before = {.more = "autoscheduler.parallelism=8 "
                           "autoscheduler.last_level_cache_size=1000000"},
        .after = {.more = "autoscheduler.last_level_cache_size=1000000 "
                          "autoscheduler.parallelism=8"},
        .expected = HIT,
    },
    {
        .name = "plugin.estimate",
        AUTO,
        .common = MULLAPUDI_OF_HALIDE,
        .edits = {{"/*estimate*/ 1024", "16"}},
        .expected = MISS,
    },

    // ---- The file of a plugin
    {
        .name = "plugin.changed-at-the-same-path",
        AUTO,
        .prepare = copy_mullapudi,
        .common = MULLAPUDI "../plugin.so",
        .change = change_mullapudi,
        .expected = MISS,
    },
    {
        // The new one does not know the autoscheduler that is asked for.
        .name = "plugin.replaced-at-the-same-path",
        AUTO,
        .prepare = copy_mullapudi,
        .common = MULLAPUDI "../plugin.so",
        .change = replace_mullapudi,
        .expected = NOT_STORED,
        .fails = true,
    },
    {
        .name = "plugin.same-anew",
        AUTO,
        .prepare = copy_mullapudi,
        .common = MULLAPUDI "../plugin.so",
        .change = copy_mullapudi,
        .expected = HIT,
    },
    {
        .name = "plugin.other-by-bare-name",
        AUTO,
        .prepare = copy_three_mullapudis,
        .common = MULLAPUDI "scheduler",
        .before = {.environment = "LD_LIBRARY_PATH={case}/one"},
        .after = {.environment = "LD_LIBRARY_PATH={case}/other"},
        .expected = MISS,
    },
    {
        .name = "plugin.same-by-bare-name",
        AUTO,
        .prepare = copy_three_mullapudis,
        .common = MULLAPUDI "scheduler",
        .before = {.environment = "LD_LIBRARY_PATH={case}/one"},
        .after = {.environment = "LD_LIBRARY_PATH={case}/same"},
        .expected = HIT,
        .directly = PIPELINE_HIT,
    },
    {
        .name = "plugin.missing",
        AUTO,
        .after = {.more = "-p ../nothing.so"},
        .expected = BYPASS,
        .reason = BYPASS_BUILD_FAILED,
        .fails = true,
    },

    // ---- The files of a plugin
    {
        .name = "plugin.weights-file",
        AUTO,
        .prepare = write_weights,
        .common = ADAMS " autoscheduler.weights_path=../all.weights",
        .change = change_weights,
        .expected = MISS,
    },
    {
        .name = "plugin.weights-file-anew",
        AUTO,
        .prepare = write_weights,
        .common = ADAMS " autoscheduler.weights_path=../all.weights",
        .change = write_weights,
        .expected = HIT,
    },
    {
        .name = "plugin.weights-folder",
        AUTO,
        .prepare = write_weights,
        .common = ADAMS " autoscheduler.weights_path=../weights",
        .change = change_weights,
        .expected = MISS,
    },
    {
        // Without weights it draws some.
        .name = "plugin.weights-missing",
        AUTO,
        .common = ADAMS " autoscheduler.weights_path=../nothing.weights",
        BYPASSED(BYPASS_UNKNOWN_IDENTITY),
        .incomparable = true,
    },

    {
        // Even where there are some.
        .name = "plugin.weights-drawn-at-random",
        AUTO,
        .prepare = write_weights,
        .common = ADAMS " autoscheduler.weights_path=../all.weights",
        .after = {.environment = "HL_RANDOMIZE_WEIGHTS=1"},
        .expected = BYPASS,
        .reason = BYPASS_NONDETERMINISTIC,
        .incomparable = true,
    },

    // ---- Autoschedulers of one's own
    {
        .name = "plugin.own-autoscheduler",
        OWN,
        .common = "autoscheduler=Own",
        .edits = {{"/*width*/ 4", "8"}},
        .expected = MISS,
    },
    {
        // No telling what of the program belongs to it.
        .name = "plugin.own-autoscheduler-other-code",
        OWN,
        .common = "autoscheduler=Own",
        .edits = {{"// A remark.", "(void)0;"}},
        .expected = MISS,
    },
    {
        .name = "plugin.own-autoscheduler-unused",
        OWN,
        .edits = {{"/*width*/ 4", "8"}},
        .expected = HIT,
    },
    {
        .name = "plugin.own-plugin",
        OWN_PLUGIN,
        .prepare = build_scheduler,
        .change = edit_scheduler,
        .expected = MISS,
    },
    {
        .name = "plugin.own-plugin-reads-a-variable",
        OWN_PLUGIN,
        .prepare = build_scheduler_with_variable,
        .after = {.environment = "WIDTH=8"},
        BYPASSED(BYPASS_AUTOSCHEDULER),
    },
    {
        .name = "plugin.own-plugin-reads-a-file",
        OWN_PLUGIN,
        .prepare = build_scheduler_with_file,
        .before = {.files = {{"width.txt", "8"}}},
        .after = {.files = {{"width.txt", "16"}}},
        BYPASSED(BYPASS_AUTOSCHEDULER),
    },
    {
        .name = "plugin.own-plugin-writes-a-file",
        OWN_PLUGIN,
        .prepare = build_scheduler_that_writes,
        BYPASSED(BYPASS_SIDE_EFFECTS),
    },
};

const struct case_list plugin_cases = CASE_LIST(cases);
