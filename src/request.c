// SPDX-License-Identifier: MIT

#include "request.h"

#include "buffer.h"

#include <stdlib.h>
#include <string.h>

// Halide's get_output_info (src/Module.cpp).
static const char *const kind_names[OUTPUT_KINDS] = {
    [OUTPUT_ASSEMBLY] = "assembly",
    [OUTPUT_BITCODE] = "bitcode",
    [OUTPUT_C_HEADER] = "c_header",
    [OUTPUT_C_SOURCE] = "c_source",
    [OUTPUT_COMPILER_LOG] = "compiler_log",
    [OUTPUT_CONCEPTUAL_STMT] = "conceptual_stmt",
    [OUTPUT_CONCEPTUAL_STMT_HTML] = "conceptual_stmt_html",
    [OUTPUT_CPP_STUB] = "cpp_stub",
    [OUTPUT_DEVICE_CODE] = "device_code",
    [OUTPUT_FEATURIZATION] = "featurization",
    [OUTPUT_FUNCTION_INFO_HEADER] = "function_info_header",
    [OUTPUT_HLPIPE] = "hlpipe",
    [OUTPUT_LLVM_ASSEMBLY] = "llvm_assembly",
    [OUTPUT_OBJECT] = "object",
    [OUTPUT_PYTHON_EXTENSION] = "python_extension",
    [OUTPUT_PYTORCH_WRAPPER] = "pytorch_wrapper",
    [OUTPUT_REGISTRATION] = "registration",
    [OUTPUT_SCHEDULE] = "schedule",
    [OUTPUT_STATIC_LIBRARY] = "static_library",
    [OUTPUT_STMT] = "stmt",
    [OUTPUT_STMT_HTML] = "stmt_html",
};

// Older names that the command line still takes (src/Generator.cpp).
static const struct {
    const char *name;
    enum output_kind kind;
} kind_aliases[] = {
    {"cpp", OUTPUT_C_SOURCE},          {"h", OUTPUT_C_HEADER},
    {"html", OUTPUT_STMT_HTML},        {"o", OUTPUT_OBJECT},
    {"py.c", OUTPUT_PYTHON_EXTENSION},
};

const char *output_kind_name(enum output_kind kind)
{
    return kind_names[kind];
}

// ---- Lists --------------------------------------------------------------------------

static void append_piece(char ***pieces, size_t *count, const char *text, size_t length)
{
    char **grown = mem_new(*count + 1, sizeof *grown);
    if (*count > 0) {
        memcpy(grown, *pieces, *count * sizeof *grown);
    }
    grown[(*count)++] = mem_strndup(text, length);
    free(*pieces);
    *pieces = grown;
}

// Splits at commas; with `keep_empty` also the empty pieces between two of them count.
static void split(const char *text, bool keep_empty, char ***pieces, size_t *count)
{
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (length > 0 || keep_empty) {
            append_piece(pieces, count, text, length);
        }
        if (text[length] == '\0') {
            return;
        }
        text += length + 1;
    }
}

static void free_pieces(char **pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(pieces[i]);
    }
    free(pieces);
}

// ---- Output kinds -------------------------------------------------------------------

static bool find_kind(const char *name, enum output_kind *kind)
{
    for (size_t i = 0; i < OUTPUT_KINDS; i++) {
        if (strcmp(name, kind_names[i]) == 0) {
            *kind = (enum output_kind)i;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof kind_aliases / sizeof kind_aliases[0]; i++) {
        if (strcmp(name, kind_aliases[i].name) == 0) {
            *kind = kind_aliases[i].kind;
            return true;
        }
    }
    return false;
}

static bool add_kinds(struct request *request, const char *list, struct error *error)
{
    char **names = NULL;
    size_t count = 0;
    bool ok = true;
    split(list, true, &names, &count);
    for (size_t i = 0; ok && i < count; i++) {
        enum output_kind kind = OUTPUT_KINDS;
        ok = find_kind(names[i], &kind);
        if (ok) {
            request->kinds |= UINT32_C(1) << kind;
        } else {
            error_set(error, "unknown kind of output '%s'", names[i]);
        }
    }
    free_pieces(names, count);
    return ok;
}

static bool read_kinds(struct request *request, const char *list, const char *extra,
                       struct error *error)
{
    const bool has_list = list[0] != '\0';
    const bool has_extra = extra != NULL && extra[0] != '\0';
    if (!has_list && !has_extra) {
        request->kinds = UINT32_C(1) << OUTPUT_C_HEADER |
                         UINT32_C(1) << OUTPUT_REGISTRATION |
                         UINT32_C(1) << OUTPUT_STATIC_LIBRARY;
        return true;
    }
    return (!has_list || add_kinds(request, list, error)) &&
           (!has_extra || add_kinds(request, extra, error));
}

// ---- Params -------------------------------------------------------------------------

static int compare_params(const void *a, const void *b)
{
    return strcmp(((const struct param *)a)->name, ((const struct param *)b)->name);
}

static void set_param(struct request *request, const char *name, size_t name_length,
                      const char *value)
{
    for (size_t i = 0; i < request->param_count; i++) {
        struct param *param = &request->params[i];
        if (strlen(param->name) == name_length &&
            memcmp(param->name, name, name_length) == 0) {
            free(param->value);
            param->value = mem_strdup(value);
            return;
        }
    }
    struct param *grown = mem_new(request->param_count + 1, sizeof *grown);
    if (request->param_count > 0) {
        memcpy(grown, request->params, request->param_count * sizeof *grown);
    }
    grown[request->param_count++] = (struct param){.name = mem_strndup(name, name_length),
                                                   .value = mem_strdup(value)};
    free(request->params);
    request->params = grown;
}

// A repeated flag or param replaces the earlier one.
static bool read_param(struct request *request, const char *argument,
                       const char **targets, struct error *error)
{
    const char *equals = strchr(argument, '=');
    if (equals == NULL || equals == argument || equals[1] == '\0' ||
        strchr(equals + 1, '=') != NULL) {
        return error_set(error, "'%s' is not of the form name=value", argument);
    }
    const size_t name_length = (size_t)(equals - argument);
    if (name_length == 6 && memcmp(argument, "target", 6) == 0) {
        *targets = equals + 1;
    } else {
        set_param(request, argument, name_length, equals + 1);
    }
    return true;
}

// ---- The command line ---------------------------------------------------------------

// The flags' values, by their letter.
struct flags {
    const char *value['z' + 1];
};

static bool read_arguments(struct request *request, struct flags *flags,
                           const char **targets, int argc, char *const argv[],
                           struct error *error)
{
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];
        if (argument[0] != '-') {
            if (!read_param(request, argument, targets, error)) {
                return false;
            }
            continue;
        }
        if (argument[1] == '\0' || argument[2] != '\0' ||
            strchr("defgnoprtv", argument[1]) == NULL) {
            return error_set(error, "unknown flag '%s'", argument);
        }
        if (i + 1 >= argc) {
            return error_set(error, "the flag '%s' has no value", argument);
        }
        flags->value[(unsigned char)argument[1]] = argv[++i];
    }
    return true;
}

static bool read_switch(const char *text, bool *value)
{
    *value = text[0] == '1';
    return (text[0] == '0' || text[0] == '1') && text[1] == '\0';
}

static bool is_decimal(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 10 && text[digits] == '\0';
}

static bool is_file_name(const char *text)
{
    return text[0] != '\0' && strpbrk(text, "/\\") == NULL;
}

static const char *without_namespaces(const char *function)
{
    const char *last = function;
    for (const char *at = function; (at = strstr(at, "::")) != NULL;) {
        at += 2;
        last = at;
    }
    return last;
}

static bool has_duplicates(char *const *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(pieces[i], pieces[j]) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool read_targets(struct request *request, const char *targets,
                         struct error *error)
{
    if (targets == NULL) {
        return error_set(error, "no target");
    }
    split(targets, true, &request->targets, &request->target_count);
    for (size_t i = 0; i < request->target_count; i++) {
        if (!is_file_name(request->targets[i])) {
            return error_set(error, "'%s' is not a target", request->targets[i]);
        }
    }
    return !has_duplicates(request->targets, request->target_count) ||
           error_set(error, "a target is given twice");
}

static bool read_names(struct request *request, const struct flags *flags,
                       struct error *error)
{
    const char *generator = flags->value['g'];
    const char *runtime = flags->value['r'];
    if ((generator[0] != '\0') == (runtime[0] != '\0')) {
        return error_set(error, "neither or both of a generator and a runtime");
    }
    request->is_runtime = runtime[0] != '\0';
    request->generator = mem_strdup(generator);
    const char *function = flags->value['f'][0] != '\0' ? flags->value['f'] : generator;
    request->function = mem_strdup(function);
    const char *base = flags->value['n'];
    request->base_name = mem_strdup(request->is_runtime ? runtime
                                    : base[0] != '\0'   ? base
                                                        : without_namespaces(function));
    return is_file_name(request->base_name) ||
           error_set(error, "'%s' is not a file name", request->base_name);
}

bool request_parse(struct request *request, int argc, char *const argv[],
                   const char *extra_outputs, struct error *error)
{
    *request = (struct request){0};
    struct flags flags = {{0}};
    for (const char *letter = "efgnopr"; *letter != '\0'; letter++) {
        flags.value[(unsigned char)*letter] = "";
    }
    flags.value['d'] = "0";
    flags.value['v'] = "0";
    flags.value['t'] = "900";
    const char *targets = NULL;
    if (!read_arguments(request, &flags, &targets, argc, argv, error) ||
        !read_names(request, &flags, error) || !read_targets(request, targets, error) ||
        !read_kinds(request, flags.value['e'], extra_outputs, error)) {
        return false;
    }
    if (!read_switch(flags.value['d'], &request->gradient) ||
        !read_switch(flags.value['v'], &request->verbose)) {
        return error_set(error, "-d and -v take 0 or 1");
    }
    if (!is_decimal(flags.value['t'])) {
        return error_set(error, "'%s' is not a timeout", flags.value['t']);
    }
    if (flags.value['o'][0] == '\0') {
        return error_set(error, "no output folder");
    }
    request->timeout = mem_strdup(flags.value['t']);
    request->output_folder = mem_strdup(flags.value['o']);
    split(flags.value['p'], false, &request->plugins, &request->plugin_count);
    if (request->param_count > 1) {
        qsort(request->params, request->param_count, sizeof *request->params,
              compare_params);
    }
    return true;
}

void request_release(struct request *request)
{
    free(request->generator);
    free(request->function);
    free(request->base_name);
    free(request->output_folder);
    free(request->timeout);
    for (size_t i = 0; i < request->param_count; i++) {
        free(request->params[i].name);
        free(request->params[i].value);
    }
    free(request->params);
    free_pieces(request->targets, request->target_count);
    free_pieces(request->plugins, request->plugin_count);
    *request = (struct request){0};
}
