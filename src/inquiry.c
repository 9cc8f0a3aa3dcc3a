// SPDX-License-Identifier: MIT

#include "inquiry.h"

#include "buffer.h"
#include "key_fields.h"
#include "os.h"
#include "probe/protocol.h"
#include "probe_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool give_up(struct inquiry *inquiry, enum bypass_reason reason, const char *text)
{
    inquiry->reason = reason;
    free(inquiry->reason_text);
    inquiry->reason_text = mem_strdup(text);
    return false;
}

// ---- Start --------------------------------------------------------------------------

static void make_probe_request(const struct request *request, struct buffer *to)
{
    buffer_append_u32(to, PROBE_VERSION);
    buffer_append_u32(to, request->is_runtime ? PROBE_FLAG_RUNTIME : 0U);
    buffer_append_sized(to, request->generator, strlen(request->generator));
    buffer_append_u32(to, (uint32_t)request->param_count);
    for (size_t i = 0; i < request->param_count; i++) {
        buffer_append_sized(to, request->params[i].name, strlen(request->params[i].name));
        buffer_append_sized(to, request->params[i].value,
                            strlen(request->params[i].value));
    }
    buffer_append_u32(to, (uint32_t)request->target_count);
    for (size_t i = 0; i < request->target_count; i++) {
        buffer_append_sized(to, request->targets[i], strlen(request->targets[i]));
    }
    buffer_append_u32(to, (uint32_t)request->plugin_count);
    for (size_t i = 0; i < request->plugin_count; i++) {
        buffer_append_sized(to, request->plugins[i], strlen(request->plugins[i]));
    }
}

// The command with the probe as its first plugin. Of several -p the last one counts, so
// one more at the end that repeats the plugins does it.
static char **command_with_probe(const struct job *job, const char *probe)
{
    struct buffer plugins = {0};
    buffer_append_string(&plugins, probe);
    for (size_t i = 0; i < job->request.plugin_count; i++) {
        buffer_append_u8(&plugins, ',');
        buffer_append_string(&plugins, job->request.plugins[i]);
    }
    const size_t argc = (size_t)job->command_argc;
    char **command = mem_new(argc + 3, sizeof *command);
    for (size_t i = 0; i < argc; i++) {
        command[i] = job->command[i];
    }
    command[argc] = mem_strdup("-p");
    command[argc + 1] = mem_strndup((const char *)plugins.data, plugins.size);
    buffer_release(&plugins);
    return command;
}

// The dynamic linker complains, on the generator's standard error, about what it cannot
// preload: it would look for a relative path along its own folders, and takes a list of
// paths, with names in them that it replaces. Without a tracer there is only no direct
// mode.
static char *find_tracer(const struct job *job)
{
    char *tracer =
        job->options.tracer == NULL ? NULL : os_absolute_path(job->options.tracer);
    if (tracer != NULL && strpbrk(tracer, " :;$") != NULL) {
        free(tracer);
        tracer = NULL;
    }
    return tracer;
}

static struct generator *start_generator(const struct job *job)
{
    // The socket's buffer has to take the request whole.
    enum { REQUEST_LIMIT = 16 * 1024 };
    struct error error = {{0}};
    struct buffer request = {0};
    make_probe_request(&job->request, &request);
    if (request.size > REQUEST_LIMIT) {
        job_bypass(job, BYPASS_COMMAND_LINE, "it is too long");
    }
    char *probe =
        probe_file_find(job->options.probe, job->program, job->options.folder, &error);
    // Halide splits -p at commas.
    if (probe == NULL || strchr(probe, ',') != NULL) {
        job_bypass(job, BYPASS_NO_PROBE, error.text);
    }
    char **command = command_with_probe(job, probe);
    char *tracer = find_tracer(job);
    struct generator *generator = generator_start(command, tracer, &request, &error);
    free(tracer);
    if (generator == NULL) {
        job_bypass(job, BYPASS_NOT_A_GENERATOR, error.text);
    }
    free(command[job->command_argc]);
    free(command[job->command_argc + 1]);
    free(command);
    free(probe);
    buffer_release(&request);
    return generator;
}

// A generator that ended before the probe spoke could not load it. It has not done
// anything yet, and runs again without it.
static _Noreturn void run_again_without_probe(const struct job *job,
                                              struct generator *generator)
{
    const struct exit_status status = generator_finish(generator, NULL, NULL);
    if (status.code == 0 && status.signal == 0) {
        job_record_bypass(job, BYPASS_NO_PROBE, "the generator loads no plugins");
        generator_pass_output(generator);
        exit_like(status);
    }
    generator_free(generator);
    job_bypass(job, BYPASS_NO_PROBE, "the generator cannot load the probe");
}

// ---- The report ---------------------------------------------------------------------

static bool add_binary(struct inquiry *inquiry, const char *path, bool whole_content)
{
    struct error error = {{0}};
    const char *file = path[0] == '\0' ? inquiry->job->program : path;
    if (path[0] == '\0' && !generator_runs(inquiry->generator, file)) {
        return give_up(inquiry, BYPASS_UNKNOWN_IDENTITY, "it was replaced meanwhile");
    }
    if (whole_content) {
        return key_add_plugin(inquiry->fields, file, inquiry->job->memory, &error) ||
               give_up(inquiry, BYPASS_UNKNOWN_IDENTITY, error.text);
    }
    return key_add_binary(inquiry->fields, file, inquiry->job->memory, &error) ||
           give_up(inquiry, BYPASS_UNKNOWN_IDENTITY, error.text);
}

// Reads a field's name and the digest of its value. NULL when the payload is damaged.
static char *read_field(const unsigned char *data, size_t size, struct digest *digest)
{
    struct reader payload = reader_make(data, size);
    char *name = reader_new_string(&payload);
    if (name != NULL &&
        !sha256_of(payload.data + payload.at, payload.size - payload.at, digest)) {
        free(name);
        return NULL;
    }
    return name;
}

static void note(struct buffer *fields, const char *name, const struct digest *digest)
{
    buffer_append_sized(fields, name, strlen(name));
    buffer_append(fields, digest->bytes, sizeof digest->bytes);
}

bool inquiry_note_field(struct buffer *fields, const unsigned char *payload, size_t size)
{
    struct digest digest;
    char *name = read_field(payload, size, &digest);
    if (name == NULL) {
        return false;
    }
    note(fields, name, &digest);
    free(name);
    return true;
}

static bool add_field(struct inquiry *inquiry, uint32_t tag, const unsigned char *data,
                      size_t size)
{
    struct digest digest;
    char *name = read_field(data, size, &digest);
    if (name == NULL) {
        return give_up(inquiry, BYPASS_NO_PROBE, "a damaged report");
    }
    key_add_digest(inquiry->fields, name, &digest);
    if (tag == PROBE_PIPELINE) {
        note(&inquiry->pipelines, name, &digest);
    }
    free(name);
    return true;
}

static bool handle_report(void *context, uint32_t tag, const unsigned char *data,
                          size_t size)
{
    struct inquiry *inquiry = context;
    struct reader payload = reader_make(data, size);
    char *text = mem_strndup((const char *)data, size);
    bool more = false;
    switch (tag) {
    case PROBE_FIELD:
    case PROBE_PIPELINE:
        more = add_field(inquiry, tag, data, size);
        break;
    case PROBE_BINARY:
        more = add_binary(inquiry, text, false);
        break;
    case PROBE_PLUGIN:
        more = add_binary(inquiry, text, true);
        break;
    case PROBE_TRACE:
        buffer_append(&inquiry->trace, data, size);
        more = true;
        break;
    case PROBE_OWN_AUTOSCHEDULER:
        more = add_binary(inquiry, "", true);
        break;
    case PROBE_BYPASS: {
        const uint32_t reason = reader_u32(&payload);
        more = give_up(inquiry,
                       reason > BYPASS_NONE && reason < BYPASS_REASONS
                           ? (enum bypass_reason)reason
                           : BYPASS_NO_PROBE,
                       size >= 4 ? text + 4 : "");
        break;
    }
    case PROBE_DONE:
        inquiry->is_done = true;
        more = true;
        break;
    case PROBE_ENDED:
        // A generator that exits while it builds also ends well.
        inquiry->reason = inquiry->is_done ? BYPASS_NONE : inquiry->reason;
        break;
    default:
        more = give_up(inquiry, BYPASS_NO_PROBE, "an unknown message");
        break;
    }
    free(text);
    return more;
}

// What was printed before the probe was loaded; a hit replays it.
static void add_output_so_far(struct inquiry *inquiry)
{
    bool joined = false;
    const struct buffer *out = NULL;
    const struct buffer *err = NULL;
    (void)generator_output(inquiry->generator, &joined, &out, &err);
    key_add(inquiry->fields, "printed before", out->data, out->size);
    key_add(inquiry->fields, "printed errors before", err->data, err->size);
}

// ---- The key ------------------------------------------------------------------------

static bool add_own_fields(struct inquiry *inquiry)
{
    struct job *job = inquiry->job;
    struct error error = {{0}};
    char version[16];
    (void)snprintf(version, sizeof version, "%d", PROBE_VERSION);
    key_add_string(inquiry->fields, "probe", version);
    key_add_request(inquiry->fields, &job->request);
    key_add_variables(inquiry->fields);
    return (key_add_variable_files(inquiry->fields, job->memory, &error) &&
            key_add_param_files(inquiry->fields, &job->request, job->memory, &error)) ||
           give_up(inquiry, BYPASS_UNKNOWN_IDENTITY, error.text);
}

// The binaries of the key once more: those behind the first `skip` bytes of its files.
static bool add_binaries_again(const struct inquiry *inquiry, size_t skip,
                               struct key *again)
{
    struct error error = {{0}};
    const struct buffer *files = key_files(inquiry->fields);
    struct reader reader = reader_make(files->data + skip, files->size - skip);
    bool ok = true;
    while (ok && reader.at < reader.size) {
        const bool identity_only = reader_u8(&reader) != 0;
        char *path = reader_new_string(&reader);
        ok = path != NULL &&
             (identity_only ? key_add_binary(again, path, inquiry->job->memory, &error)
                            : key_add_plugin(again, path, inquiry->job->memory, &error));
        free(path);
    }
    return ok;
}

bool inquiry_files_are_the_same(const struct inquiry *inquiry)
{
    const struct job *job = inquiry->job;
    struct error error = {{0}};
    struct key *again = key_new("pipeline");
    bool same = key_add_variable_files(again, job->memory, &error) &&
                key_add_param_files(again, &job->request, job->memory, &error) &&
                add_binaries_again(inquiry, key_files(again)->size, again);
    // Every line of the new one has to be in the old one.
    const char *line = key_components(again);
    for (size_t length = 0; same && (length = strcspn(line, "\n")) > 0;
         line += length + 1) {
        char *wanted = mem_printf("%.*s\n", (int)length, line);
        same = strstr(key_components(inquiry->fields), wanted) != NULL;
        free(wanted);
    }
    key_free(again);
    return same;
}

bool inquiry_make(struct inquiry *inquiry, struct job *job)
{
    *inquiry = (struct inquiry){
        .job = job, .generator = start_generator(job), .fields = key_new("pipeline")};
    if (!add_own_fields(inquiry)) {
        return false;
    }
    // Until the probe says that it is done, its child may have crashed.
    (void)give_up(inquiry, BYPASS_BUILD_FAILED, "the copy that builds it ended early");
    switch (generator_read_report(inquiry->generator, job->settings.timeout_ms,
                                  handle_report, inquiry)) {
    case REPORT_MISSING:
        run_again_without_probe(job, inquiry->generator);
    case REPORT_TIMEOUT:
        return give_up(inquiry, BYPASS_PROBE_TIMEOUT, "");
    case REPORT_COMPLETE:
        break;
    }
    add_output_so_far(inquiry);
    return inquiry->reason == BYPASS_NONE &&
           (key_finish(inquiry->fields, &inquiry->key) ||
            give_up(inquiry, BYPASS_UNKNOWN_IDENTITY, "libcrypto failed"));
}

void inquiry_release(struct inquiry *inquiry)
{
    generator_free(inquiry->generator);
    key_free(inquiry->fields);
    buffer_release(&inquiry->pipelines);
    buffer_release(&inquiry->trace);
    free(inquiry->reason_text);
}
