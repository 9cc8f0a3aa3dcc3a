// SPDX-License-Identifier: MIT
//
// The environment: what Halide, LLVM and the C library read while the pipeline is
// compiled, after the probe has spoken. A generator's own getenv() is in
// cases_behaviour.c.

#include "hooks.h"

#define SCALE .generator = "source_plain", .pipeline = "scale"

// A variable that is not set, and then is.
#define SET(variable) SCALE, .after = {.environment = variable}

static const struct test_case cases[] = {
    // ---- Read by Halide 19 or 21 while generating
    {
        .name = "environment.HL_LLVM_ARGS",
        SET("HL_LLVM_ARGS=-x86-asm-syntax=intel"),
        .kinds = "assembly",
        .expected = MISS,
    },
    {
        .name = "environment.HL_LLVM_ARGS-changed",
        SCALE,
        .kinds = "object",
        .before = {.environment = "HL_LLVM_ARGS=-unroll-threshold=0"},
        .after = {.environment = "HL_LLVM_ARGS=-unroll-threshold=1"},
        .expected = MISS,
    },
    {
        .name = "environment.HL_RUNTIME_DROP_FUNCS",
        SCALE,
        .before = {.arguments = "-r one -o out -e object target=host"},
        .after = {.environment = "HL_RUNTIME_DROP_FUNCS=halide_print,halide_trace"},
        .expected = MISS,
        .one_cache = true,
    },
    {
        .name = "environment.HL_PERMIT_FAILED_UNROLL",
        SET("HL_PERMIT_FAILED_UNROLL=1"),
        .expected = MISS,
    },
    {
        // Names of temporary files are in it.
        .name = "environment.HL_DEBUG_CODEGEN",
        SET("HL_DEBUG_CODEGEN=1"),
        .expected = BYPASS,
        .reason = BYPASS_OUTPUT_KIND,
        .incomparable = true,
    },
    {
        .name = "environment.HL_DEBUG_CODEGEN-off",
        SET("HL_DEBUG_CODEGEN=0"),
        .expected = MISS,
    },
    {
        .name = "environment.HL_COMPILER_STACK_SIZE",
        SET("HL_COMPILER_STACK_SIZE=16777216"),
        .expected = MISS,
    },
    {
        .name = "environment.HL_EXTRA_OUTPUTS",
        SET("HL_EXTRA_OUTPUTS=assembly,registration"),
        .expected = MISS,
    },
    {
        .name = "environment.HL_EXTRA_OUTPUTS-unknown",
        SET("HL_EXTRA_OUTPUTS=nothing"),
        .expected = BYPASS,
        .reason = BYPASS_COMMAND_LINE,
        .fails = true,
    },
    {
        .name = "environment.HL_TIME_LOWERING_PASSES",
        SET("HL_TIME_LOWERING_PASSES=1"),
        .expected = BYPASS,
        .reason = BYPASS_OUTPUT_KIND,
        .incomparable = true,
    },
    {
        .name = "environment.HL_TARGET",
        SET("HL_TARGET=x86-64-linux-avx"),
        .expected = MISS,
    },
    {
        .name = "environment.HL_JIT_TARGET",
        SET("HL_JIT_TARGET=host-debug"),
        .expected = MISS,
    },
    {
        .name = "environment.HL_DEBUG_COMPILER_LOGGER",
        SET("HL_DEBUG_COMPILER_LOGGER=1"),
        .expected = BYPASS,
        .reason = BYPASS_OUTPUT_KIND,
        .incomparable = true,
    },
    {
        .name = "environment.HL_OBFUSCATE_COMPILER_LOGGER",
        SET("HL_OBFUSCATE_COMPILER_LOGGER=1"),
        .expected = MISS,
    },
    {
        .name = "environment.HL_HEXAGON_CODE_SIGNER",
        SET("HL_HEXAGON_CODE_SIGNER=/bin/true"),
        .expected = MISS,
    },
    {
        // Lowering writes a file of that name.
        .name = "environment.HL_SPIRV_DUMP_FILE",
        .generator = "signature_other",
        .before =
            {.arguments =
                 "-g texture -o out -e object target=x86-64-linux-vulkan-no_runtime"},
        .after = {.environment = "HL_SPIRV_DUMP_FILE=dump.spv"},
        .expected = BYPASS,
        .reason = BYPASS_UNDECLARED_OUTPUT,
    },
    {
        .name = "environment.HL_HEXAGON_DUMP_BITCODE",
        SET("HL_HEXAGON_DUMP_BITCODE=dump.bc"),
        .expected = BYPASS,
        .reason = BYPASS_UNDECLARED_OUTPUT,
    },
    {
        .name = "environment.HL_WEBGPU_NATIVE_LIB",
        SET("HL_WEBGPU_NATIVE_LIB=lib.so"),
        .expected = MISS,
    },
    {
        .name = "environment.HL_COLORS",
        SET("HL_COLORS=1"),
        .kinds = "stmt,stmt_html",
        .expected = MISS,
    },
    {
        // Another Halide may read it.
        .name = "environment.HL_unknown",
        SET("HL_ANYTHING_ELSE=1"),
        .expected = MISS,
    },
    {
        .name = "environment.HL_empty",
        SET("HL_LLVM_ARGS="),
        .expected = MISS,
    },
    {
        .name = "environment.HL_file",
        SCALE,
        .before = {.environment = "HL_WEIGHTS_DIR={case}/weights",
                   .files = {{"weights", "one"}}},
        .after = {.environment = "HL_WEIGHTS_DIR={case}/weights",
                  .files = {{"weights", "two"}}},
        .expected = MISS,
    },
    {
        .name = "environment.HL_file-rewritten",
        SCALE,
        .before = {.environment = "HL_WEIGHTS_DIR={case}/weights",
                   .files = {{"weights", "one"}}},
        .after = {.environment = "HL_WEIGHTS_DIR={case}/weights",
                  .files = {{"weights", "one"}}},
        .expected = HIT,
    },

    // ---- Read by what is below Halide
    {
        .name = "environment.LLVM_OVERRIDE_PRODUCER",
        SET("LLVM_OVERRIDE_PRODUCER=somebody"),
        .kinds = "bitcode,llvm_assembly",
        .expected = MISS,
    },
    {
        .name = "environment.LC_ALL",
        SET("LC_ALL=C.UTF-8"),
        .expected = MISS,
    },
    {
        .name = "environment.LANG",
        SET("LANG=C.UTF-8"),
        .expected = MISS,
    },
    {
        .name = "environment.TZ",
        SET("TZ=Asia/Tokyo"),
        .expected = MISS,
    },
    {
        .name = "environment.GLIBC_TUNABLES",
        SET("GLIBC_TUNABLES=glibc.malloc.perturb=85"),
        .expected = MISS,
    },

    // ---- Nobody's business
    {
        .name = "environment.unrelated",
        SET("NUMBER=3 HOME=/ EDITOR=ed HLX=1 hl_llvm_args=1"),
        .expected = HIT,
    },
    {
        .name = "environment.cache-settings",
        SET("HL_CACHE_MAX_SIZE=2G HL_CACHE_MAX_AGE=100000 HALIDE_CACHE_WAIT=1 "
            "HL_CACHE_DIR=elsewhere"),
        .expected = HIT,
    },
    {
        .name = "environment.allocator",
        SET("MALLOC_PERTURB_=85"),
        .expected = MISS,
    },
    {
        .name = "environment.other-order",
        SCALE,
        .before = {.environment = "HL_ONE=1 HL_TWO=2"},
        .after = {.environment = "HL_TWO=2 HL_ONE=1"},
        .expected = HIT,
    },
};

const struct case_list environment_cases = CASE_LIST(cases);
