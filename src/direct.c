// SPDX-License-Identifier: MIT

#include "direct.h"

#include "buffer.h"
#include "cpu.h"
#include "dependency.h"
#include "key_fields.h"
#include "manifest.h"
#include "notice.h"
#include "probe/protocol.h"
#include "trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The request --------------------------------------------------------------------

static void add_command(struct key *key, const struct job *job)
{
    struct buffer value = {0};
    for (int i = 0; i < job->command_argc; i++) {
        buffer_append_sized(&value, job->command[i], strlen(job->command[i]));
    }
    key_add(key, "command", value.data, value.size);
    buffer_release(&value);
}

// What selects a manifest: all that is known without looking at any file.
static bool make_request_key(const struct job *job, struct digest *digest)
{
    struct key *key = key_new("direct");
    struct buffer cpu = {0};
    struct buffer user = {0};
    char *folder = os_current_folder();
    char version[16];
    (void)snprintf(version, sizeof version, "%d", PROBE_VERSION);
    cpu_describe(&cpu);
    os_describe_user(&user);
    key_add_string(key, "probe", version);
    key_add_string(key, "folder", folder == NULL ? "" : folder);
    key_add_string(key, "program", job->program);
    key_add(key, "processor", cpu.data, cpu.size);
    // Who may not read a file does not get what somebody else made of it.
    key_add(key, "user", user.data, user.size);
    add_command(key, job);
    key_add_loader_variables(key);
    key_add_variables(key);
    const bool ok = folder != NULL && key_finish(key, digest);
    free(folder);
    buffer_release(&cpu);
    buffer_release(&user);
    key_free(key);
    return ok;
}

// ---- Finding ------------------------------------------------------------------------

static void write_manifest(const struct job *job, const struct digest *request,
                           const struct manifest *manifest)
{
    struct error error = {{0}};
    struct buffer bytes = {0};
    if (manifest_encode(manifest, request, &bytes) &&
        !store_write(job->store, STORE_MANIFEST, request, bytes.data, bytes.size,
                     &error)) {
        notice_log("no manifest %s: %s", job->command[0], error.text);
    }
    buffer_release(&bytes);
}

static bool find_variant(const struct job *job, const struct digest *request,
                         struct manifest *manifest, struct digest *key)
{
    struct buffer renewed = {0};
    bool found = false;
    for (size_t i = 0; !found && i < manifest->count; i++) {
        found = manifest_variant_holds(&manifest->variants[i], &renewed);
        if (!found) {
            continue;
        }
        struct manifest_variant variant = manifest->variants[i];
        *key = variant.key;
        if (renewed.size > 0) {
            variant.dependencies = renewed.data;
            variant.size = renewed.size;
        }
        if (renewed.size > 0 || i > 0) {
            manifest_put_first(manifest, &variant);
            write_manifest(job, request, manifest);
        }
    }
    buffer_release(&renewed);
    return found;
}

bool direct_find_key(struct job *job, struct digest *key)
{
    struct digest request;
    struct buffer bytes = {0};
    struct manifest manifest = {.count = 0};
    const bool found = make_request_key(job, &request) &&
                       store_read(job->store, STORE_MANIFEST, &request, &bytes, NULL) &&
                       manifest_decode(&manifest, &request, bytes.data, bytes.size) &&
                       find_variant(job, &request, &manifest, key);
    buffer_release(&bytes);
    return found;
}

// ---- Remembering --------------------------------------------------------------------

// A clock tick, and not the seconds that some file systems round to.
static const int64_t longest_wait_ns = INT64_C(20000000);
static const int64_t millisecond_ns = INT64_C(1000000);

void direct_prepare(struct job *job)
{
    struct file_status status;
    if (job->options.tracer != NULL && os_stat(job->program, &status)) {
        const int64_t wait_ns = dependency_settles_ns(&status) - os_wall_clock_ns();
        if (wait_ns > 0 && wait_ns <= longest_wait_ns) {
            os_sleep_ms((unsigned)(wait_ns / millisecond_ns + 1));
        }
    }
    job->start_wall_ns = os_wall_clock_ns();
}

// The dependencies of one run, as they are collected.
struct collection {
    const struct job *job;
    struct buffer encoded;
    struct buffer seen; // kinds and names so far, to drop repetitions
    size_t loaded;      // how many loaded binaries are among them
    const char *reason; // why there can be no manifest
    char *about;
};

static bool give_up(struct collection *collection, const char *reason, const char *about)
{
    collection->reason = reason;
    free(collection->about);
    collection->about = mem_strdup(about);
    return false;
}

static bool is_known(const struct collection *collection, enum dependency_kind kind,
                     const char *name)
{
    struct reader reader = reader_make(collection->seen.data, collection->seen.size);
    const size_t length = strlen(name);
    while (reader.at < reader.size) {
        const uint8_t known_kind = reader_u8(&reader);
        size_t size = 0;
        const unsigned char *known = reader_sized(&reader, &size);
        if (known_kind == (uint8_t)kind && size == length &&
            memcmp(known, name, length) == 0) {
            return true;
        }
    }
    return false;
}

// Is there still what the generator saw when it looked? A path can lead elsewhere by now,
// and to something older than the run, when a folder or a link above it was exchanged.
static bool is_as_seen(const struct trace_record *record)
{
    const bool itself =
        record->tag == TRACE_STATUS && (record->number & TRACE_LINK_ITSELF) != 0;
    const bool has_times =
        record->tag == TRACE_LISTED || (record->number & TRACE_WHOLE_FOLDER) != 0;
    const uint32_t sum = record->number & ~(uint32_t)TRACE_FLAGS;
    struct file_status status = {.kind = FILE_OTHER};
    if (sum == 0) {
        return true;
    }
    if (itself ? !os_stat_link(record->text, &status) : !os_stat(record->text, &status)) {
        return false;
    }
    return sum == (status.kind == FILE_DIRECTORY && !has_times
                       ? (uint32_t)TRACE_SOME_FOLDER
                       : trace_sum(status.device, status.inode, status.size,
                                   status.mtime_ns, status.ctime_ns));
}

static bool add(struct collection *collection, enum dependency_kind kind,
                const char *name)
{
    if (is_known(collection, kind, name)) {
        return true;
    }
    struct dependency dependency = {.kind = kind, .name = name};
    if (!dependency_look(&dependency, collection->job->memory)) {
        return give_up(collection, "it is not what it was any more", name);
    }
    // What changed since the generator was started may have been read before or after.
    if (dependency_settles_ns(&dependency.status) > collection->job->start_wall_ns) {
        return give_up(collection, "it changed meanwhile", name);
    }
    dependency_encode(&dependency, &collection->encoded);
    buffer_append_u8(&collection->seen, (uint8_t)kind);
    buffer_append_sized(&collection->seen, name, strlen(name));
    return true;
}

// A record with a sum.
static bool add_seen(struct collection *collection, enum dependency_kind kind,
                     const struct trace_record *record)
{
    return add(collection, kind, record->text) &&
           (is_as_seen(record) ||
            give_up(collection, "it is not what it was any more", record->text));
}

// A record of a path that was found behind another one, which is `now`.
static bool add_found(struct collection *collection, enum dependency_kind kind,
                      const struct trace_record *record, char *now)
{
    const bool same = now != NULL && strcmp(now, record->second) == 0;
    free(now);
    return same ? add(collection, kind, record->text)
                : give_up(collection, "it is not what it was any more", record->text);
}

static bool add_access(struct collection *collection, const struct trace_record *record)
{
    const int allowed = os_access(record->text);
    const int wanted = (int)record->number;
    return allowed >= 0 && (allowed & wanted) == wanted
               ? add(collection, DEPENDS_ON_ACCESS, record->text)
               : give_up(collection, "it is not what it was any more", record->text);
}

static bool add_key_files(struct collection *collection, const struct key *key)
{
    const struct buffer *files = key_files(key);
    struct reader reader = reader_make(files->data, files->size);
    bool ok = true;
    while (ok && reader.at < reader.size) {
        const uint8_t identity_only = reader_u8(&reader);
        char *path = reader_new_string(&reader);
        struct file_status status;
        if (os_stat(path, &status) && status.kind == FILE_DIRECTORY) {
            ok = add(collection, DEPENDS_ON_LISTING, path);
        } else {
            ok = add(collection,
                     identity_only != 0 ? DEPENDS_ON_IDENTITY : DEPENDS_ON_CONTENT, path);
        }
        free(path);
    }
    return ok;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// Files of the system that say nothing about the next run, or nothing that lasts.
static bool add_read_file(struct collection *collection,
                          const struct trace_record *record)
{
    const char *path = record->text;
    if (strcmp(path, "/dev/null") == 0 || strcmp(path, "/dev/zero") == 0) {
        return true;
    }
    if (starts_with(path, "/proc/") || starts_with(path, "/dev/")) {
        return give_up(collection, "it reads what lies outside of files", path);
    }
    return add_seen(collection, DEPENDS_ON_CONTENT, record);
}

static bool add_loaded(struct collection *collection, const struct trace_record *record)
{
    collection->loaded++;
    // Those that count by their identity only are in the key, and noted there.
    return is_known(collection, DEPENDS_ON_IDENTITY, record->text) ||
           add_seen(collection, DEPENDS_ON_CONTENT, record);
}

static bool add_record(struct collection *collection, const struct trace_record *record)
{
    switch (record->tag) {
    case TRACE_READ:
        return add_read_file(collection, record);
    case TRACE_MISSING:
        return add(collection, DEPENDS_ON_MISSING, record->text);
    case TRACE_STATUS:
        return add_seen(collection,
                        (record->number & TRACE_WHOLE_FOLDER) != 0
                            ? DEPENDS_ON_WHOLE_STATUS
                            : DEPENDS_ON_STATUS,
                        record);
    case TRACE_ACCESS:
        return add_access(collection, record);
    case TRACE_LINK:
        return strcmp(record->text, "/proc/self/exe") == 0 ||
               add_found(collection, DEPENDS_ON_LINK, record, os_read_link(record->text));
    case TRACE_RESOLVED:
        return add_found(collection, DEPENDS_ON_RESOLVED, record,
                         os_absolute_path(record->text));
    case TRACE_LISTED:
        // The probe itself counts the threads.
        return strcmp(record->text, "/proc/self/task") == 0 ||
               add_seen(collection, DEPENDS_ON_LISTING, record);
    case TRACE_VARIABLE:
        return add(collection, DEPENDS_ON_VARIABLE, record->text);
    case TRACE_LOADED:
        return add_loaded(collection, record);
    case TRACE_SETS:
    case TRACE_FOLDER: // it is part of the request
    case TRACE_END:
        return true;
    case TRACE_WRITTEN:
        return give_up(collection, "it writes", record->text);
    case TRACE_FAILED:
        return give_up(collection, "it could not open", record->text);
    case TRACE_ENVIRONMENT:
        return give_up(collection, "it can read all of the environment", record->text);
    case TRACE_OPAQUE:
        return give_up(collection, "it does what cannot be replayed", record->text);
    case TRACE_TAGS:
        break;
    }
    return give_up(collection, "the trace is damaged", "");
}

static bool collect(struct collection *collection, const struct inquiry *inquiry)
{
    if (inquiry->trace.size == 0) {
        return give_up(collection, "there was no tracer", "");
    }
    // The key's files first: their digests tell most changes apart.
    if (!add_key_files(collection, inquiry->fields)) {
        return false;
    }
    struct trace_reader reader =
        trace_reader_make(inquiry->trace.data, inquiry->trace.size);
    struct trace_record record;
    while (trace_reader_next(&reader, &record)) {
        if (!add_record(collection, &record)) {
            return false;
        }
    }
    return (trace_reader_is_complete(&reader) && collection->loaded > 0) ||
           give_up(collection, "the trace is damaged", "");
}

void direct_remember(struct job *job, const struct inquiry *inquiry)
{
    struct collection collection = {.job = job};
    struct digest request;
    if (!collect(&collection, inquiry)) {
        notice_log("no manifest %s: %s: %s", job->command[0], collection.reason,
                   collection.about);
    } else if (make_request_key(job, &request)) {
        struct buffer bytes = {0};
        struct manifest manifest = {.count = 0};
        if (store_read(job->store, STORE_MANIFEST, &request, &bytes, NULL)) {
            (void)manifest_decode(&manifest, &request, bytes.data, bytes.size);
        }
        const struct manifest_variant variant = {.key = inquiry->key,
                                                 .dependencies = collection.encoded.data,
                                                 .size = collection.encoded.size};
        manifest_put_first(&manifest, &variant);
        write_manifest(job, &request, &manifest);
        buffer_release(&bytes);
    }
    buffer_release(&collection.encoded);
    buffer_release(&collection.seen);
    free(collection.about);
}
