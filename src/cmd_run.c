// SPDX-License-Identifier: MIT
//
// One command, in order: read the options and the command line (job.c); restore if
// nothing has changed that the generator looked at last time (direct.c). Else start it
// with the probe and make the key (inquiry.c), look it up; then restore and let the
// generator leave (hit.c), or let it go on and store what it wrote (miss.c). Whatever is
// not in order on the way turns into a bypass: the generator runs as if we were not
// there.

#include "cmd_run.h"

#include "direct.h"
#include "flight.h"
#include "generator.h"
#include "hit.h"
#include "inquiry.h"
#include "job.h"
#include "miss.h"
#include "os.h"
#include "verify.h"

static const char usage[] =
    "usage: halide-cache run [options] -- GENERATOR ARGS...\n"
    "\n"
    "Runs a Halide generator, or restores what the same run wrote earlier. The exit\n"
    "status and all output are the generator's.\n"
    "\n"
    "  --dir DIR     the cache folder (default: the environment variable HL_CACHE_DIR)\n"
    "  --probe FILE  the probe for the generator's Halide (default: the one of the "
    "build\n"
    "                tree that the generator is in, else one is built in the cache "
    "folder)\n"
    "  --tracer FILE the library that sees what the generator looks at; with it, a hit "
    "does\n"
    "                not even start the generator\n"
    "  --restat      leave the time of outputs that do not change, as Ninja likes it\n"
    "  --verify      check the cache: a hit compiles too, and fails if the results "
    "differ\n"
    "                (also with HALIDE_CACHE_VERIFY=1 in the environment)\n"
    "\n"
    "The generator does not see HL_CACHE_DIR.\n";

static int64_t time_saved_ns(const struct job *job, const struct found *found)
{
    return (int64_t)found->entry.compile_ns - (os_monotonic_ns() - job->start_ns);
}

// ---- Direct mode --------------------------------------------------------------------

static bool finish_direct_hit(struct job *job)
{
    struct digest key;
    struct found found;
    if (!direct_find_key(job, &key) || !hit_look_up(job, &key, &found)) {
        return false;
    }
    const bool restored = hit_restore(job, &found);
    if (restored) {
        job_record(job, STATS_DIRECT_HIT, time_saved_ns(job, &found));
        job_log(job, "direct hit", &key);
    }
    hit_release(&found);
    return restored;
}

// ---- Pipeline mode ------------------------------------------------------------------

// Ends the command with what is stored. False on a miss.
static bool finish_hit(struct job *job, struct inquiry *inquiry,
                       struct exit_status *status)
{
    struct found found;
    if (!hit_look_up(job, &inquiry->key, &found)) {
        return false;
    }
    bool finished = true;
    if (job->options.verify) {
        *status = verify_hit(inquiry, &found);
    } else if (hit_restore(job, &found)) {
        generator_answer(inquiry->generator, ANSWER_STOP);
        (void)generator_finish(inquiry->generator, NULL, NULL);
        *status = (struct exit_status){0};
        job_record(job, STATS_PIPELINE_HIT, time_saved_ns(job, &found));
        job_log(job, "pipeline hit", &inquiry->key);
        direct_remember(job, inquiry);
    } else {
        finished = false;
    }
    hit_release(&found);
    return finished;
}

static struct exit_status restore_or_compile(struct job *job, struct inquiry *inquiry)
{
    struct exit_status status;
    if (finish_hit(job, inquiry, &status)) {
        return status;
    }
    // Somebody else may be compiling the same right now.
    struct flight *flight =
        flight_take_off(job->options.folder, &inquiry->key, job->settings.wait_ms);
    if (flight == NULL || !finish_hit(job, inquiry, &status)) {
        bool stored = false;
        status = miss_compile_and_store(inquiry, &stored);
        if (stored) {
            direct_remember(job, inquiry);
        }
    }
    flight_land(flight);
    return status;
}

static struct exit_status run_with_probe(struct job *job)
{
    struct inquiry inquiry;
    struct exit_status status = {0};
    job_require_generator(job);
    direct_prepare(job);
    if (inquiry_make(&inquiry, job)) {
        status = job->options.verify && !verify_direct_key(job, &inquiry)
                     ? (struct exit_status){.code = 1}
                     : restore_or_compile(job, &inquiry);
    } else {
        job_record_bypass(job, inquiry.reason, inquiry.reason_text);
        generator_answer(inquiry.generator, ANSWER_GO);
        status = generator_finish(inquiry.generator, NULL, NULL);
    }
    inquiry_release(&inquiry);
    return status;
}

// ---- The command --------------------------------------------------------------------

int cmd_run(int argc, char **argv)
{
    struct job job;
    int exit_code = 0;
    if (!job_begin(&job, argc, argv, usage, &exit_code)) {
        return exit_code;
    }
    job_prepare(&job);
    struct exit_status status = {0};
    if (job.options.verify || !finish_direct_hit(&job)) {
        status = run_with_probe(&job);
    }
    job_release(&job);
    exit_like(status);
}
