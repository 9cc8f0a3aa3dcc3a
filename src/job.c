// SPDX-License-Identifier: MIT

#include "job.h"

#include "buffer.h"
#include "generator.h"
#include "notice.h"
#include "os.h"
#include "stock_main.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Bypass -------------------------------------------------------------------------

static _Noreturn void become_command(char *const *command)
{
    generator_clean_environment();
    os_become(command);
    const int reason = errno;
    notice_error("cannot run %s: %s", command[0], strerror(reason));
    exit(reason == ENOENT || reason == ENOTDIR ? 127 : 126); // as a shell would
}

void job_record_bypass(const struct job *job, enum bypass_reason reason,
                       const char *detail)
{
    if (job->options.folder != NULL) {
        stats_record(job->options.folder, STATS_BYPASS, reason, 0);
    }
    notice_log("bypass %s: %s%s%s", job->command[0], bypass_text(reason),
               detail[0] == '\0' ? "" : ": ", detail);
}

_Noreturn void job_bypass(const struct job *job, enum bypass_reason reason,
                          const char *detail)
{
    if (job->on_bypass == ON_BYPASS_EXPLAIN) {
        notice_error("there is no key: %s%s%s", bypass_text(reason),
                     detail[0] == '\0' ? "" : ": ", detail);
        exit(1);
    }
    job_record_bypass(job, reason, detail);
    become_command(job->command);
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

static void require_cacheable_kinds(const struct job *job)
{
    for (int i = 0; i < OUTPUT_KINDS; i++) {
        const enum output_kind kind = (enum output_kind)i;
        if ((job->request.kinds >> i & 1) != 0 && !output_kind_is_cacheable(kind)) {
            job_bypass(job, BYPASS_OUTPUT_KIND, output_kind_name(kind));
        }
    }
}

// HL_SPIRV_DUMP_FILE, HL_HEXAGON_DUMP_BITCODE: files that the command does not name.
static void require_no_dumps(const struct job *job)
{
    for (char **variable = os_environment(); variable != NULL && *variable != NULL;
         variable++) {
        const char *equals = strchr(*variable, '=');
        const char *dump = strstr(*variable, "_DUMP_");
        if (strncmp(*variable, "HL_", 3) == 0 && dump != NULL && equals != NULL &&
            dump < equals && equals[1] != '\0') {
            job_bypass(job, BYPASS_UNDECLARED_OUTPUT, *variable);
        }
    }
}

// What these make Halide print are times and names of temporary files: no two
// compilations print the same, and whoever sets one wants to see this very compilation.
static void require_no_debugging(const struct job *job)
{
    static const char *const variables[] = {
        "HL_DEBUG_CODEGEN",
        "HL_DEBUG_COMPILER_LOGGER",
        "HL_TIME_LOWERING_PASSES",
    };
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = os_variable(variables[i]);
        if (value != NULL && value[0] != '\0' && strcmp(value, "0") != 0) {
            job_bypass(job, BYPASS_OUTPUT_KIND, variables[i]);
        }
    }
}

static void understand_command(struct job *job)
{
    struct error error = {{0}};
    if (!generator_can_be_probed()) {
        job_bypass(job, BYPASS_UNSUPPORTED_SYSTEM, "the probe needs fork()");
    }
    if (is_script(job->command)) {
        job_bypass(job, BYPASS_NOT_A_GENERATOR, "a script");
    }
    if (!request_parse(&job->request, job->command_argc - 1, job->command + 1,
                       os_variable("HL_EXTRA_OUTPUTS"), &error)) {
        job_bypass(job, BYPASS_COMMAND_LINE, error.text);
    }
    require_cacheable_kinds(job);
    require_no_dumps(job);
    require_no_debugging(job);
    job->outputs = outputs_of_request(&job->request);
    if (job->outputs.count == 0) {
        job_bypass(job, BYPASS_OUTPUT_KIND, "nothing that a runtime has");
    }
    job->program = os_find_program(job->command[0]);
    if (job->program == NULL) {
        become_command(job->command); // to say why
    }
}

void job_require_generator(const struct job *job)
{
    struct error error = {{0}};
    if (!stock_main_in_file(job->program, &error)) {
        job_bypass(job, error.text[0] == '\0' ? BYPASS_OWN_MAIN : BYPASS_NOT_A_GENERATOR,
                   error.text);
    }
}

static void open_cache(struct job *job)
{
    struct error error = {{0}};
    if (job->options.folder == NULL) {
        notice_warn_once("no cache folder: give --dir DIR or set HL_CACHE_DIR");
        job_bypass(job, BYPASS_NO_CACHE_FOLDER, "");
    }
    job->store = store_open(job->options.folder, &error);
    if (job->store == NULL) {
        notice_warn_once("%s; the build goes on uncached", error.text);
        job_bypass(job, BYPASS_NO_CACHE_FOLDER, error.text);
    }
    char *folder = mem_printf("%s/.digests", job->options.folder);
    job->memory = file_digest_memory_new(folder);
    free(folder);
}

// ---- Begin and end ------------------------------------------------------------------

static void complain_about_setting(void *context, const char *message)
{
    (void)context;
    notice_warn_once("%s", message);
}

bool job_begin(struct job *job, int argc, char **argv, const char *usage, int *exit_code)
{
    struct error error = {{0}};
    *job = (struct job){.start_ns = os_monotonic_ns()};
    switch (run_options_parse(&job->options, argc, argv, &error)) {
    case OPTIONS_OK:
        break;
    case OPTIONS_HELP:
        *exit_code = fputs(usage, stdout) >= 0 && fflush(stdout) == 0 ? 0 : 1;
        return false;
    case OPTIONS_BAD:
        notice_error("%s", error.text);
        *exit_code = 2;
        return false;
    }
    job->command = argv + job->options.command_at;
    job->command_argc = argc - job->options.command_at;
    settings_from_environment(&job->settings, complain_about_setting, NULL);
    return true;
}

void job_prepare(struct job *job)
{
    understand_command(job);
    open_cache(job);
}

void job_release(struct job *job)
{
    outputs_release(&job->outputs);
    request_release(&job->request);
    file_digest_memory_free(job->memory);
    store_close(job->store);
    free(job->program);
}

// ---- What became of it --------------------------------------------------------------

void job_record(const struct job *job, enum stats_event event, int64_t saved_ns)
{
    stats_record(job->options.folder, event, BYPASS_NONE, saved_ns);
}

void job_log(const struct job *job, const char *what, const struct digest *key)
{
    char hex[SHA256_HEX_SIZE];
    digest_to_hex(key, hex);
    notice_log("%s %s -> %s/%s, key %s, %.1f ms", what,
               job->request.is_runtime ? "runtime" : job->request.generator,
               job->request.output_folder, job->request.base_name, hex,
               (double)(os_monotonic_ns() - job->start_ns) / 1e6);
}

enum unchanged_output job_unchanged_outputs(const struct job *job)
{
    return job->options.restat ? UNCHANGED_KEEP : UNCHANGED_TOUCH;
}
