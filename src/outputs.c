// SPDX-License-Identifier: MIT

#include "outputs.h"

#include "buffer.h"

#include <stdlib.h>
#include <string.h>

// Halide's get_output_info (src/Module.cpp). `per_target`: with several targets there is
// one such file for each of them.
static const struct {
    const char *extension;
    bool per_target;
    bool ignores_folder;
    bool cacheable;
} kinds[OUTPUT_KINDS] = {
    [OUTPUT_ASSEMBLY] = {".s", true, true, true},
    [OUTPUT_BITCODE] = {".bc", true, true, true},
    [OUTPUT_C_HEADER] = {".h", false, false, true},
    [OUTPUT_C_SOURCE] = {".halide_generated.cpp", false, false, true},
    [OUTPUT_COMPILER_LOG] = {".halide_compiler_log", false, false, false},
    [OUTPUT_CONCEPTUAL_STMT] = {".conceptual.stmt", true, true, true},
    [OUTPUT_CONCEPTUAL_STMT_HTML] = {".conceptual.stmt.html", true, false, true},
    [OUTPUT_CPP_STUB] = {".stub.h", false, false, false},
    [OUTPUT_DEVICE_CODE] = {".device_code", true, false, true},
    [OUTPUT_FEATURIZATION] = {".featurization", true, false, true},
    [OUTPUT_FUNCTION_INFO_HEADER] = {".function_info.h", false, false, true},
    [OUTPUT_HLPIPE] = {".hlpipe", true, false, false},
    [OUTPUT_LLVM_ASSEMBLY] = {".ll", true, true, true},
    [OUTPUT_OBJECT] = {".o", true, true, true},
    [OUTPUT_PYTHON_EXTENSION] = {".py.cpp", false, false, true},
    [OUTPUT_PYTORCH_WRAPPER] = {".pytorch.h", false, false, true},
    [OUTPUT_REGISTRATION] = {".registration.cpp", false, false, true},
    [OUTPUT_SCHEDULE] = {".schedule.h", false, false, true},
    [OUTPUT_STATIC_LIBRARY] = {".a", false, true, true},
    [OUTPUT_STMT] = {".stmt", true, true, true},
    [OUTPUT_STMT_HTML] = {".stmt.html", true, false, true},
};

static bool is_for_windows(const char *target)
{
#ifdef _WIN32
    if (strncmp(target, "host", 4) == 0) {
        return true;
    }
#endif
    return strstr(target, "-windows") != NULL;
}

static const char *extension_of(enum output_kind kind, const char *target)
{
    if (kind == OUTPUT_OBJECT && is_for_windows(target)) {
        return ".obj";
    }
    if (kind == OUTPUT_STATIC_LIBRARY && is_for_windows(target)) {
        return ".lib";
    }
    return kinds[kind].extension;
}

// Halide puts a suffix before the first dot of the file's name.
static void add_output(struct outputs *outputs, const struct request *request,
                       enum output_kind kind, const char *suffix, const char *role_part)
{
    const char *base = request->base_name;
    const size_t stem = strcspn(base, ".");
    outputs->list[outputs->count++] = (struct output){
        .role = mem_printf("%s%s", output_kind_name(kind), role_part),
        .path = mem_printf("%s/%.*s%s%s%s", request->output_folder, (int)stem, base,
                           suffix, base + stem, extension_of(kind, request->targets[0])),
    };
}

static void add_for_each_target(struct outputs *outputs, const struct request *request,
                                enum output_kind kind)
{
    for (size_t i = 0; i < request->target_count; i++) {
        char *suffix = mem_printf("-%s", request->targets[i]);
        char *role_part = mem_printf("/%zu", i);
        add_output(outputs, request, kind, suffix, role_part);
        free(role_part);
        free(suffix);
    }
    if (kind == OUTPUT_OBJECT) {
        add_output(outputs, request, kind, "_wrapper", "/wrapper");
        // The last target is the one that the others fall back to.
        const char *base_target = request->targets[request->target_count - 1];
        if (strstr(base_target, "-no_runtime") == NULL) {
            add_output(outputs, request, kind, "_runtime", "/runtime");
        }
    }
}

static bool runtime_has(enum output_kind kind)
{
    return kind == OUTPUT_OBJECT || kind == OUTPUT_STATIC_LIBRARY ||
           kind == OUTPUT_PYTHON_EXTENSION;
}

struct outputs outputs_of_request(const struct request *request)
{
    struct outputs outputs = {
        .list = mem_new((size_t)OUTPUT_KINDS * (request->target_count + 2),
                        sizeof *outputs.list)};
    for (int i = 0; i < OUTPUT_KINDS; i++) {
        const enum output_kind kind = (enum output_kind)i;
        if ((request->kinds >> kind & 1) == 0 ||
            (request->is_runtime && !runtime_has(kind))) {
            continue;
        }
        if (kinds[kind].per_target && request->target_count > 1 && !request->is_runtime) {
            add_for_each_target(&outputs, request, kind);
        } else {
            add_output(&outputs, request, kind, "", "");
        }
    }
    return outputs;
}

void outputs_release(struct outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++) {
        free(outputs->list[i].role);
        free(outputs->list[i].path);
    }
    free(outputs->list);
    *outputs = (struct outputs){0};
}

bool output_kind_ignores_folder(enum output_kind kind)
{
    return kinds[kind].ignores_folder;
}

bool output_kind_is_cacheable(enum output_kind kind)
{
    return kinds[kind].cacheable;
}
