// SPDX-License-Identifier: MIT

#include "hit.h"

#include "generator.h"
#include "notice.h"

static void report_trouble(const struct job *job, const char *what,
                           const struct error *error)
{
    job_record(job, STATS_ERROR, 0);
    notice_log("error %s: %s%s", job->command[0], what, error->text);
}

bool hit_look_up(const struct job *job, const struct digest *key, struct found *found)
{
    struct error error = {{0}};
    *found = (struct found){.bytes = {0}};
    if (!store_read(job->store, STORE_ENTRY, key, &found->bytes, &error)) {
        if (error.text[0] != '\0') {
            report_trouble(job, "", &error);
        }
    } else if (!entry_decode(&found->entry, key, found->bytes.data, found->bytes.size,
                             &error)) {
        report_trouble(job, "a damaged entry is removed: ", &error);
        (void)store_remove(job->store, STORE_ENTRY, key, NULL);
    } else {
        return true;
    }
    buffer_release(&found->bytes);
    return false;
}

bool hit_restore(const struct job *job, const struct found *found)
{
    const struct entry *entry = &found->entry;
    // The order of what went to one file cannot be told apart again, nor put together.
    if (entry->out_size + entry->err_size > 0 &&
        entry->streams_joined != generator_streams_are_joined()) {
        return false;
    }
    struct error error = {{0}};
    if (!output_files_restore(&job->outputs, entry, job_unchanged_outputs(job), &error)) {
        notice_log("not restored %s: %s", job->command[0], error.text);
        return false;
    }
    generator_replay(1, entry->out, entry->out_size);
    generator_replay(2, entry->err, entry->err_size);
    return true;
}

void hit_release(struct found *found)
{
    entry_release(&found->entry);
    buffer_release(&found->bytes);
}
