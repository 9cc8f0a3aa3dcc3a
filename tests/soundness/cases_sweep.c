// SPDX-License-Identifier: MIT
//
// Everything a pipeline can say, one thing at a time: generators/sweep_plain.cpp has some
// two hundred variants of one generator, which are picked by a variable that no key has.
// All run in one cache, one after the other, and each has to be what it is without the
// cache. Variants with the same key show when their outputs differ.

#include "failure.h"
#include "hooks.h"

#include <stdio.h>
#include <stdlib.h>

enum { NO_SUCH_VARIANT = 99 };

// In the cache that has it by now: this hits, and the next one has nothing to start.
static void run_directly(struct world *world, const char *what)
{
    if (world->tools->tracer[0] == '\0') {
        return;
    }
    for (int i = 0; i < 2; i++) {
        world->mode = DIRECT_MODE;
        world_run_cached(world, &world->test->before);
        world_compare(world, what, "plain", &world->plain);
    }
    world_expect(world, what, HIT, BYPASS_NONE, NULL);
}

static bool run_variant(struct world *world, size_t number)
{
    char *variable = mem_printf("VARIANT=%zu", number);
    char *what = mem_printf("variant %zu", number);
    world_set(world, variable);
    world_run_plain(world, &world->test->before);
    const bool exists = world->plain.code != NO_SUCH_VARIANT;
    if (exists) {
        world->mode = PIPELINE_MODE;
        world_run_cached(world, &world->test->before);
        world_compare(world, what, "plain", &world->plain);
        run_directly(world, what);
    }
    free(what);
    free(variable);
    return exists;
}

static void sweep(struct world *world)
{
    size_t count = 0;
    while (run_variant(world, count)) {
        count++;
    }
    if (count < 20) {
        fail("there are only %zu variants", count);
    }
    // Every one again, now that all the others are stored.
    for (size_t i = 0; i < count; i += 5) {
        (void)run_variant(world, i);
    }
    (void)printf("%zu variants\n", count);
}

#define SWEEP(what)                                                                      \
    .generator = "sweep_plain", .pipeline = "sweep", .common = "what=" what,             \
    .run_all = sweep, .own_modes = true

static const struct test_case cases[] = {
    {
        .name = "sweep.schedules",
        SWEEP("schedules"),
    },
    {
        .name = "sweep.algorithms",
        SWEEP("algorithms"),
    },
    {
        .name = "sweep.inputs",
        SWEEP("inputs"),
    },
    {
        // What only some outputs show.
        .name = "sweep.inputs-in-other-kinds",
        SWEEP("inputs"),
        .kinds = "assembly,bitcode,c_source,llvm_assembly,python_extension,"
                 "pytorch_wrapper,registration,static_library",
    },
};

const struct case_list sweep_cases = CASE_LIST(cases);
