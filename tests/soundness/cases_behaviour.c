// SPDX-License-Identifier: MIT
//
// Generators that are not functions of what they are given.
// generators/behaviour_plain.cpp has them: the pipeline's name says what it does.

#include "failure.h"
#include "hooks.h"
#include "os.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BEHAVIOUR(name) .generator = "behaviour_plain", .pipeline = name

#define SIDE_EFFECT                                                                      \
    .warm = BYPASS, .expected = BYPASS, .reason = BYPASS_SIDE_EFFECTS, .one_way = true

#define NONDETERMINISTIC                                                                 \
    .warm = BYPASS, .expected = BYPASS, .reason = BYPASS_NONDETERMINISTIC,               \
    .incomparable = true

// ---- Hooks --------------------------------------------------------------------------

// The number that the generator has put into its pipeline, from the text of the output.
static long number_in_output(const struct world *world, const char *name)
{
    char *path = mem_printf("cached/out/%s.stmt", name);
    char *text = world_read(world, path);
    const char *sum = strstr(text, "input[");
    const char *plus = sum == NULL ? NULL : strstr(sum, "] + ");
    const char *minus = sum == NULL ? NULL : strstr(sum, "] - ");
    if (plus == NULL && minus == NULL) {
        fail("there is no number in %s:\n%s", path, text);
    }
    const long number =
        plus != NULL ? strtol(plus + 4, NULL, 10) : -strtol(minus + 4, NULL, 10);
    free(text);
    free(path);
    return number;
}

// Whatever the cache does, it must not be what another second wrote.
static void run_with_time(struct world *world)
{
    for (int i = 0; i < 2; i++) {
        const time_t from = time(NULL);
        world_run_cached(world, &world->test->before);
        const long number = number_in_output(world, "time");
        if (world->cached.code != 0 || number < from || number > time(NULL)) {
            fail("it is from the time %ld, compiled at %ld", number, (long)from);
        }
        while (time(NULL) == (time_t)number) {
            os_sleep_ms(20);
        }
    }
}

// A number drawn before main() is in both processes, and in the key: no two runs share
// it.
static void run_with_random_start(struct world *world)
{
    long last = 0;
    for (int i = 0; i < 3; i++) {
        world_run_cached(world, &world->test->before);
        const long number = number_in_output(world, "nothing");
        if (world->cached.code != 0 || number == last) {
            fail("%ld twice", number);
        }
        world_expect(world, "a new number", MISS, BYPASS_NONE, NULL);
        last = number;
    }
}

static void reset_counter(struct world *world)
{
    world_write(world, "counter.txt", "5\n");
}

static void check_counter(struct world *world)
{
    char *text = world_read(world, "counter.txt");
    if (strcmp(text, "6") != 0) {
        fail("after one run the counter is %s", text);
    }
    free(text);
}

// ---- Cases --------------------------------------------------------------------------

static const struct test_case cases[] = {
    // ---- Other inputs
    {
        .name = "behaviour.variable",
        BEHAVIOUR("variable"),
        .before = {.environment = "NUMBER=3"},
        .after = {.environment = "NUMBER=4"},
        .expected = MISS,
    },
    {
        .name = "behaviour.variable-means-the-same",
        BEHAVIOUR("variable"),
        .before = {.environment = "NUMBER=3"},
        .after = {.environment = "NUMBER=0003"},
        .expected = HIT,
        .directly = PIPELINE_HIT,
    },
    {
        .name = "behaviour.variable-removed",
        BEHAVIOUR("variable"),
        .before = {.environment = "NUMBER=3"},
        .expected = MISS,
    },
    {
        .name = "behaviour.file",
        BEHAVIOUR("file"),
        .before = {.files = {{"number.txt", "3"}}},
        .after = {.files = {{"number.txt", "4"}}},
        .expected = MISS,
    },
    {
        .name = "behaviour.input-from-file",
        BEHAVIOUR("input"),
        .before = {.input = "3"},
        .after = {.input = "4"},
        .expected = MISS,
        .no_manifest = "reads standard input",
    },
    {
        .name = "behaviour.input-appears",
        BEHAVIOUR("input"),
        .after = {.input = "4"},
        .expected = MISS,
        .no_manifest = "reads standard input",
    },
    {
        .name = "behaviour.input-unread",
        BEHAVIOUR("nothing"),
        .before = {.input = "3"},
        .after = {.input = "4"},
        .expected = HIT,
    },
    {
        // Both processes have one position in it, and the copy must not move it.
        .name = "behaviour.opened-before",
        BEHAVIOUR("opened"),
        .before = {.environment = "START=open", .files = {{"table.txt", "XAB"}}},
        .after = {.environment = "START=open", .files = {{"table.txt", "XBB"}}},
        .expected = MISS,
    },

    // ---- Non-determinism
    {
        .name = "behaviour.time",
        BEHAVIOUR("time"),
        .run_all = run_with_time,
    },
    {
        .name = "behaviour.clock-ticks",
        BEHAVIOUR("ticks"),
        NONDETERMINISTIC,
    },
    {
        .name = "behaviour.random",
        BEHAVIOUR("random"),
        NONDETERMINISTIC,
    },
    {
        .name = "behaviour.random-before-main",
        BEHAVIOUR("nothing"),
        .before = {.environment = "START=random"},
        .run_all = run_with_random_start,
        .no_manifest = "reads random numbers",
    },
    {
        .name = "behaviour.pid",
        BEHAVIOUR("pid"),
        NONDETERMINISTIC,
    },
    {
        .name = "behaviour.second-build-differs",
        BEHAVIOUR("builds"),
        .before = {.arguments = "-g builds -o out -e c_header,object,stmt target="
                                "x86-64-linux-avx-no_runtime,x86-64-linux-no_runtime"},
        .after = {.more = "-f other"},
        .expected = MISS,
    },
    {
        .name = "behaviour.second-build-hits",
        BEHAVIOUR("builds"),
        .expected = HIT,
    },

    // ---- Printing
    {
        .name = "behaviour.prints",
        BEHAVIOUR("prints"),
        .before = {.files = {{"text.txt", "one\ntwo\n"}}},
        .after = {.files = {{"text.txt", "one\nthree\n"}}},
        .expected = MISS,
    },
    {
        .name = "behaviour.prints-the-same",
        BEHAVIOUR("prints"),
        .before = {.files = {{"text.txt", "one\ntwo\n"}}},
        .after = {.files = {{"text.txt", "one\ntwo\n"}}},
        .expected = HIT,
    },
    {
        .name = "behaviour.complains",
        BEHAVIOUR("complains"),
        .before = {.files = {{"text.txt", "one\n"}}},
        .after = {.files = {{"text.txt", "two\n"}}},
        .expected = MISS,
    },
    {
        .name = "behaviour.prints-before-main",
        BEHAVIOUR("nothing"),
        .before = {.environment = "START=print TEXT=one"},
        .after = {.environment = "START=print TEXT=two"},
        .expected = MISS,
    },
    {
        .name = "behaviour.prints-after-main",
        BEHAVIOUR("nothing"),
        .before = {.environment = "END=print"},
        SIDE_EFFECT,
        .after = {.environment = "END=print"},
    },

    // ---- Changing something else than the outputs
    {
        .name = "behaviour.counts-runs",
        BEHAVIOUR("counter"),
        .reset = reset_counter,
        .check = check_counter,
        SIDE_EFFECT,
    },
    {
        .name = "behaviour.writes-a-file",
        BEHAVIOUR("writes"),
        SIDE_EFFECT,
    },
    {
        // Every run does it, hit or not: it is before the probe.
        .name = "behaviour.writes-a-file-before-main",
        BEHAVIOUR("nothing"),
        .before = {.environment = "START=write"},
        .after = {.environment = "START=write"},
        .expected = HIT,
        .no_manifest = "it writes",
    },
    {
        .name = "behaviour.writes-a-file-in-its-destructor",
        BEHAVIOUR("destructor"),
        .before = {.environment = "END=write"},
        .after = {.environment = "END=write"},
        SIDE_EFFECT,
    },
    {
        .name = "behaviour.writes-a-file-after-main",
        BEHAVIOUR("nothing"),
        .before = {.environment = "END=write"},
        .after = {.environment = "END=write"},
        SIDE_EFFECT,
    },
    {
        .name = "behaviour.deletes-an-output",
        BEHAVIOUR("deletes"),
        .before = {.environment = "OUTPUT=out/deletes.h"},
        .after = {.environment = "OUTPUT=out/deletes.h"},
        SIDE_EFFECT,
    },
    {
        .name = "behaviour.starts-a-process",
        BEHAVIOUR("runs"),
        SIDE_EFFECT,
    },
    {
        .name = "behaviour.opens-a-socket",
        BEHAVIOUR("connects"),
        SIDE_EFFECT,
    },
    {
        .name = "behaviour.shares-memory",
        BEHAVIOUR("shared"),
        .before = {.environment = "START=share"},
        .after = {.environment = "START=share"},
        SIDE_EFFECT,
    },
    {
        .name = "behaviour.changes-an-output-after-main",
        BEHAVIOUR("nothing"),
        .before = {.environment = "END=flip OUTPUT=out/nothing.stmt"},
        .after = {.environment = "END=flip OUTPUT=out/nothing.stmt"},
        SIDE_EFFECT,
    },
    {
        .name = "behaviour.changes-an-output-at-exit",
        BEHAVIOUR("nothing"),
        .before = {.environment = "START=atexit END=append OUTPUT=out/nothing.h"},
        .after = {.environment = "START=atexit END=append OUTPUT=out/nothing.h"},
        SIDE_EFFECT,
    },
    {
        .name = "behaviour.changes-an-output-at-late-exit",
        BEHAVIOUR("at_exit"),
        .before = {.environment = "END=flip OUTPUT=out/at_exit.h"},
        .after = {.environment = "END=flip OUTPUT=out/at_exit.h"},
        SIDE_EFFECT,
    },
    {
        .name = "behaviour.removes-an-output-at-exit",
        BEHAVIOUR("nothing"),
        .before = {.environment = "END=remove OUTPUT=out/nothing.h"},
        .after = {.environment = "END=remove OUTPUT=out/nothing.h"},
        SIDE_EFFECT,
    },
    {
        // The same program that behaves is not tainted by that.
        .name = "behaviour.behaves",
        BEHAVIOUR("nothing"),
        .before = {.environment = "END=nothing"},
        .after = {.environment = "END=other"},
        .expected = HIT,
        .directly = PIPELINE_HIT,
    },
    {
        .name = "behaviour.own-thread",
        BEHAVIOUR("threads"),
        .expected = HIT,
    },
    {
        .name = "behaviour.thread-before-main",
        BEHAVIOUR("nothing"),
        .before = {.environment = "START=thread"},
        .after = {.environment = "START=thread"},
        .warm = BYPASS,
        .expected = BYPASS,
        .reason = BYPASS_THREADS,
    },

    // ---- Failing
    {
        .name = "behaviour.throws",
        BEHAVIOUR("throws"),
        .warm = BYPASS,
        .expected = BYPASS,
        .reason = BYPASS_BUILD_FAILED,
        .fails = true,
    },
    {
        .name = "behaviour.crashes",
        BEHAVIOUR("crashes"),
        .warm = BYPASS,
        .expected = BYPASS,
        .reason = BYPASS_BUILD_FAILED,
        .fails = true,
    },
    {
        // Success, it says.
        .name = "behaviour.exits-while-it-builds",
        BEHAVIOUR("exits"),
        .warm = BYPASS,
        .expected = BYPASS,
        .reason = BYPASS_BUILD_FAILED,
    },
    {
        .name = "behaviour.exits-before-main",
        BEHAVIOUR("nothing"),
        .before = {.environment = "START=exit"},
        .after = {.environment = "START=exit"},
        .warm = BYPASS,
        .expected = BYPASS,
        .reason = BYPASS_NO_PROBE,
    },
    {
        .name = "behaviour.crashes-before-main",
        BEHAVIOUR("nothing"),
        .before = {.environment = "START=abort"},
        .after = {.environment = "START=abort"},
        .warm = BYPASS,
        .expected = BYPASS,
        .reason = BYPASS_NO_PROBE,
        .fails = true,
    },
    {
        .name = "behaviour.fails-after-writing",
        BEHAVIOUR("nothing"),
        .before = {.environment = "END=fail"},
        .after = {.environment = "END=fail"},
        .warm = BYPASS,
        .expected = BYPASS,
        .reason = BYPASS_BUILD_FAILED,
        .fails = true,
    },
    {
        .name = "behaviour.fails-after-a-good-run",
        BEHAVIOUR("at_exit"),
        .after = {.environment = "END=fail"},
        .expected = BYPASS,
        .reason = BYPASS_BUILD_FAILED,
        .fails = true,
    },
    {
        // A handler that calls exit() makes this the status.
        .name = "behaviour.exits-again-after-a-good-run",
        BEHAVIOUR("at_exit"),
        .after = {.environment = "END=exit"},
        .expected = BYPASS,
        .reason = BYPASS_BUILD_FAILED,
        .fails = true,
    },
    {
        .name = "behaviour.other-folder-at-start",
        BEHAVIOUR("nothing"),
        .before = {.environment = "START=chdir"},
        .after = {.environment = "START=chdir"},
        .warm = NOT_STORED,
        .expected = NOT_STORED,
        .fails = true,
    },

    // ---- What the key is made from is not what is compiled
    {
        .name = "behaviour.arguments-changed-before-main",
        BEHAVIOUR("nothing"),
        .before = {.arguments = "-g nothing -f name -o out -e c_header,object -n base "
                                "target=host-no_runtime"},
        .after = {.environment = "START=rename"},
        .expected = BYPASS,
        .reason = BYPASS_OWN_MAIN,
    },
    {
        .name = "behaviour.own-main",
        .generator = "behaviour_main_",
        .pipeline = "plain",
        .before = {.more = "number=3"},
        .after = {.more = "number=4"},
        .warm = BYPASS,
        .expected = BYPASS,
        .reason = BYPASS_OWN_MAIN,
    },
    {
        .name = "behaviour.own-provider",
        .generator = "behaviour_main_",
        .pipeline = "plain",
        .flags = "-DPROVIDER",
        .warm = BYPASS,
        .expected = BYPASS,
        .reason = BYPASS_OWN_MAIN,
    },
    {
        .name = "behaviour.static-destructor-added",
        .generator = "source_plain",
        .pipeline = "other",
        .edits =
            {{"/*at namespace scope*/",
              "struct End {"
              "    ~End() { std::ofstream(\"out/other.h\", std::ios::app) << \"//\"; }"
              "} end;"}},
        .expected = BYPASS,
        .reason = BYPASS_SIDE_EFFECTS,
    },
};

const struct case_list behaviour_cases = CASE_LIST(cases);
