// SPDX-License-Identifier: MIT

#include "key_fields.h"

#include "buffer.h"
#include "identity.h"
#include "os.h"
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

// ---- The command line ---------------------------------------------------------------

static void add_strings(struct key *key, const char *field, char *const *strings,
                        size_t count)
{
    struct buffer value = {0};
    for (size_t i = 0; i < count; i++) {
        buffer_append_sized(&value, strings[i], strlen(strings[i]));
    }
    key_add(key, field, value.data, value.size);
    buffer_release(&value);
}

// What a plugin holds comes with the probe's report; where it lies does not matter.
static void add_plugin_names(struct key *key, const struct request *request)
{
    struct buffer value = {0};
    for (size_t i = 0; i < request->plugin_count; i++) {
        const char *slash = strrchr(request->plugins[i], '/');
        const char *name = slash == NULL ? request->plugins[i] : slash + 1;
        buffer_append_sized(&value, name, strlen(name));
    }
    key_add(key, "plugins", value.data, value.size);
    buffer_release(&value);
}

static void add_params(struct key *key, const struct request *request)
{
    struct buffer value = {0};
    for (size_t i = 0; i < request->param_count; i++) {
        const struct param *param = &request->params[i];
        buffer_append_sized(&value, param->name, strlen(param->name));
        buffer_append_sized(&value, param->value, strlen(param->value));
    }
    key_add(key, "params", value.data, value.size);
    buffer_release(&value);
}

static void add_kinds(struct key *key, const struct request *request)
{
    struct buffer value = {0};
    for (int i = 0; i < OUTPUT_KINDS; i++) {
        if ((request->kinds >> i & 1) != 0) {
            buffer_append_string(&value, output_kind_name((enum output_kind)i));
            buffer_append_u8(&value, ',');
        }
    }
    key_add(key, "kinds", value.data, value.size);
    buffer_release(&value);
}

static bool folder_matters(const struct request *request)
{
    bool matters = request->verbose; // it prints the paths
    for (int i = 0; i < OUTPUT_KINDS; i++) {
        matters = matters || ((request->kinds >> i & 1) != 0 &&
                              !output_kind_ignores_folder((enum output_kind)i));
    }
    return matters;
}

void key_add_request(struct key *key, const struct request *request)
{
    // The object of a runtime is the same whatever it is called, which is what lets every
    // library's own runtime be compiled once.
    const bool any_name = request->is_runtime && request->kinds == UINT32_C(1)
                                                                       << OUTPUT_OBJECT;
    key_add_string(key, "kind", request->is_runtime ? "runtime" : "generator");
    key_add_string(key, "generator", request->generator);
    key_add_string(key, "function", request->function);
    key_add_string(key, "base name", any_name ? "" : request->base_name);
    key_add_string(key, "output folder",
                   folder_matters(request) && !any_name ? request->output_folder : "");
    key_add_string(key, "gradient", request->gradient ? "1" : "0");
    key_add_string(key, "verbose", request->verbose ? "1" : "0");
    key_add_string(key, "timeout", request->timeout);
    add_kinds(key, request);
    add_params(key, request);
    add_strings(key, "targets", request->targets, request->target_count);
    add_plugin_names(key, request);
}

// ---- Files --------------------------------------------------------------------------

bool key_add_file(struct key *key, const char *field, const char *path,
                  struct file_digest_memory *memory, struct error *error)
{
    struct digest digest;
    if (!file_digest(path, memory, &digest, error)) {
        return false;
    }
    key_add(key, field, digest.bytes, sizeof digest.bytes);
    key_note_file(key, false, path);
    return true;
}

bool key_add_plugin(struct key *key, const char *path, struct file_digest_memory *memory,
                    struct error *error)
{
    const char *slash = strrchr(path, '/');
    char *field = mem_printf("plugin %s", slash == NULL ? path : slash + 1);
    const bool ok = key_add_file(key, field, path, memory, error);
    free(field);
    return ok;
}

bool key_add_binary(struct key *key, const char *path, struct file_digest_memory *memory,
                    struct error *error)
{
    char *identity = identity_of_file(path, memory, error);
    if (identity == NULL) {
        return false;
    }
    const char *slash = strrchr(path, '/');
    char *field = mem_printf("binary %s", slash == NULL ? path : slash + 1);
    key_add_string(key, field, identity);
    key_note_file(key, true, path);
    free(field);
    free(identity);
    return true;
}

struct listing {
    char **names;
    size_t count;
};

enum { LISTING_LIMIT = 1000 }; // files of a folder that a setting names

static bool note_name(void *context, const char *name)
{
    struct listing *listing = context;
    if (listing->count < LISTING_LIMIT) {
        listing->names[listing->count] = mem_strdup(name);
    }
    return ++listing->count <= LISTING_LIMIT;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Files directly in a folder, such as one that holds an autoscheduler's weights.
static bool add_folder(struct key *key, const char *field, const char *path,
                       struct file_digest_memory *memory, struct error *error)
{
    struct listing listing = {.names = mem_new(LISTING_LIMIT, sizeof(char *))};
    bool ok = os_list_directory(path, note_name, &listing, error);
    key_note_file(key, false, path);
    if (ok && listing.count > LISTING_LIMIT) {
        listing.count = LISTING_LIMIT;
        ok = error_set(error, "%s has more than %d files", path, LISTING_LIMIT);
    }
    qsort(listing.names, listing.count, sizeof *listing.names, compare_names);
    for (size_t i = 0; i < listing.count; i++) {
        char *file = mem_printf("%s/%s", path, listing.names[i]);
        char *name = mem_printf("%s/%s", field, listing.names[i]);
        struct file_status status;
        if (ok && os_stat(file, &status) && status.kind == FILE_REGULAR) {
            ok = key_add_file(key, name, file, memory, error);
        } else if (ok) {
            key_add_string(key, name, "not a file");
        }
        free(name);
        free(file);
        free(listing.names[i]);
    }
    free(listing.names);
    return ok;
}

// If a setting's value names a file or a folder, its content counts as well.
static bool add_named(struct key *key, const char *what, const char *name,
                      const char *path, struct file_digest_memory *memory,
                      struct error *error)
{
    struct file_status status;
    if (path[0] == '\0' || !os_stat(path, &status) || status.kind == FILE_OTHER) {
        return true;
    }
    char *field = mem_printf("%s %s", what, name);
    const bool ok = status.kind == FILE_REGULAR
                        ? key_add_file(key, field, path, memory, error)
                        : add_folder(key, field, path, memory, error);
    free(field);
    return ok;
}

bool key_add_param_files(struct key *key, const struct request *request,
                         struct file_digest_memory *memory, struct error *error)
{
    bool ok = true;
    for (size_t i = 0; ok && i < request->param_count; i++) {
        const struct param *param = &request->params[i];
        struct file_status status;
        // All other params are used up when the pipeline is built.
        if (strncmp(param->name, "autoscheduler.", 14) != 0) {
            continue;
        }
        // Without its weights an autoscheduler draws some.
        if (strcmp(param->name, "autoscheduler.weights_path") == 0 &&
            !os_stat(param->value, &status)) {
            ok = error_set_errno(error, "cannot examine %s", param->value);
        } else {
            ok =
                add_named(key, "file of param", param->name, param->value, memory, error);
        }
    }
    return ok;
}

// ---- The environment ----------------------------------------------------------------

static bool starts_with_any(const char *text, const char *const *starts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(text, starts[i], strlen(starts[i])) == 0) {
            return true;
        }
    }
    return false;
}

#define STARTS_WITH_ANY(text, starts)                                                    \
    starts_with_any(text, starts, sizeof starts / sizeof starts[0])

// HL_*: Halide and its autoschedulers, whatever the version. LLVM_*: code generation.
// The locale: how numbers are printed. Our own variables never reach the generator.
static bool variable_counts(const char *variable)
{
    static const char *const starts[] = {"HL_",
                                         "HALIDE_",
                                         "LLVM_",
                                         "LC_",
                                         "LANG=",
                                         "LANGUAGE=",
                                         "TZ=",
                                         "MALLOC_",
                                         "GLIBC_TUNABLES=",
                                         "SYM64_THRESHOLD=",
                                         "FLUSH_MEMOIZE_CACHE=",
                                         "ENABLE_FILTER_PRINTING="};
    static const char *const ours[] = {"HL_CACHE_", "HALIDE_CACHE_"};
    return STARTS_WITH_ANY(variable, starts) && !STARTS_WITH_ANY(variable, ours);
}

static bool is_for_loader(const char *variable)
{
    static const char *const starts[] = {"LD_", "DYLD_"};
    return STARTS_WITH_ANY(variable, starts);
}

// The variables that `counts` takes, sorted. The caller frees the array.
static char **select_variables(bool (*counts)(const char *variable), size_t *count)
{
    char **environment = os_environment();
    size_t all = 0;
    while (environment != NULL && environment[all] != NULL) {
        all++;
    }
    char **selected = mem_new(all, sizeof *selected);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        if (counts(environment[i])) {
            selected[(*count)++] = environment[i];
        }
    }
    qsort(selected, *count, sizeof *selected, compare_names);
    return selected;
}

static const char *value_of(const char *variable)
{
    const char *equals = strchr(variable, '=');
    return equals == NULL ? "" : equals + 1;
}

static char *name_of(const char *variable)
{
    return mem_strndup(variable, strcspn(variable, "="));
}

static void add_variables(struct key *key, bool (*counts)(const char *variable))
{
    size_t count = 0;
    char **variables = select_variables(counts, &count);
    for (size_t i = 0; i < count; i++) {
        char *name = name_of(variables[i]);
        char *field = mem_printf("variable %s", name);
        key_add_string(key, field, value_of(variables[i]));
        free(field);
        free(name);
    }
    free(variables);
}

void key_add_variables(struct key *key)
{
    add_variables(key, variable_counts);
}

void key_add_loader_variables(struct key *key)
{
    add_variables(key, is_for_loader);
}

bool key_add_variable_files(struct key *key, struct file_digest_memory *memory,
                            struct error *error)
{
    size_t count = 0;
    char **variables = select_variables(variable_counts, &count);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        char *name = name_of(variables[i]);
        ok = add_named(key, "file of variable", name, value_of(variables[i]), memory,
                       error);
        free(name);
    }
    free(variables);
    return ok;
}
