// SPDX-License-Identifier: MIT

#include "cmd_key.h"

#include "generator.h"
#include "inquiry.h"
#include "job.h"
#include "notice.h"

#include <stdio.h>

static const char usage[] =
    "usage: halide-cache key [--dir DIR] [--probe FILE] -- GENERATOR ARGS...\n"
    "\n"
    "Prints the fields that the key of a command is made of, one a line: its name and\n"
    "the SHA-256 of its value; then the key. Nothing is compiled or restored. To see "
    "why\n"
    "a command misses, compare with diff what this prints before and after.\n";

int cmd_key(int argc, char **argv)
{
    struct job job;
    int exit_code = 0;
    if (!job_begin(&job, argc, argv, usage, &exit_code)) {
        return exit_code;
    }
    job.on_bypass = ON_BYPASS_EXPLAIN;
    job_prepare(&job);
    job_require_generator(&job);
    struct inquiry inquiry;
    if (inquiry_make(&inquiry, &job)) {
        char hex[SHA256_HEX_SIZE];
        digest_to_hex(&inquiry.key, hex);
        (void)printf("%skey %s\n", key_components(inquiry.fields), hex);
        exit_code = fflush(stdout) == 0 ? 0 : 1;
    } else {
        notice_error("there is no key: %s%s%s", bypass_text(inquiry.reason),
                     inquiry.reason_text[0] == '\0' ? "" : ": ", inquiry.reason_text);
        exit_code = 1;
    }
    generator_answer(inquiry.generator, ANSWER_STOP);
    (void)generator_finish(inquiry.generator, NULL, NULL);
    inquiry_release(&inquiry);
    job_release(&job);
    return exit_code;
}
