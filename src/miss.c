// SPDX-License-Identifier: MIT

#include "miss.h"

#include "buffer.h"
#include "file_digest.h"
#include "notice.h"
#include "os.h"
#include "probe/protocol.h"
#include "prune.h"

#include <stdlib.h>
#include <string.h>

// ---- The run ------------------------------------------------------------------------

static size_t count_printed(const struct inquiry *inquiry)
{
    bool joined = false;
    const struct buffer *out = NULL;
    const struct buffer *err = NULL;
    (void)generator_output(inquiry->generator, &joined, &out, &err);
    return out->size + err->size;
}

static void note_end(struct compilation *compilation)
{
    const struct outputs *outputs = &compilation->inquiry->job->outputs;
    compilation->ended = true;
    compilation->printed_at_end = count_printed(compilation->inquiry);
    // Their content: in one tick of the file system's clock a file can be written twice.
    for (size_t i = 0; compilation->ended && i < outputs->count; i++) {
        compilation->ended =
            file_digest_read(outputs->list[i].path, &compilation->at_end[i], NULL, NULL);
    }
}

static bool handle_confirmation(void *context, uint32_t tag, const unsigned char *data,
                                size_t size)
{
    struct compilation *compilation = context;
    if (tag == PROBE_PIPELINE) {
        return inquiry_note_field(&compilation->pipelines, data, size);
    }
    if (tag == PROBE_END) {
        note_end(compilation);
    }
    return true;
}

static bool take_output(struct compilation *compilation, struct error *error)
{
    struct entry *entry = &compilation->entry;
    const struct buffer *out = NULL;
    const struct buffer *err = NULL;
    if (!generator_output(compilation->inquiry->generator, &entry->streams_joined, &out,
                          &err)) {
        return error_set(error, "it prints too much");
    }
    entry->out = out->data;
    entry->out_size = out->size;
    entry->err = err->data;
    entry->err_size = err->size;
    return true;
}

void compilation_run(struct compilation *compilation, const struct inquiry *inquiry)
{
    const struct job *job = inquiry->job;
    *compilation = (struct compilation){
        .inquiry = inquiry,
        .state = output_state_take(&job->outputs),
        .at_end = mem_new(job->outputs.count, sizeof *compilation->at_end)};
    const int64_t go_ns = os_monotonic_ns();
    generator_answer(inquiry->generator, ANSWER_GO_CONFIRM);
    compilation->status =
        generator_finish(inquiry->generator, handle_confirmation, compilation);
    compilation->entry.compile_ns = (uint64_t)(os_monotonic_ns() - go_ns);
    compilation->entry.components = key_components(inquiry->fields);

    struct error error = {{0}};
    if (compilation->status.code != 0 || compilation->status.signal != 0) {
        error_set(&error, "it failed");
    } else if (!inquiry_files_are_the_same(inquiry)) {
        error_set(&error, "a library or a file that it reads changed meanwhile");
    } else if (output_files_collect(&job->outputs, compilation->state,
                                    &compilation->entry, &error) &&
               take_output(compilation, &error)) {
        compilation->complete = true;
    }
    if (!compilation->complete) {
        notice_log("not stored %s: %s", job->command[0], error.text);
    }
}

bool compilation_is_as_probed(const struct compilation *compilation,
                              enum bypass_reason *reason)
{
    const struct buffer *probed = &compilation->inquiry->pipelines;
    *reason = BYPASS_NONDETERMINISTIC;
    if (probed->size != compilation->pipelines.size ||
        (probed->size > 0 &&
         memcmp(probed->data, compilation->pipelines.data, probed->size) != 0)) {
        return false;
    }
    *reason = BYPASS_SIDE_EFFECTS;
    if (!compilation->ended ||
        compilation->printed_at_end != count_printed(compilation->inquiry)) {
        return false;
    }
    const struct entry *entry = &compilation->entry;
    for (size_t i = 0; i < entry->output_count; i++) {
        struct digest now;
        if (!sha256_of(entry->outputs[i].data, entry->outputs[i].size, &now) ||
            !digest_equal(&now, &compilation->at_end[i])) {
            return false;
        }
    }
    return true;
}

void compilation_release(struct compilation *compilation)
{
    output_state_free(compilation->state);
    buffer_release(&compilation->pipelines);
    free(compilation->at_end);
}

// ---- The miss -----------------------------------------------------------------------

static bool store_entry(const struct job *job, const struct digest *key,
                        const struct entry *entry)
{
    struct error error = {{0}};
    struct buffer bytes = {0};
    const bool stored =
        entry_encode(entry, key, &bytes, &error) &&
        store_write(job->store, STORE_ENTRY, key, bytes.data, bytes.size, &error);
    if (!stored) {
        job_record(job, STATS_ERROR, 0);
        notice_warn_once("%s; the build goes on uncached", error.text);
    } else {
        prune_if_due(job->store, &job->settings);
    }
    buffer_release(&bytes);
    return stored;
}

struct exit_status miss_compile_and_store(struct inquiry *inquiry, bool *stored)
{
    const struct job *job = inquiry->job;
    struct compilation compilation;
    enum bypass_reason reason = BYPASS_NONE;
    *stored = false;
    compilation_run(&compilation, inquiry);
    if (compilation.complete && !compilation_is_as_probed(&compilation, &reason)) {
        job_record_bypass(job, reason, "it did not do what it was probed to do");
    } else {
        if (compilation.complete) {
            output_files_settle(&job->outputs, compilation.state, &compilation.entry,
                                job_unchanged_outputs(job));
            *stored = store_entry(job, &inquiry->key, &compilation.entry);
        }
        job_record(job, STATS_MISS, 0);
        job_log(job, "miss", &inquiry->key);
    }
    const struct exit_status status = compilation.status;
    compilation_release(&compilation);
    return status;
}
