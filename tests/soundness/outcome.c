// SPDX-License-Identifier: MIT
//
// The part of world.h that reads from the log what the cache did.

#define _GNU_SOURCE

#include "world.h"

#include "failure.h"
#include "os.h"

#include <stdlib.h>
#include <string.h>

static const char *const outcome_names[] = {[OUTCOME_UNSET] = "nothing",
                                            [HIT] = "a hit",
                                            [PIPELINE_HIT] = "a pipeline hit",
                                            [DIRECT_HIT] = "a direct hit",
                                            [MISS] = "a miss",
                                            [NOT_STORED] = "not stored",
                                            [BYPASS] = "a bypass",
                                            [NO_LOG] = "no line in the log"};

// ---- The log ------------------------------------------------------------------------

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// "bypass <program>: <text of the reason>: <detail>"
static enum bypass_reason reason_of(const char *line)
{
    for (int i = BYPASS_NONE + 1; i < BYPASS_REASONS; i++) {
        char *text = mem_printf(": %s", bypass_text((enum bypass_reason)i));
        const bool found = strstr(line, text) != NULL;
        free(text);
        if (found) {
            return (enum bypass_reason)i;
        }
    }
    return BYPASS_NONE;
}

// OUTCOME_UNSET: the line is about something else.
static enum outcome outcome_of_line(const char *line)
{
    static const struct {
        const char *start;
        enum outcome outcome;
    } lines[] = {{"pipeline hit ", PIPELINE_HIT},
                 {"direct hit ", DIRECT_HIT},
                 {"miss ", MISS},
                 {"not stored ", NOT_STORED},
                 {"bypass ", BYPASS}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (starts_with(line, lines[i].start)) {
            return lines[i].outcome;
        }
    }
    return OUTCOME_UNSET;
}

static void replace(char **line, const char *with)
{
    free(*line);
    *line = mem_strdup(with);
}

static void note_line(struct outcome_report *report, const char *line)
{
    const enum outcome said = outcome_of_line(line);
    if (starts_with(line, "no manifest ")) {
        replace(&report->no_manifest, line);
    }
    // A miss that is not stored says so first.
    if (said != OUTCOME_UNSET && !(report->outcome == NOT_STORED && said == MISS)) {
        report->outcome = said;
        report->reason = said == BYPASS ? reason_of(line) : BYPASS_NONE;
        replace(&report->line, line);
    }
}

void world_read_log(const struct world *world, struct outcome_report *report)
{
    *report = (struct outcome_report){.outcome = NO_LOG};
    if (!world_has(world, "log")) {
        return;
    }
    char *text = world_read(world, "log");
    world_append(world, "log.all", text);
    world_write(world, "log", NULL);
    for (char *rest = text, *at = NULL; (at = strsep(&rest, "\n")) != NULL;) {
        note_line(report, at);
    }
    free(text);
}

void outcome_report_release(struct outcome_report *report)
{
    free(report->line);
    free(report->no_manifest);
    *report = (struct outcome_report){.outcome = OUTCOME_UNSET};
}

// ---- What is expected ---------------------------------------------------------------

// Why there can be no manifest of the last run; NULL: there has to be one.
static const char *reason_for_no_manifest(const struct world *world)
{
    return world->state != NULL && world->state->no_manifest != NULL
               ? world->state->no_manifest
               : world->test->no_manifest;
}

static enum outcome in_this_mode(const struct world *world, enum outcome outcome)
{
    if (outcome != HIT) {
        return outcome;
    }
    return world->mode == DIRECT_MODE && reason_for_no_manifest(world) == NULL
               ? DIRECT_HIT
               : PIPELINE_HIT;
}

// Is there a manifest if and only if there has to be one?
static bool is_manifest_as_expected(const struct world *world,
                                    const struct outcome_report *report)
{
    const char *reason = reason_for_no_manifest(world);
    if (world->mode != DIRECT_MODE ||
        (report->outcome != MISS && report->outcome != PIPELINE_HIT)) {
        return true;
    }
    return reason == NULL ? report->no_manifest == NULL
                          : report->no_manifest != NULL &&
                                strstr(report->no_manifest, reason) != NULL;
}

static const char *or_nothing(const char *text)
{
    return text == NULL ? "" : text;
}

static _Noreturn void complain(const struct world *world, const char *what,
                               const struct outcome_report *expected,
                               const struct outcome_report *real)
{
    const struct process_result *result = &world->cached;
    fail("%s, in %s mode: expected %s%s%s %s\nand it is %s%s%s\nthe log: %s\n%s\n"
         "exit status %d, signal %d\nstandard output:\n%.*s\nstandard error:\n%.*s",
         what, world->mode == DIRECT_MODE ? "direct" : "pipeline",
         outcome_names[expected->outcome], expected->outcome == BYPASS ? ": " : "",
         expected->outcome == BYPASS ? bypass_name(expected->reason) : "",
         or_nothing(expected->line), outcome_names[real->outcome],
         real->outcome == BYPASS ? ": " : "",
         real->outcome == BYPASS ? bypass_name(real->reason) : "", or_nothing(real->line),
         or_nothing(real->no_manifest), result->code, result->signal,
         (int)result->out.size, (const char *)result->out.data, (int)result->err.size,
         (const char *)result->err.data);
}

void world_expect(struct world *world, const char *what, enum outcome outcome,
                  enum bypass_reason reason, const char *detail)
{
    const enum outcome wanted = in_this_mode(world, outcome);
    struct outcome_report real;
    world_read_log(world, &real);
    const bool as_expected =
        real.outcome == wanted && (wanted != BYPASS || real.reason == reason) &&
        (detail == NULL || strstr(or_nothing(real.line), detail) != NULL);
    if (!as_expected || !is_manifest_as_expected(world, &real)) {
        struct outcome_report expected = {
            .outcome = wanted, .reason = reason, .line = (char *)(uintptr_t)detail};
        complain(world, what, &expected, &real);
    }
    outcome_report_release(&real);
}
