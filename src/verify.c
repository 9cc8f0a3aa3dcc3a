// SPDX-License-Identifier: MIT

#include "verify.h"

#include "direct.h"
#include "miss.h"
#include "notice.h"

#include <stdio.h>
#include <string.h>

static bool same_bytes(const unsigned char *a, size_t a_size, const unsigned char *b,
                       size_t b_size)
{
    return a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0);
}

// The first thing that differs, or NULL.
static const char *find_difference(const struct entry *stored,
                                   const struct entry *compiled)
{
    if (stored->output_count != compiled->output_count) {
        return "the number of outputs";
    }
    for (size_t i = 0; i < stored->output_count; i++) {
        const struct entry_output *a = &stored->outputs[i];
        const struct entry_output *b = &compiled->outputs[i];
        if (strcmp(a->role, b->role) != 0 ||
            !same_bytes(a->data, a->size, b->data, b->size)) {
            return b->role;
        }
    }
    if (!same_bytes(stored->out, stored->out_size, compiled->out, compiled->out_size)) {
        return "standard output";
    }
    if (!same_bytes(stored->err, stored->err_size, compiled->err, compiled->err_size)) {
        return "standard error";
    }
    return NULL;
}

static void report_mismatch(const struct inquiry *inquiry, const struct entry *stored,
                            const struct entry *compiled, const char *difference)
{
    char hex[SHA256_HEX_SIZE];
    digest_to_hex(&inquiry->key, hex);
    notice_error("verification failed: %s of %s/%s is not what was stored under the key "
                 "%s. This is a bug of HalideCache; the fields of the stored key and of "
                 "this command's follow, please report them.",
                 difference, inquiry->job->request.output_folder,
                 inquiry->job->request.base_name, hex);
    (void)fprintf(stderr, "stored:\n%sthis command:\n%s", stored->components,
                  compiled->components);
    (void)fflush(stderr);
}

struct exit_status verify_hit(struct inquiry *inquiry, const struct found *found)
{
    const struct job *job = inquiry->job;
    struct compilation compilation;
    compilation_run(&compilation, inquiry);
    struct exit_status status = compilation.status;
    const char *difference = compilation.complete
                                 ? find_difference(&found->entry, &compilation.entry)
                                 : "the success";
    if (difference != NULL) {
        report_mismatch(inquiry, &found->entry, &compilation.entry, difference);
        job_record(job, STATS_ERROR, 0);
        status = (struct exit_status){.code = 1};
    } else {
        output_files_settle(&job->outputs, compilation.state, &compilation.entry,
                            job_unchanged_outputs(job));
        job_record(job, STATS_PIPELINE_HIT, 0);
    }
    job_log(job, difference == NULL ? "verified" : "verification failed", &inquiry->key);
    compilation_release(&compilation);
    return status;
}

bool verify_direct_key(struct job *job, const struct inquiry *inquiry)
{
    struct digest direct;
    if (!direct_find_key(job, &direct) || digest_equal(&direct, &inquiry->key)) {
        return true;
    }
    char direct_hex[SHA256_HEX_SIZE];
    char hex[SHA256_HEX_SIZE];
    digest_to_hex(&direct, direct_hex);
    digest_to_hex(&inquiry->key, hex);
    notice_error(
        "verification failed: a direct lookup for %s/%s finds the key %s, but the "
        "generator makes it %s. This is a bug of HalideCache, please report it.",
        job->request.output_folder, job->request.base_name, direct_hex, hex);
    (void)fprintf(stderr, "this command:\n%s", key_components(inquiry->fields));
    (void)fflush(stderr);
    job_record(job, STATS_ERROR, 0);
    return false;
}
