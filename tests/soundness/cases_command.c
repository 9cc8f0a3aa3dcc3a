// SPDX-License-Identifier: MIT
//
// The command line: the same generator, asked for something else.

#include "hooks.h"

#define SCALE .generator = "source_plain", .pipeline = "scale"

// All of the arguments of both states.
#define FROM_TO(from, to) SCALE, .before = {.arguments = from}, .after = {.arguments = to}

#define TO_KIND(kind)                                                                    \
    FROM_TO("-g scale -o out -e assembly,object target=host-no_runtime",                 \
            "-g scale -o out -e " kind " target=host-no_runtime")

// Compiles for seconds.
#define TO_RUNTIME(to)                                                                   \
    FROM_TO("-r one -o out -e object target=host", to), .one_cache = true

#define START_FROM_TO(from, to)                                                          \
    .generator = "source_startup", .before = {.arguments = from},                        \
    .after = {.arguments = to}

#define OTHER "-g other -o out -e "

static const struct test_case cases[] = {
    // ---- Names
    {
        .name = "command.generator",
        FROM_TO("-g scale -o out -e c_header,object target=host-no_runtime",
                "-g other -o out -e c_header,object target=host-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.function",
        FROM_TO("-g scale -o out -e c_header,object target=host-no_runtime",
                "-g scale -o out -e c_header,object target=host-no_runtime -f better"),
        .expected = MISS,
    },
    {
        .name = "command.default-function",
        FROM_TO("-g scale -o out -e c_header,object target=host-no_runtime",
                "-g scale -o out -e c_header,object target=host-no_runtime -f scale"),
        .expected = HIT,
    },
    {
        // The files have the same names.
        .name = "command.namespaces",
        FROM_TO("-g scale -o out -e c_header,object "
                "target=host-no_runtime-c_plus_plus_name_mangling",
                "-g scale -o out -e c_header,object "
                "target=host-no_runtime-c_plus_plus_name_mangling -f one::two::scale"),
        .expected = MISS,
    },
    {
        .name = "command.base-name",
        FROM_TO("-g scale -o out -e c_header,object target=host-no_runtime",
                "-g scale -o out -e c_header,object target=host-no_runtime -n renamed"),
        .expected = MISS,
    },
    {
        .name = "command.default-base-name",
        FROM_TO("-g scale -o out -e c_header,object target=host-no_runtime",
                "-g scale -o out -e c_header,object target=host-no_runtime -n scale"),
        .expected = HIT,
    },
    {
        .name = "command.base-name-with-dots",
        FROM_TO("-g scale -o out -e c_header,object target=host-no_runtime",
                "-g scale -o out -e c_header,object target=host-no_runtime -n a.b.c"),
        .expected = MISS,
    },

    // ---- Kinds of output
    {
        .name = "command.kind-assembly",
        TO_KIND("assembly"),
        .expected = MISS,
    },
    {
        .name = "command.kind-bitcode",
        TO_KIND("bitcode"),
        .expected = MISS,
    },
    {
        .name = "command.kind-c-header",
        TO_KIND("c_header"),
        .expected = MISS,
    },
    {
        .name = "command.kind-c-source",
        TO_KIND("c_source"),
        .expected = MISS,
    },
    {
        .name = "command.kind-conceptual-stmt",
        TO_KIND("conceptual_stmt"),
        .expected = MISS,
    },
    {
        .name = "command.kind-conceptual-stmt-html",
        TO_KIND("conceptual_stmt_html"),
        .expected = MISS,
    },
    {
        // There is none, and then no file.
        .name = "command.kind-device-code",
        TO_KIND("device_code"),
        .expected = NOT_STORED,
    },
    {
        .name = "command.kind-featurization",
        TO_KIND("featurization"),
        .expected = MISS,
    },
    {
        .name = "command.kind-function-info-header",
        TO_KIND("function_info_header"),
        .expected = MISS,
    },
    {
        .name = "command.kind-llvm-assembly",
        TO_KIND("llvm_assembly"),
        .expected = MISS,
    },
    {
        .name = "command.kind-object",
        TO_KIND("object"),
        .expected = MISS,
    },
    {
        .name = "command.kind-python-extension",
        TO_KIND("python_extension"),
        .expected = MISS,
    },
    {
        .name = "command.kind-pytorch-wrapper",
        TO_KIND("pytorch_wrapper"),
        .expected = MISS,
    },
    {
        .name = "command.kind-registration",
        TO_KIND("registration"),
        .expected = MISS,
    },
    {
        .name = "command.kind-schedule",
        TO_KIND("schedule"),
        .expected = MISS,
    },
    {
        .name = "command.kind-static-library",
        TO_KIND("static_library"),
        .expected = MISS,
    },
    {
        .name = "command.kind-stmt",
        TO_KIND("stmt"),
        .expected = MISS,
    },
    {
        .name = "command.kind-stmt-html",
        TO_KIND("stmt_html"),
        .expected = MISS,
    },
    {
        .name = "command.all-kinds",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e "
                "assembly,bitcode,c_header,c_source,conceptual_stmt,conceptual_stmt_html,"
                "featurization,function_info_header,llvm_assembly,object,python_"
                "extension,pytorch_wrapper,registration,schedule,static_library,stmt,"
                "stmt_html target=host-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.kinds-in-other-order",
        FROM_TO("-g scale -o out -e c_header,object target=host-no_runtime",
                "-g scale -o out -e object,c_header target=host-no_runtime"),
        .expected = HIT,
    },
    {
        .name = "command.kinds-by-old-names",
        FROM_TO("-g scale -o out -e c_header,object target=host-no_runtime",
                "-g scale -o out -e h,o target=host-no_runtime"),
        .expected = HIT,
    },
    {
        .name = "command.default-kinds",
        FROM_TO("-g scale -o out -e c_header,registration,static_library "
                "target=host-no_runtime",
                "-g scale -o out target=host-no_runtime"),
        .expected = HIT,
    },
    {
        // Holds how long it took.
        .name = "command.kind-compiler-log",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object,compiler_log target=host-no_runtime"),
        .reason = BYPASS_OUTPUT_KIND,
        .incomparable = true,
        .expected = BYPASS,
    },
    {
        .name = "command.kind-stub",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e cpp_stub target=host-no_runtime"),
        .reason = BYPASS_OUTPUT_KIND,
        .expected = BYPASS,
    },
    {
        .name = "command.kind-hlpipe",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e hlpipe target=host-no_runtime"),
        .reason = BYPASS_OUTPUT_KIND,
        .expected = BYPASS,
    },
    {
        .name = "command.kind-unknown",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e nothing target=host-no_runtime"),
        .reason = BYPASS_COMMAND_LINE,
        .fails = true,
        .expected = BYPASS,
    },

    // ---- Output folder
    {
        // These do not depend on it.
        .name = "command.other-folder",
        FROM_TO("-g scale -o out -e "
                "assembly,bitcode,conceptual_stmt,llvm_assembly,object,static_library,"
                "stmt target=host-no_runtime",
                "-g scale -o ./out/../out -e "
                "assembly,bitcode,conceptual_stmt,llvm_assembly,object,static_library,"
                "stmt target=host-no_runtime"),
        .expected = HIT,
    },
    {
        // Its include guard is made from the path.
        .name = "command.other-folder-c-header",
        FROM_TO("-g scale -o out -e c_header target=host-no_runtime",
                "-g scale -o ./out -e c_header target=host-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.other-folder-c-source",
        FROM_TO("-g scale -o out -e c_source target=host-no_runtime",
                "-g scale -o ./out -e c_source target=host-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.other-folder-function-info-header",
        FROM_TO("-g scale -o out -e function_info_header target=host-no_runtime",
                "-g scale -o ./out -e function_info_header target=host-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.other-folder-python-extension",
        FROM_TO("-g scale -o out -e python_extension target=host-no_runtime",
                "-g scale -o ./out -e python_extension target=host-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.other-folder-registration",
        FROM_TO("-g scale -o out -e registration target=host-no_runtime",
                "-g scale -o ./out -e registration target=host-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.other-folder-stmt-html",
        FROM_TO("-g scale -o out -e stmt_html target=host-no_runtime",
                "-g scale -o ./out -e stmt_html target=host-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.folder-with-slash",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out/ -e object target=host-no_runtime"),
        .expected = HIT,
    },
    {
        .name = "command.folder-missing",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o nowhere -e object target=host-no_runtime"),
        .fails = true,
        .expected = NOT_STORED,
    },

    // ---- Targets
    {
        .name = "command.target",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=arm-64-linux-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.target-feature",
        FROM_TO("-g scale -o out -e object,assembly target=x86-64-linux-no_runtime",
                "-g scale -o out -e object,assembly "
                "target=x86-64-linux-sse41-avx-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.target-asserts",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=host-no_runtime-no_asserts"),
        .expected = MISS,
    },
    {
        .name = "command.target-windows",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object,static_library,c_header "
                "target=x86-64-windows-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.target-osx",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object,static_library,c_header "
                "target=arm-64-osx-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.target-opencl",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=host-opencl-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.target-spelling",
        FROM_TO("-g scale -o out -e object target=x86-64-linux-sse41-no_runtime",
                "-g scale -o out -e object target=x86-64-linux-no_runtime-sse41"),
        .expected = MISS,
    },
    {
        .name = "command.several-targets",
        FROM_TO(OTHER "c_header,object,stmt target=x86-64-linux-no_runtime",
                OTHER "c_header,object,stmt target=x86-64-linux-sse41-avx-no_runtime,"
                      "x86-64-linux-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.targets-in-other-order",
        FROM_TO(OTHER "object target=x86-64-linux-sse41-avx-no_runtime,"
                      "x86-64-linux-sse41-no_runtime,x86-64-linux-no_runtime",
                OTHER "object target=x86-64-linux-sse41-no_runtime,"
                      "x86-64-linux-sse41-avx-no_runtime,x86-64-linux-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.several-targets-library",
        FROM_TO(OTHER "static_library,registration target=x86-64-linux-no_runtime",
                OTHER "static_library,registration target="
                      "x86-64-linux-sse41-avx-no_runtime,x86-64-linux-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.several-targets-with-runtime",
        FROM_TO(OTHER "object target=x86-64-linux-sse41-no_runtime,"
                      "x86-64-linux-no_runtime",
                OTHER "object target=x86-64-linux-sse41,x86-64-linux"),
        .expected = MISS,
        .one_cache = true,
    },
    {
        // require() takes a name from a counter that lowering the first target advances,
        // and
        // the copy lowers nothing: that target's names are not confirmed.
        .name = "command.several-targets-and-require",
        FROM_TO("-g scale -o out -e object target=x86-64-linux-no_runtime",
                "-g scale -o out -e object target=x86-64-linux-sse41-no_runtime,"
                "x86-64-linux-no_runtime"),
        .expected = MISS,
        .one_cache = true,
    },
    {
        .name = "command.target-twice",
        FROM_TO(OTHER "object target=x86-64-linux-no_runtime",
                OTHER "object target=x86-64-linux-no_runtime,x86-64-linux-no_runtime"),
        .expected = BYPASS,
        .reason = BYPASS_COMMAND_LINE,
    },
    {
        .name = "command.target-missing",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object"),
        .reason = BYPASS_COMMAND_LINE,
        .fails = true,
        .expected = BYPASS,
    },

    // ---- Params
    {
        .name = "command.param",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=host-no_runtime factor=5"),
        .expected = MISS,
    },
    {
        .name = "command.params-in-other-order",
        FROM_TO("-g scale -o out -e object target=host-no_runtime factor=5 label=a",
                "-g scale -o out -e object target=host-no_runtime label=a factor=5"),
        .expected = HIT,
    },
    {
        .name = "command.param-twice",
        FROM_TO("-g scale -o out -e object target=host-no_runtime factor=5",
                "-g scale -o out -e object target=host-no_runtime factor=2 factor=5"),
        .expected = HIT,
    },
    {
        .name = "command.param-characters",
        FROM_TO("-g scale -o out -e object target=host-no_runtime label=a",
                "-g scale -o out -e object target=host-no_runtime "
                "label='\"`$(x);|&<>*?~#!%{}[]\\s\\\\,:@^é世"),
        .expected = MISS,
    },
    {
        .name = "command.param-characters-twin",
        FROM_TO("-g scale -o out -e object target=host-no_runtime "
                "label='\"`$(x);|&<>*?~#!\\s,",
                "-g scale -o out -e object target=host-no_runtime "
                "label='\"`$(x);|&<>*?~#!\\s,"),
        .expected = HIT,
    },
    {
        .name = "command.param-newline",
        FROM_TO("-g scale -o out -e object target=host-no_runtime label=a",
                "-g scale -o out -e object target=host-no_runtime label=a\nb"),
        .expected = MISS,
    },
    {
        .name = "command.param-equals-sign",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=host-no_runtime label=a=b"),
        .reason = BYPASS_COMMAND_LINE,
        .fails = true,
        .expected = BYPASS,
    },
    {
        .name = "command.param-empty",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=host-no_runtime label="),
        .reason = BYPASS_COMMAND_LINE,
        .fails = true,
        .expected = BYPASS,
    },
    {
        .name = "command.param-unknown",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=host-no_runtime nothing=1"),
        .reason = BYPASS_BUILD_FAILED,
        .fails = true,
        .expected = BYPASS,
    },
    {
        .name = "command.param-invalid",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=host-no_runtime factor=many"),
        .reason = BYPASS_BUILD_FAILED,
        .fails = true,
        .expected = BYPASS,
    },

    // ---- The other flags
    {
        .name = "command.gradient",
        START_FROM_TO("-g start -o out -e c_header,object target=host-no_runtime",
                      "-g start -o out -d 1 -e c_header,object target=host-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.verbose",
        FROM_TO("-g scale -o out -e c_header,object target=host-no_runtime",
                "-g scale -o out -e c_header,object target=host-no_runtime -v 1"),
        .expected = MISS,
    },
    {
        .name = "command.timeout",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=host-no_runtime -t 100"),
        .expected = MISS,
    },
    {
        .name = "command.flag-twice",
        FROM_TO("-g scale -o out -e c_header,object target=host-no_runtime",
                "-g other -o nowhere -g scale -o out -e c_header,object "
                "target=host-no_runtime"),
        .expected = HIT,
    },
    {
        .name = "command.flag-unknown",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=host-no_runtime -x 1"),
        .reason = BYPASS_COMMAND_LINE,
        .fails = true,
        .expected = BYPASS,
    },
    {
        .name = "command.flag-without-value",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=host-no_runtime -f"),
        .reason = BYPASS_COMMAND_LINE,
        .fails = true,
        .expected = BYPASS,
    },
    {
        .name = "command.help",
        FROM_TO("-g scale -o out -e object target=host-no_runtime", "--help"),
        .reason = BYPASS_COMMAND_LINE,
        .fails = true,
        .expected = BYPASS,
    },
    {
        .name = "command.no-arguments",
        FROM_TO("-g scale -o out -e object target=host-no_runtime", "-v 0"),
        .reason = BYPASS_COMMAND_LINE,
        .fails = true,
        .expected = BYPASS,
    },
    {
        .name = "command.generator-and-runtime",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g scale -o out -e object target=host-no_runtime -r runtime"),
        .reason = BYPASS_COMMAND_LINE,
        .expected = BYPASS,
        .one_cache = true,
    },
    {
        .name = "command.generator-unknown",
        FROM_TO("-g scale -o out -e object target=host-no_runtime",
                "-g nothing -o out -e object target=host-no_runtime"),
        .reason = BYPASS_UNKNOWN_GENERATOR,
        .fails = true,
        .expected = BYPASS,
    },

    // ---- Runtimes
    {
        // Every library has one of its own, and they are all the same.
        .name = "command.runtime-name",
        TO_RUNTIME("-r two -o out -e object target=host"),
        .expected = HIT,
    },
    {
        .name = "command.runtime-target",
        TO_RUNTIME("-r one -o out -e object target=host-debug"),
        .expected = MISS,
    },
    {
        .name = "command.runtime-library-name",
        FROM_TO("-r one -o out -e static_library target=host",
                "-r two -o out -e static_library target=host"),
        .expected = MISS,
        .one_cache = true,
    },
    {
        .name = "command.runtime-python-extension-name",
        FROM_TO("-r one -o out -e python_extension target=host",
                "-r two -o out -e python_extension target=host"),
        .expected = MISS,
    },
    {
        .name = "command.runtime-folder",
        TO_RUNTIME("-r one -o ./out -e object target=host"),
        .expected = HIT,
    },
    {
        .name = "command.runtime-header",
        TO_RUNTIME("-r one -o out -e c_header target=host"),
        .reason = BYPASS_OUTPUT_KIND,
        .expected = BYPASS,
    },
    {
        .name = "command.runtime-and-header",
        TO_RUNTIME("-r one -o out -e c_header,object target=host"),
        .expected = MISS,
    },
    {
        .name = "command.runtime-no-runtime",
        TO_RUNTIME("-r one -o out -e object target=host-no_runtime"),
        .expected = MISS,
    },
    {
        .name = "command.runtime-several-targets",
        TO_RUNTIME("-r one -o out -e object target=x86-64-linux-avx,x86-64-linux"),
        .expected = MISS,
    },
};

const struct case_list command_cases = CASE_LIST(cases);
