// SPDX-License-Identifier: MIT
//
// The steps of a case:
//
//   1 "before" with a cold cache: has to be `warm`, a miss unless the case says otherwise
//   2 the same again: has to hit, and to give the same
//   3 the change
//   4 "after" with the cache (A) and without (B): A has to be `expected`, and equal to B
//   5 after a miss or a pipeline hit, "after" once more: has to hit, and to be equal to B
//   6 the change taken back: "before" has to hit, and to be what it was in step 1
//
// Each step is done in every mode before the next one, so that the edited generator,
// which takes most of a case's time, is compiled once.

#include "flow.h"

#include "failure.h"
#include "os.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

// ---- Modes --------------------------------------------------------------------------

static enum mode last_mode(const struct tools *tools)
{
    return tools->tracer[0] == '\0' ? PIPELINE_MODE : DIRECT_MODE;
}

static void in_every_mode(struct world *world, void (*step)(struct world *world))
{
    for (int mode = PIPELINE_MODE; mode <= (int)last_mode(world->tools); mode++) {
        world->mode = (enum mode)mode;
        step(world);
    }
}

// ---- Steps --------------------------------------------------------------------------

// What step 1 gave, in each mode.
static struct process_result first[MODES];

static const char *first_folder(const struct world *world)
{
    return world->mode == DIRECT_MODE ? "first-direct" : "first";
}

static enum outcome warm_outcome(const struct test_case *test)
{
    return test->warm == OUTCOME_UNSET ? MISS : test->warm;
}

// What pipeline mode has stored is there in direct mode.
static enum outcome with_one_cache(const struct world *world, enum outcome outcome)
{
    return world->mode == DIRECT_MODE && world->test->one_cache && outcome == MISS
               ? PIPELINE_HIT
               : outcome;
}

static void expect(struct world *world, const char *what, enum outcome outcome,
                   const char *detail)
{
    world_expect(world, what, outcome,
                 outcome == BYPASS ? world->test->reason : BYPASS_NONE, detail);
}

static const char *detail_of(const struct test_case *test, enum outcome outcome)
{
    return outcome == test->expected ? test->detail : NULL;
}

// The world keeps only the last result.
static void keep_first(const struct world *world)
{
    struct process_result *result = &first[world->mode];
    *result = (struct process_result){.code = world->cached.code,
                                      .signal = world->cached.signal};
    buffer_append(&result->out, world->cached.out.data, world->cached.out.size);
    buffer_append(&result->err, world->cached.err.data, world->cached.err.size);
    char *cached = world_path(world, world->cached_name);
    char *kept = world_path(world, first_folder(world));
    tree_copy(cached, kept);
    free(kept);
    free(cached);
}

static void must_hit_as_first(struct world *world, const char *what)
{
    world_run_cached(world, &world->test->before);
    world_compare(world, what, first_folder(world), &first[world->mode]);
    expect(world, what, HIT, NULL);
}

static void warm_up(struct world *world)
{
    const struct test_case *test = world->test;
    const enum outcome outcome = with_one_cache(world, warm_outcome(test));
    world_run_cached(world, &test->before);
    expect(world, "before", outcome, detail_of(test, outcome));
    keep_first(world);
    if (warm_outcome(test) == MISS) {
        must_hit_as_first(world, "before, again");
    }
}

static bool is_edited(const struct test_case *test)
{
    return test->edits[0].from != NULL || test->new_flags != NULL ||
           test->new_link_flags != NULL;
}

static void edit_generator(struct world *world)
{
    const struct test_case *test = world->test;
    char *name = mem_printf("generators/%s.cpp", test->generator);
    char *text = world_source(world, name);
    for (size_t i = 0; i < 4 && test->edits[i].from != NULL; i++) {
        char *edited = world_edit(text, &test->edits[i]);
        free(text);
        text = edited;
    }
    world_rename(world, "gen", "gen.before");
    world_compile(world, text, "gen",
                  test->new_flags != NULL ? test->new_flags : test->flags,
                  test->new_link_flags);
    free(text);
    free(name);
}

static void make_change(struct world *world)
{
    if (is_edited(world->test)) {
        edit_generator(world);
    }
    if (world->test->change != NULL) {
        world->test->change(world);
    }
}

// B is the same for every mode.
static void run_without_cache(struct world *world)
{
    const struct test_case *test = world->test;
    if (world->mode != PIPELINE_MODE) {
        return;
    }
    world_run_plain(world, &test->after);
    const bool failed = world->plain.code != 0 || world->plain.signal != 0;
    if (failed != test->fails) {
        fail("without the cache it ends with status %d, signal %d:\n%.*s",
             world->plain.code, world->plain.signal, (int)world->plain.err.size,
             (const char *)world->plain.err.data);
    }
}

static bool differ(const char *a, const char *b)
{
    return strcmp(a == NULL ? "" : a, b == NULL ? "" : b) != 0;
}

static bool is_other_command(const struct test_case *test)
{
    const struct state *after = &test->after;
    return (after->arguments != NULL &&
            differ(test->before.arguments, after->arguments)) ||
           differ(test->before.more, after->more);
}

static enum outcome expected_outcome(const struct world *world)
{
    const struct test_case *test = world->test;
    if (world->mode == PIPELINE_MODE) {
        return test->expected;
    }
    if (test->directly != OUTCOME_UNSET) {
        return test->directly;
    }
    // Other bytes of the program, or of the command: only the generator can tell that it
    // comes to the same.
    return test->expected == HIT && (is_edited(test) || is_other_command(test))
               ? PIPELINE_HIT
               : with_one_cache(world, test->expected);
}

static void judge(struct world *world)
{
    const struct test_case *test = world->test;
    const enum outcome expected = expected_outcome(world);
    world_run_cached(world, &test->after);
    run_without_cache(world);
    // First: a wrong result is worse than a wrong reason.
    if (!test->incomparable) {
        world_compare(world, "after", "plain", &world->plain);
    }
    expect(world, "after", expected, detail_of(test, expected));
    if (expected == MISS || expected == PIPELINE_HIT) {
        world_run_cached(world, &test->after);
        world_compare(world, "after, again", "plain", &world->plain);
        expect(world, "after, again", HIT, NULL);
    }
    if (test->check != NULL) {
        test->check(world);
    }
}

static void go_back(struct world *world)
{
    // Who finds a manifest needs no tracer.
    if (world->mode == DIRECT_MODE || !world->test->one_cache ||
        last_mode(world->tools) == PIPELINE_MODE) {
        must_hit_as_first(world, "before, at the end");
    }
}

// ---- The flow -----------------------------------------------------------------------

static void run_steps(struct world *world)
{
    const struct test_case *test = world->test;
    in_every_mode(world, warm_up);
    make_change(world);
    in_every_mode(world, judge);
    if (test->change == NULL && !test->one_way && warm_outcome(test) == MISS) {
        if (is_edited(test)) {
            world_rename(world, "gen.before", "gen");
        }
        in_every_mode(world, go_back);
    }
    for (size_t i = 0; i < MODES; i++) {
        process_result_release(&first[i]);
    }
}

// These make a change in the middle of a run, so each mode starts with a new folder.
static void run_all_in_mode(const struct tools *tools, const struct test_case *test,
                            const char *folder, enum mode mode)
{
    struct world world;
    world_init(&world, tools, test, folder);
    world.mode = mode;
    test->run_all(&world);
    world_release(&world);
}

void flow_run(const struct tools *tools, const struct test_case *test, const char *folder)
{
    if (test->run_all == NULL) {
        struct world world;
        world_init(&world, tools, test, folder);
        run_steps(&world);
        world_release(&world);
        return;
    }
    const enum mode last = test->own_modes ? PIPELINE_MODE : last_mode(tools);
    for (int mode = PIPELINE_MODE; mode <= (int)last; mode++) {
        run_all_in_mode(tools, test, folder, (enum mode)mode);
    }
}
