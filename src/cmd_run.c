// SPDX-License-Identifier: MIT
//
// One command, in order: read the options, understand the command line, start the
// generator with the probe, make the key from what it reports, look it up; then restore
// and let the generator leave, or let it go on and store what it wrote. Whatever is not
// in order on the way turns into a bypass: the generator runs as if we were not there.

#include "cmd_run.h"

#include "buffer.h"
#include "bypass.h"
#include "entry.h"
#include "error.h"
#include "flight.h"
#include "generator.h"
#include "key.h"
#include "key_fields.h"
#include "notice.h"
#include "options.h"
#include "os.h"
#include "output_files.h"
#include "probe/protocol.h"
#include "probe_file.h"
#include "prune.h"
#include "request.h"
#include "settings.h"
#include "stats.h"
#include "stock_main.h"
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    "  --restat      leave the time of outputs that do not change, as Ninja likes it\n"
    "\n"
    "The generator does not see HL_CACHE_DIR.\n";

struct run {
    struct run_options options;
    struct settings settings;
    char *const *command; // the generator and its arguments, NULL-terminated
    char *program;        // where the system finds it
    char *probe;
    struct request request;
    struct outputs outputs;
    struct store *store;
    struct file_digest_memory *memory;
    struct key *key;
    struct buffer probed;    // the pipelines' fields as the probe's child reported them
    struct buffer confirmed; // and as the generator itself did
    int64_t start_ns;
    enum bypass_reason reason; // why the report did not make a key
    char *reason_text;
};

// ---- Bypass -------------------------------------------------------------------------

static _Noreturn void become_command(char *const *command)
{
    generator_clean_environment();
    os_become(command);
    const int reason = errno;
    notice_error("cannot run %s: %s", command[0], strerror(reason));
    exit(reason == ENOENT || reason == ENOTDIR ? 127 : 126); // as a shell would
}

static void record_bypass(const struct run *run, enum bypass_reason reason,
                          const char *detail)
{
    if (run->options.folder != NULL) {
        stats_record(run->options.folder, STATS_BYPASS, reason, 0);
    }
    notice_log("bypass %s: %s%s%s", run->command[0], bypass_text(reason),
               detail[0] == '\0' ? "" : ": ", detail);
}

static _Noreturn void bypass(const struct run *run, enum bypass_reason reason,
                             const char *detail)
{
    record_bypass(run, reason, detail);
    become_command(run->command);
}

// ---- What can be told before anything runs ------------------------------------------

static bool is_script(char *const *command)
{
    for (; *command != NULL; command++) {
        const size_t length = strlen(*command);
        if (length > 3 && strcmp(*command + length - 3, ".py") == 0) {
            return true;
        }
    }
    return false;
}

static void require_cacheable_kinds(const struct run *run)
{
    for (int i = 0; i < OUTPUT_KINDS; i++) {
        const enum output_kind kind = (enum output_kind)i;
        if ((run->request.kinds >> i & 1) != 0 && !output_kind_is_cacheable(kind)) {
            bypass(run, BYPASS_OUTPUT_KIND, output_kind_name(kind));
        }
    }
}

static void understand_command(struct run *run, int argc)
{
    struct error error = {{0}};
    if (!generator_can_be_probed()) {
        bypass(run, BYPASS_UNSUPPORTED_SYSTEM, "");
    }
    if (is_script(run->command)) {
        bypass(run, BYPASS_NOT_A_GENERATOR, "a script");
    }
    if (!request_parse(&run->request, argc - 1, run->command + 1,
                       getenv("HL_EXTRA_OUTPUTS"), &error)) {
        bypass(run, BYPASS_COMMAND_LINE, error.text);
    }
    require_cacheable_kinds(run);
    run->outputs = outputs_of_request(&run->request);
    if (run->outputs.count == 0) {
        bypass(run, BYPASS_OUTPUT_KIND, "nothing that a runtime has");
    }
    run->program = os_find_program(run->command[0]);
    if (run->program == NULL) {
        become_command(run->command); // to say why
    }
    if (!stock_main_in_file(run->program, &error)) {
        bypass(run, error.text[0] == '\0' ? BYPASS_OWN_MAIN : BYPASS_NOT_A_GENERATOR,
               error.text);
    }
}

static void complain_about_setting(void *context, const char *message)
{
    (void)context;
    notice_warn_once("%s", message);
}

static void open_cache(struct run *run)
{
    struct error error = {{0}};
    if (run->options.folder == NULL) {
        notice_warn_once("no cache folder: give --dir DIR or set HL_CACHE_DIR");
        bypass(run, BYPASS_NO_CACHE_FOLDER, "");
    }
    run->store = store_open(run->options.folder, &error);
    if (run->store == NULL) {
        notice_warn_once("%s; the build goes on uncached", error.text);
        bypass(run, BYPASS_NO_CACHE_FOLDER, error.text);
    }
    char *folder = mem_printf("%s/.digests", run->options.folder);
    run->memory = file_digest_memory_new(folder);
    free(folder);
}

// ---- The report, and the key --------------------------------------------------------

static bool give_up(struct run *run, enum bypass_reason reason, const char *text)
{
    run->reason = reason;
    free(run->reason_text);
    run->reason_text = mem_strdup(text);
    return false;
}

static bool add_binary(struct run *run, const char *path, bool whole_content)
{
    struct error error = {{0}};
    const char *file = path[0] == '\0' ? run->program : path;
    if (whole_content) {
        const char *slash = strrchr(file, '/');
        char *field = mem_printf("plugin %s", slash == NULL ? file : slash + 1);
        const bool ok = key_add_file(run->key, field, file, run->memory, &error);
        free(field);
        return ok || give_up(run, BYPASS_UNKNOWN_IDENTITY, error.text);
    }
    return key_add_binary(run->key, file, run->memory, &error) ||
           give_up(run, BYPASS_UNKNOWN_IDENTITY, error.text);
}

// Reads a field's name and the digest of its value. NULL when the payload is damaged.
static char *read_field(struct reader *payload, struct digest *digest)
{
    char *name = reader_new_string(payload);
    if (name != NULL &&
        !sha256_of(payload->data + payload->at, payload->size - payload->at, digest)) {
        free(name);
        return NULL;
    }
    return name;
}

static void note_field(struct buffer *fields, const char *name,
                       const struct digest *digest)
{
    buffer_append_sized(fields, name, strlen(name));
    buffer_append(fields, digest->bytes, sizeof digest->bytes);
}

static bool add_reported_field(struct run *run, uint32_t tag, struct reader *payload)
{
    struct digest digest;
    char *name = read_field(payload, &digest);
    if (name == NULL) {
        return give_up(run, BYPASS_NO_PROBE, "a damaged report");
    }
    key_add_digest(run->key, name, &digest);
    if (tag == PROBE_PIPELINE) {
        note_field(&run->probed, name, &digest);
    }
    free(name);
    return true;
}

static bool handle_report(void *context, uint32_t tag, const unsigned char *data,
                          size_t size)
{
    struct run *run = context;
    struct reader payload = reader_make(data, size);
    char *text = mem_strndup((const char *)data, size);
    bool more = false;
    switch (tag) {
    case PROBE_FIELD:
    case PROBE_PIPELINE:
        more = add_reported_field(run, tag, &payload);
        break;
    case PROBE_BINARY:
        more = add_binary(run, text, false);
        break;
    case PROBE_PLUGIN:
        more = add_binary(run, text, true);
        break;
    case PROBE_OWN_AUTOSCHEDULER:
        more = add_binary(run, "", true);
        break;
    case PROBE_BYPASS: {
        const uint32_t reason = reader_u32(&payload);
        more = give_up(run,
                       reason > BYPASS_NONE && reason < BYPASS_REASONS
                           ? (enum bypass_reason)reason
                           : BYPASS_NO_PROBE,
                       size >= 4 ? text + 4 : "");
        break;
    }
    case PROBE_DONE:
        run->reason = BYPASS_NONE;
        break;
    default:
        more = give_up(run, BYPASS_NO_PROBE, "an unknown message");
        break;
    }
    free(text);
    return more;
}

static void make_probe_request(const struct request *request, struct buffer *to)
{
    buffer_append_u32(to, PROBE_VERSION);
    buffer_append_u32(to, (request->is_runtime ? PROBE_FLAG_RUNTIME : 0U) |
                              (request->gradient ? PROBE_FLAG_GRADIENT : 0U));
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
static char **command_with_probe(const struct run *run, int argc)
{
    struct buffer plugins = {0};
    buffer_append_string(&plugins, run->probe);
    for (size_t i = 0; i < run->request.plugin_count; i++) {
        buffer_append_u8(&plugins, ',');
        buffer_append_string(&plugins, run->request.plugins[i]);
    }
    char **command = mem_new((size_t)argc + 3, sizeof *command);
    for (int i = 0; i < argc; i++) {
        command[i] = run->command[i];
    }
    command[argc] = mem_strdup("-p");
    command[argc + 1] = mem_strndup((const char *)plugins.data, plugins.size);
    buffer_release(&plugins);
    return command;
}

static struct generator *start_generator(struct run *run, int argc)
{
    // The socket's buffer has to take the request whole.
    enum { REQUEST_LIMIT = 16 * 1024 };
    struct error error = {{0}};
    struct buffer request = {0};
    make_probe_request(&run->request, &request);
    if (request.size > REQUEST_LIMIT) {
        bypass(run, BYPASS_COMMAND_LINE, "it is too long");
    }
    run->probe =
        probe_file_find(run->options.probe, run->program, run->options.folder, &error);
    // Halide splits -p at commas.
    if (run->probe == NULL || strchr(run->probe, ',') != NULL) {
        bypass(run, BYPASS_NO_PROBE, error.text);
    }
    char **command = command_with_probe(run, argc);
    struct generator *generator = generator_start(command, &request, &error);
    if (generator == NULL) {
        bypass(run, BYPASS_NOT_A_GENERATOR, error.text);
    }
    free(command[argc]);
    free(command[argc + 1]);
    free(command);
    buffer_release(&request);
    return generator;
}

// A generator that ended before the probe spoke could not load it. It has not done
// anything yet, and runs again without it.
static _Noreturn void run_again_without_probe(struct run *run,
                                              struct generator *generator)
{
    const struct exit_status status = generator_finish(generator, NULL, NULL);
    if (status.code == 0 && status.signal == 0) {
        record_bypass(run, BYPASS_NO_PROBE, "the generator loads no plugins");
        generator_pass_output(generator);
        exit_like(status);
    }
    generator_free(generator);
    bypass(run, BYPASS_NO_PROBE, "the generator cannot load the probe");
}

// What was printed before the probe was loaded; a hit replays it.
static void add_output_so_far(struct run *run, struct generator *generator)
{
    bool joined = false;
    const struct buffer *out = NULL;
    const struct buffer *err = NULL;
    (void)generator_output(generator, &joined, &out, &err);
    key_add(run->key, "printed before", out->data, out->size);
    key_add(run->key, "printed errors before", err->data, err->size);
}

// Reads the report and makes the key. False with run->reason when there is none.
static bool make_key(struct run *run, struct generator *generator, struct digest *key)
{
    struct error error = {{0}};
    run->key = key_new("pipeline");
    char version[16];
    (void)snprintf(version, sizeof version, "%d", PROBE_VERSION);
    key_add_string(run->key, "probe", version);
    key_add_request(run->key, &run->request);
    if (!key_add_environment(run->key, run->memory, &error) ||
        !key_add_param_files(run->key, &run->request, run->memory, &error)) {
        return give_up(run, BYPASS_UNKNOWN_IDENTITY, error.text);
    }
    // Until the probe says that it is done, its child may have crashed.
    (void)give_up(run, BYPASS_BUILD_FAILED, "");
    switch (
        generator_read_report(generator, run->settings.timeout_ms, handle_report, run)) {
    case REPORT_MISSING:
        run_again_without_probe(run, generator);
    case REPORT_TIMEOUT:
        return give_up(run, BYPASS_PROBE_TIMEOUT, "");
    case REPORT_COMPLETE:
        break;
    }
    add_output_so_far(run, generator);
    return run->reason == BYPASS_NONE &&
           (key_finish(run->key, key) ||
            give_up(run, BYPASS_UNKNOWN_IDENTITY, "libcrypto"));
}

// ---- Hit ----------------------------------------------------------------------------

static enum unchanged_output unchanged_outputs(const struct run *run)
{
    return run->options.restat ? UNCHANGED_KEEP : UNCHANGED_TOUCH;
}

static bool output_fits(const struct entry *entry)
{
    return entry->out_size + entry->err_size == 0 ||
           entry->streams_joined == generator_streams_are_joined();
}

// Looks up and restores. False on a miss.
static bool restore(struct run *run, const struct digest *key, int64_t *compile_ns)
{
    struct error error = {{0}};
    struct buffer bytes = {0};
    struct entry entry;
    bool restored = false;
    if (!store_read(run->store, STORE_ENTRY, key, &bytes, &error)) {
        if (error.text[0] != '\0') {
            stats_record(run->options.folder, STATS_ERROR, BYPASS_NONE, 0);
            notice_log("error %s: %s", run->command[0], error.text);
        }
    } else if (!entry_decode(&entry, key, bytes.data, bytes.size, &error)) {
        stats_record(run->options.folder, STATS_ERROR, BYPASS_NONE, 0);
        notice_log("error %s: a damaged entry is removed: %s", run->command[0],
                   error.text);
        (void)store_remove(run->store, STORE_ENTRY, key, NULL);
    } else {
        restored = output_fits(&entry) &&
                   output_files_restore(
                       &run->outputs, &entry,
                       run->options.restat ? UNCHANGED_KEEP : UNCHANGED_TOUCH, &error);
        if (restored) {
            generator_replay(1, entry.out, entry.out_size);
            generator_replay(2, entry.err, entry.err_size);
            *compile_ns = (int64_t)entry.compile_ns;
        }
        entry_release(&entry);
    }
    buffer_release(&bytes);
    return restored;
}

static void log_result(const struct run *run, const char *what, const struct digest *key)
{
    char hex[SHA256_HEX_SIZE];
    digest_to_hex(key, hex);
    notice_log("%s %s -> %s/%s, key %s, %.1f ms", what,
               run->request.is_runtime ? "runtime" : run->request.generator,
               run->request.output_folder, run->request.base_name, hex,
               (double)(os_monotonic_ns() - run->start_ns) / 1e6);
}

// ---- Miss ---------------------------------------------------------------------------

static void store_result(struct run *run, const struct digest *key,
                         struct generator *generator, struct entry *entry)
{
    struct error error = {{0}};
    struct buffer bytes = {0};
    const struct buffer *out = NULL;
    const struct buffer *err = NULL;
    if (!generator_output(generator, &entry->streams_joined, &out, &err)) {
        notice_log("not stored %s: it prints too much", run->command[0]);
        return;
    }
    entry->out = out->data;
    entry->out_size = out->size;
    entry->err = err->data;
    entry->err_size = err->size;
    entry->components = key_components(run->key);
    if (!entry_encode(entry, key, &bytes, &error) ||
        !store_write(run->store, STORE_ENTRY, key, bytes.data, bytes.size, &error)) {
        stats_record(run->options.folder, STATS_ERROR, BYPASS_NONE, 0);
        notice_warn_once("%s; the build goes on uncached", error.text);
    } else {
        prune_if_due(run->store, &run->settings);
    }
    buffer_release(&bytes);
}

// The run that compiles, watched.
struct compilation {
    struct run *run;
    struct generator *generator;
    bool ended;                 // main() is over
    struct file_status *at_end; // of the outputs, then
    size_t printed_at_end;
};

static size_t count_printed(struct generator *generator)
{
    bool joined = false;
    const struct buffer *out = NULL;
    const struct buffer *err = NULL;
    (void)generator_output(generator, &joined, &out, &err);
    return out->size + err->size;
}

static bool handle_confirmation(void *context, uint32_t tag, const unsigned char *data,
                                size_t size)
{
    struct compilation *compilation = context;
    struct run *run = compilation->run;
    struct reader payload = reader_make(data, size);
    if (tag == PROBE_PIPELINE) {
        struct digest digest;
        char *name = read_field(&payload, &digest);
        if (name != NULL) {
            note_field(&run->confirmed, name, &digest);
        }
        free(name);
        return name != NULL;
    }
    if (tag == PROBE_END) {
        compilation->ended = true;
        compilation->printed_at_end = count_printed(compilation->generator);
        for (size_t i = 0; i < run->outputs.count; i++) {
            (void)os_stat(run->outputs.list[i].path, &compilation->at_end[i]);
        }
    }
    return true;
}

// Was this run what the key says it was, and nothing more? If not, `*reason`.
static bool is_as_probed(const struct compilation *compilation,
                         enum bypass_reason *reason)
{
    const struct run *run = compilation->run;
    *reason = BYPASS_NONDETERMINISTIC;
    if (run->probed.size != run->confirmed.size ||
        (run->probed.size > 0 &&
         memcmp(run->probed.data, run->confirmed.data, run->probed.size) != 0)) {
        return false;
    }
    *reason = BYPASS_SIDE_EFFECTS;
    if (!compilation->ended ||
        compilation->printed_at_end != count_printed(compilation->generator)) {
        return false;
    }
    for (size_t i = 0; i < run->outputs.count; i++) {
        struct file_status now;
        if (!os_stat(run->outputs.list[i].path, &now) ||
            !file_status_equal(&now, &compilation->at_end[i])) {
            return false;
        }
    }
    return true;
}

static void keep_result(struct run *run, const struct digest *key,
                        struct compilation *compilation, struct output_state *state,
                        struct entry *entry)
{
    struct error error = {{0}};
    enum bypass_reason reason = BYPASS_NONE;
    if (!output_files_collect(&run->outputs, state, entry, &error)) {
        notice_log("not stored %s: %s", run->command[0], error.text);
    } else if (!is_as_probed(compilation, &reason)) {
        record_bypass(run, reason, "it did not do what it was probed to do");
        return;
    } else {
        output_files_settle(&run->outputs, state, entry, unchanged_outputs(run));
        store_result(run, key, compilation->generator, entry);
    }
    stats_record(run->options.folder, STATS_MISS, BYPASS_NONE, 0);
    log_result(run, "miss", key);
}

static struct exit_status compile_and_store(struct run *run, const struct digest *key,
                                            struct generator *generator)
{
    struct compilation compilation = {
        .run = run,
        .generator = generator,
        .at_end = mem_new(run->outputs.count, sizeof *compilation.at_end)};
    struct output_state *state = output_state_take(&run->outputs);
    struct entry entry = {0};
    const int64_t go_ns = os_monotonic_ns();
    generator_answer(generator, ANSWER_GO_CONFIRM);
    const struct exit_status status =
        generator_finish(generator, handle_confirmation, &compilation);
    entry.compile_ns = (uint64_t)(os_monotonic_ns() - go_ns);
    if (status.code != 0 || status.signal != 0) {
        stats_record(run->options.folder, STATS_MISS, BYPASS_NONE, 0);
        log_result(run, "miss, not stored because it failed,", key);
    } else {
        keep_result(run, key, &compilation, state, &entry);
    }
    output_state_free(state);
    free(compilation.at_end);
    return status;
}

// ---- The command --------------------------------------------------------------------

// Somebody else may be compiling the same right now. False: it is for us to do, with or
// without others knowing.
static bool restore_after_flight(struct run *run, const struct digest *key,
                                 int64_t *compile_ns, struct flight **flight)
{
    *flight = flight_take_off(run->options.folder, key, run->settings.wait_ms);
    return *flight != NULL && restore(run, key, compile_ns);
}

static struct exit_status run_cached(struct run *run, int argc)
{
    struct flight *flight = NULL;
    struct digest key;
    struct exit_status status = {0};
    struct generator *generator = start_generator(run, argc);
    int64_t compile_ns = 0;
    if (!make_key(run, generator, &key)) {
        record_bypass(run, run->reason, run->reason_text);
        generator_answer(generator, ANSWER_GO);
        status = generator_finish(generator, NULL, NULL);
    } else if (restore(run, &key, &compile_ns) ||
               restore_after_flight(run, &key, &compile_ns, &flight)) {
        generator_answer(generator, ANSWER_STOP);
        (void)generator_finish(generator, NULL, NULL);
        stats_record(run->options.folder, STATS_PIPELINE_HIT, BYPASS_NONE,
                     compile_ns - (os_monotonic_ns() - run->start_ns));
        log_result(run, "pipeline hit", &key);
    } else {
        status = compile_and_store(run, &key, generator);
    }
    flight_land(flight);
    generator_free(generator);
    return status;
}

static void run_release(struct run *run)
{
    key_free(run->key);
    buffer_release(&run->probed);
    buffer_release(&run->confirmed);
    outputs_release(&run->outputs);
    request_release(&run->request);
    file_digest_memory_free(run->memory);
    store_close(run->store);
    free(run->program);
    free(run->probe);
    free(run->reason_text);
}

int cmd_run(int argc, char **argv)
{
    struct run run = {.start_ns = os_monotonic_ns()};
    struct error error = {{0}};
    switch (run_options_parse(&run.options, argc, argv, &error)) {
    case OPTIONS_OK:
        break;
    case OPTIONS_HELP:
        return fputs(usage, stdout) >= 0 && fflush(stdout) == 0 ? 0 : 1;
    case OPTIONS_BAD:
        notice_error("%s", error.text);
        return 2;
    }
    run.command = argv + run.options.command_at;
    const int command_argc = argc - run.options.command_at;
    settings_from_environment(&run.settings, complain_about_setting, NULL);
    understand_command(&run, command_argc);
    open_cache(&run);
    const struct exit_status status = run_cached(&run, command_argc);
    run_release(&run);
    exit_like(status);
}
