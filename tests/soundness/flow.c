// SPDX-License-Identifier: MIT
//
// The steps of a case:
//
//   1 "before" with a cold cache: has to be `warm`, a miss unless the case says otherwise
//   2 the same again: has to hit, and to give the same
//   3 the change
//   4 "after" with the cache (A) and without (B): A has to be `expected`, and equal to B
//   5 after a miss, "after" once more: has to hit, and to be equal to B
//   6 the change taken back: "before" has to hit, and to be what it was in step 1

#include "flow.h"

#include "failure.h"
#include "os.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

static enum outcome warm_outcome(const struct test_case *test)
{
    return test->warm == OUTCOME_UNSET ? MISS : test->warm;
}

static void expect(struct world *world, const char *what, enum outcome outcome)
{
    const struct test_case *test = world->test;
    const bool named = outcome == test->expected;
    world_expect(world, what, outcome, outcome == BYPASS ? test->reason : BYPASS_NONE,
                 named ? test->detail : NULL);
}

static void warm_up(struct world *world, struct process_result *first)
{
    const struct test_case *test = world->test;
    world_run_cached(world, &test->before);
    expect(world, "before", warm_outcome(test));
    // Its own copies: the world keeps only the last result.
    *first = (struct process_result){.code = world->cached.code,
                                     .signal = world->cached.signal};
    buffer_append(&first->out, world->cached.out.data, world->cached.out.size);
    buffer_append(&first->err, world->cached.err.data, world->cached.err.size);
    char *cached = world_path(world, "cached");
    char *kept = world_path(world, "first");
    tree_copy(cached, kept);
    free(kept);
    free(cached);
    if (warm_outcome(test) == MISS) {
        world_run_cached(world, &test->before);
        world_compare(world, "before, again", "first", first);
        expect(world, "before, again", HIT);
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

static void judge(struct world *world)
{
    const struct test_case *test = world->test;
    world_run_cached(world, &test->after);
    world_run_plain(world, &test->after);
    const bool failed = world->plain.code != 0 || world->plain.signal != 0;
    if (failed != test->fails) {
        fail("without the cache it ends with status %d, signal %d:\n%.*s",
             world->plain.code, world->plain.signal, (int)world->plain.err.size,
             (const char *)world->plain.err.data);
    }
    // First: a wrong result is worse than a wrong reason.
    if (!test->incomparable) {
        world_compare(world, "after", "plain", &world->plain);
    }
    expect(world, "after", test->expected);
    if (test->expected == MISS) {
        world_run_cached(world, &test->after);
        world_compare(world, "after, again", "plain", &world->plain);
        expect(world, "after, again", HIT);
    }
}

static void go_back(struct world *world, const struct process_result *first)
{
    const struct test_case *test = world->test;
    if (test->change != NULL || test->one_way || warm_outcome(test) != MISS) {
        return;
    }
    if (is_edited(test)) {
        world_rename(world, "gen.before", "gen");
    }
    world_run_cached(world, &test->before);
    world_compare(world, "before, at the end", "first", first);
    expect(world, "before, at the end", HIT);
}

void flow_run(const struct tools *tools, const struct test_case *test, const char *folder)
{
    struct world world;
    struct process_result first = {0};
    world_init(&world, tools, test, folder);
    if (test->run_all != NULL) {
        test->run_all(&world);
    } else {
        warm_up(&world, &first);
        make_change(&world);
        judge(&world);
        if (test->check != NULL) {
            test->check(&world);
        }
        go_back(&world, &first);
    }
    process_result_release(&first);
    world_release(&world);
}
