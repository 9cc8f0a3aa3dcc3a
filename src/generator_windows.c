// SPDX-License-Identifier: MIT
// generator.h for Windows, where no generator can be asked what it is going to compile:
// the probe does that in a fork of it. generator_can_be_probed says so, every command is
// then a bypass (os_become), and generator_start says so once more. As nobody gets a
// struct generator, what takes one has nothing to do.

#include "generator.h"

#include <stdlib.h>

bool generator_can_be_probed(void)
{
    return false;
}

struct generator *generator_start(char *const argv[], const char *tracer,
                                  const struct buffer *request, struct error *error)
{
    (void)tracer;
    (void)request;
    error_set(error, "%s cannot be asked on this system", argv[0]);
    return NULL;
}

enum report_end generator_read_report(struct generator *generator, unsigned timeout_ms,
                                      generator_message_handler *handle, void *context)
{
    (void)generator;
    (void)timeout_ms;
    (void)handle;
    (void)context;
    return REPORT_MISSING;
}

bool generator_runs(const struct generator *generator, const char *program)
{
    (void)generator;
    (void)program;
    return true; // it cannot be told
}

void generator_answer(struct generator *generator, enum generator_answer answer)
{
    (void)generator;
    (void)answer;
}

struct exit_status generator_finish(struct generator *generator,
                                    generator_message_handler *handle, void *context)
{
    (void)generator;
    (void)handle;
    (void)context;
    return (struct exit_status){.code = EXIT_FAILURE};
}

void generator_pass_output(struct generator *generator)
{
    (void)generator;
}

bool generator_output(struct generator *generator, bool *joined,
                      const struct buffer **out, const struct buffer **err)
{
    static const struct buffer nothing;
    (void)generator;
    *joined = false;
    *out = &nothing;
    *err = &nothing;
    return true;
}

void generator_free(struct generator *generator)
{
    (void)generator;
}

bool generator_streams_are_joined(void)
{
    return false;
}

void generator_replay(int stream, const void *data, size_t size)
{
    (void)stream;
    (void)data;
    (void)size;
}

_Noreturn void exit_like(struct exit_status status)
{
    exit(status.signal != 0 ? EXIT_FAILURE : status.code);
}
