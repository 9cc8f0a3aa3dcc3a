// SPDX-License-Identifier: MIT
//
// The machine: which libHalide, which CPU, which other libraries.

#include "hooks.h"

#include <stdlib.h>

#define SCALE .generator = "source_plain", .pipeline = "scale"
#define WITH_COPY SCALE, .prepare = copy_halide
#define COPY_IN_PATH                                                                     \
    .before = {.environment = "LD_LIBRARY_PATH={case}/halide"},                          \
    .after = {.environment = "LD_LIBRARY_PATH={case}/halide"}
#define HELPED                                                                           \
    .generator = "machine_helper_", .pipeline = "helped", .prepare = build_helper,       \
    .flags = "-L{case} -lhelper -Wl,-rpath,{case}"
#define PRELOADED SCALE, .prepare = build_preloaded
#define PRELOAD "LD_PRELOAD={case}/preloaded.so"

// ---- A libHalide of one's own -------------------------------------------------------

// One that changes is written anew, as by an upgrade: the bytes of a library in use never
// change.
static void copy_halide(struct world *world)
{
    hook_copy_halide(world, "halide");
}

static void change_build_id(struct world *world)
{
    hook_copy_halide(world, "halide");
    hook_patch_build_id(world, "halide/libHalide.so", 0);
}

static void hide_build_id(struct world *world)
{
    hook_copy_halide(world, "halide");
    hook_patch_build_id(world, "halide/libHalide.so", -4);
}

static void change_without_build_id(struct world *world)
{
    hide_build_id(world);
    world_append(world, "halide/libHalide.so", "changed");
}

static void prepare_two(struct world *world)
{
    hook_copy_halide(world, "other");
    change_build_id(world);
}

// ---- Other libraries ----------------------------------------------------------------

static void build(struct world *world, const char *source, const char *library,
                  const struct edit *edit)
{
    char *name = mem_printf("libraries/%s", source);
    char *text = world_source(world, name);
    if (edit != NULL) {
        char *edited = world_edit(text, edit);
        free(text);
        text = edited;
    }
    world_compile_library(world, text, library);
    free(text);
    free(name);
}

static void build_helper(struct world *world)
{
    build(world, "helper.cpp", "libhelper.so", NULL);
}

static void edit_helper(struct world *world, const char *from, const char *to)
{
    const struct edit edit = {from, to};
    build(world, "helper.cpp", "libhelper.so", &edit);
}

static void change_helper_number(struct world *world)
{
    edit_helper(world, "/*number*/ 3", "4");
}

static void change_helper_otherwise(struct world *world)
{
    edit_helper(world, "/*namespace scope*/", "extern \"C\" int unused() { return 1; }");
}

static void give_helper_an_exp(struct world *world)
{
    edit_helper(world, "/*namespace scope*/",
                "extern \"C\" double exp(double x) { return x + 1; }"
                "extern \"C\" float expf(float x) { return x + 1; }");
}

static void prepare_exp(struct world *world)
{
    edit_helper(world, "/*namespace scope*/",
                "extern \"C\" double exp(double x) { return x + 2; }"
                "extern \"C\" float expf(float x) { return x + 2; }");
}

// The replacement is in one library, and what it computes with in another one, which only
// the program names.
static void build_inner(struct world *world, const char *body)
{
    char *text = mem_printf("extern \"C\" double inner() { %s }\n", body);
    world_compile_library(world, text, "libinner.so");
    free(text);
}

static void prepare_inner(struct world *world)
{
    build_inner(world, "return 1;");
    edit_helper(world, "/*namespace scope*/",
                "extern \"C\" double inner();"
                "extern \"C\" double exp(double x) { return x + inner(); }"
                "extern \"C\" float expf(float x) { return x + (float)inner(); }");
}

static void change_inner(struct world *world)
{
    build_inner(world, "return 2;");
}

// It is not linked with Halide: the program brings it.
static void give_helper_a_trace(struct world *world)
{
    edit_helper(world, "/*namespace scope*/",
                "namespace Halide { struct Pipeline { void trace_pipeline(); }; }"
                "void trace(Halide::Pipeline &pipeline) { pipeline.trace_pipeline(); }");
}

static void give_helper_a_destructor(struct world *world)
{
    edit_helper(world, "/*namespace scope*/",
                "__attribute__((destructor)) void end() { fopen(\"own.txt\", \"w\"); }");
}

static void build_preloaded(struct world *world)
{
    build(world, "preloaded.cpp", "preloaded.so", NULL);
}

static void change_preloaded(struct world *world)
{
    const struct edit edit = {"/*number*/ 3", "4"};
    build(world, "preloaded.cpp", "preloaded.so", &edit);
}

static void preload_a_main(struct world *world)
{
    const struct edit edit = {
        "/*namespace scope*/",
        "namespace Halide::Internal {"
        "    int generate_filter_main(int, char **) { return getenv(\"X\") != nullptr; }"
        "}"};
    build(world, "preloaded.cpp", "preloaded.so", &edit);
}

static void build_host(struct world *world)
{
    char *text = world_source(world, "libraries/host.cpp");
    world_compile_plugin(world, text, "host.so");
    free(text);
}

static void move_generator(struct world *world)
{
    world_rename(world, "gen", "another");
    world->program = "../another";
}

static void find_generator_by_path(struct world *world)
{
    world->program = "gen";
    char *path = mem_printf("PATH=%s:%s", world->folder, getenv("PATH"));
    world_set(world, path);
    free(path);
}

// ---- Cases --------------------------------------------------------------------------

static const struct test_case cases[] = {
    // ---- libHalide
    {
        .name = "machine.other-halide-at-the-same-path",
        WITH_COPY,
        COPY_IN_PATH,
        .change = change_build_id,
        .expected = MISS,
    },
    {
        .name = "machine.same-halide-anew",
        WITH_COPY,
        COPY_IN_PATH,
        .change = copy_halide,
        .expected = HIT,
    },
    {
        .name = "machine.other-halide-without-build-id",
        SCALE,
        .prepare = hide_build_id,
        COPY_IN_PATH,
        .change = change_without_build_id,
        .expected = MISS,
    },
    {
        .name = "machine.same-halide-without-build-id",
        SCALE,
        .prepare = hide_build_id,
        COPY_IN_PATH,
        .change = hide_build_id,
        .expected = HIT,
    },
    {
        .name = "machine.other-halide-by-library-path",
        SCALE,
        .prepare = prepare_two,
        .after = {.environment = "LD_LIBRARY_PATH={case}/halide"},
        .expected = MISS,
    },
    {
        .name = "machine.same-halide-by-library-path",
        SCALE,
        .prepare = prepare_two,
        .after = {.environment = "LD_LIBRARY_PATH={case}/other"},
        .expected = HIT,
        .directly = PIPELINE_HIT,
    },

    // ---- The CPU
    {
        .name = "machine.host",
        SCALE,
        .prepare = build_host,
        .before = {.environment = "LD_PRELOAD={case}/host.so TEST_CPU=s"},
        .after = {.environment = "LD_PRELOAD={case}/host.so TEST_CPU=sa"},
        .expected = MISS,
    },
    {
        .name = "machine.host-of-a-runtime",
        SCALE,
        .prepare = build_host,
        .before = {.arguments = "-r one -o out -e object target=host",
                   .environment = "LD_PRELOAD={case}/host.so TEST_CPU=s"},
        .after = {.environment = "LD_PRELOAD={case}/host.so TEST_CPU=sa"},
        .expected = MISS,
        .one_cache = true,
    },
    {
        .name = "machine.same-host",
        SCALE,
        .prepare = build_host,
        .before = {.environment = "LD_PRELOAD={case}/host.so TEST_CPU=as"},
        .after = {.environment = "LD_PRELOAD={case}/host.so TEST_CPU=sa"},
        .expected = HIT,
        .directly = PIPELINE_HIT,
    },

    // ---- Preloaded libraries
    {
        .name = "machine.preloaded",
        PRELOADED,
        .after = {.environment = PRELOAD},
        .expected = MISS,
    },
    {
        .name = "machine.other-preloaded",
        PRELOADED,
        .before = {.environment = PRELOAD},
        .after = {.environment = PRELOAD},
        .change = change_preloaded,
        .expected = MISS,
    },
    {
        .name = "machine.same-preloaded",
        PRELOADED,
        .before = {.environment = PRELOAD},
        .after = {.environment = PRELOAD},
        .change = build_preloaded,
        .expected = HIT,
    },
    {
        .name = "machine.preloaded-main",
        PRELOADED,
        .after = {.environment = PRELOAD},
        .change = preload_a_main,
        .expected = BYPASS,
        .reason = BYPASS_NO_PROBE,
    },

    // ---- Libraries of the generator
    {
        .name = "machine.helper-library",
        HELPED,
        .change = change_helper_number,
        .expected = MISS,
    },
    {
        .name = "machine.helper-library-means-the-same",
        HELPED,
        .change = change_helper_otherwise,
        .expected = HIT,
        .directly = PIPELINE_HIT,
    },
    {
        // Symbols of the program come before those of the C library, for libHalide too.
        .name = "machine.helper-library-replaces-exp",
        HELPED,
        .change = give_helper_an_exp,
        .expected = MISS,
    },
    {
        .name = "machine.helper-library-replaces-exp-otherwise",
        .generator = "machine_helper_",
        .pipeline = "helped",
        .prepare = prepare_exp,
        .flags = "-L{case} -lhelper -Wl,-rpath,{case}",
        .change = give_helper_an_exp,
        .expected = MISS,
    },
    {
        .name = "machine.helper-library-replaces-exp-with-another",
        .generator = "machine_helper_",
        .pipeline = "helped",
        .prepare = prepare_inner,
        .flags = "-L{case} -Wl,--no-as-needed -lhelper -linner -Wl,-rpath,{case}",
        .change = change_inner,
        .expected = MISS,
    },
    {
        .name = "machine.helper-library-traces",
        HELPED,
        .change = give_helper_a_trace,
        .expected = BYPASS,
        .reason = BYPASS_CUSTOM_LOWERING,
    },
    {
        .name = "machine.helper-library-writes-at-exit",
        HELPED,
        .change = give_helper_a_destructor,
        .expected = BYPASS,
        .reason = BYPASS_SIDE_EFFECTS,
    },

    // ---- Where the generator is
    {
        .name = "machine.generator-moved",
        SCALE,
        .change = move_generator,
        .expected = HIT,
        .directly = PIPELINE_HIT,
    },
    {
        .name = "machine.generator-by-path",
        SCALE,
        .change = find_generator_by_path,
        .expected = HIT,
        .directly = PIPELINE_HIT,
    },
};

const struct case_list machine_cases = CASE_LIST(cases);
