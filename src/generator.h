// SPDX-License-Identifier: MIT
// One run of a generator with the probe in it.
//
// Order of calls: generator_start; generator_read_report, which hands over what the
// probe says; generator_answer; generator_finish. From the start on the generator's
// output is captured; after GO it is passed on as it comes, after STOP it is dropped,
// because a hit replays what was stored.

#ifndef HALIDECACHE_GENERATOR_H
#define HALIDECACHE_GENERATOR_H

#include "buffer.h"
#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct generator;

/** Can this system run a probe at all? (It takes fork.) */
bool generator_can_be_probed(void);

/** Starts `argv` with the variables of the cache removed from its environment, and with
 *  the tracer preloaded if it is not NULL. `request` is what the probe is going to read.
 *  NULL when the program cannot be started. Free with generator_free. */
struct generator *generator_start(char *const argv[], const char *tracer,
                                  const struct buffer *request, struct error *error);

/** Gets one message (probe/protocol.h); false: no more of them. */
typedef bool generator_message_handler(void *context, uint32_t tag,
                                       const unsigned char *payload, size_t size);

enum report_end {
    REPORT_COMPLETE, // the pipe was closed after the handler returned false, or by itself
    REPORT_MISSING,  // the generator ended, and no probe ever spoke
    REPORT_TIMEOUT   // it took longer than `timeout_ms`; the probe's child was killed
};

/** Reads messages until `handle` returns false or the report ends. */
enum report_end generator_read_report(struct generator *generator, unsigned timeout_ms,
                                      generator_message_handler *handle, void *context);

/** Is `program` the file that the generator is running, and not one that has taken its
 * place? True where that cannot be told. */
bool generator_runs(const struct generator *generator, const char *program);

enum generator_answer {
    ANSWER_STOP,      // leave
    ANSWER_GO,        // go on, we are not interested
    ANSWER_GO_CONFIRM // go on, and send what you really build
};

void generator_answer(struct generator *generator, enum generator_answer answer);

/** How a process ended. */
struct exit_status {
    int code;   // exit status, when `signal` is 0
    int signal; // the signal that killed it, or 0
};

/** Waits for the end. After GO all output has been passed on. After ANSWER_GO_CONFIRM,
 *  `handle` gets the generator's messages; else it may be NULL. */
struct exit_status generator_finish(struct generator *generator,
                                    generator_message_handler *handle, void *context);

/** Passes on what was captured of a generator that ended without an answer. */
void generator_pass_output(struct generator *generator);

/** What the generator printed so far, for the key and the entry. Where this process's
 * standard output and error are one file, `joined` is set and `out` has all of it in
 * order. False when it printed too much to keep. */
bool generator_output(struct generator *generator, bool *joined,
                      const struct buffer **out, const struct buffer **err);

void generator_free(struct generator *generator);

/** Do standard output and standard error of this process go to the same file? */
bool generator_streams_are_joined(void);

/** Writes to this process's standard output (1) or error (2) as the generator would. */
void generator_replay(int stream, const void *data, size_t size);

/** Ends this process as the other one ended: the same status or the same signal. */
_Noreturn void exit_like(struct exit_status status);

/** Removes the cache's own variables from this process's environment, so that a Halide
 *  with a cache of its own does not cache a second time. */
void generator_clean_environment(void);

#endif
