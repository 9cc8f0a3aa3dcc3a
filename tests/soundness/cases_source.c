// SPDX-License-Identifier: MIT
//
// The source channel: the generator's text is edited and compiled again, or a file that
// it reads while it builds its pipeline changes.

#include "hooks.h"

#define SCALE .generator = "source_plain", .pipeline = "scale"
#define TABLE .generator = "source_plain", .pipeline = "table"
#define START .generator = "source_startup", .pipeline = "start"

static const struct test_case cases[] = {
    // ---- What is computed -----------------------------------------------------------
    {
        .name = "source.algorithm",
        SCALE,
        .edits = {{"/*algorithm*/ +", "-"}},
        .expected = MISS,
    },
    {
        .name = "source.constant",
        SCALE,
        .edits = {{"/*constant*/ 3", "5"}},
        .expected = MISS,
    },
    {
        // Printed alike, and one bit apart.
        .name = "source.float-constant",
        SCALE,
        .edits = {{"/*float*/ 0.1f", "0.10000001f"}},
        .expected = MISS,
    },
    {
        .name = "source.func-name",
        SCALE,
        .edits = {{"/*func*/ \"scaled\"", "\"gained\""}},
        .expected = MISS,
    },
    {
        .name = "source.var-name",
        SCALE,
        .edits = {{"/*var*/ \"x\"", "\"column\""}},
        .expected = MISS,
    },
    {
        .name = "source.param-default",
        SCALE,
        .edits = {{"/*param default*/ 2", "4"}},
        .expected = MISS,
    },
    {
        // Nobody looks at the default of a param that is given.
        .name = "source.overridden-param-default",
        SCALE,
        .before = {.more = "factor=3"},
        .after = {.more = "factor=3"},
        .edits = {{"/*param default*/ 2", "4"}},
        .expected = HIT,
    },
    {
        .name = "source.comment",
        SCALE,
        .edits = {{"// A remark.", "// Another remark,\n// of two lines."}},
        .expected = HIT,
    },
    {
        .name = "source.same-meaning",
        SCALE,
        .edits = {{"/*constant*/ 3", "(1 + 2)"},
                  {"Func scaled{/*func*/ \"scaled\"}",
                   "std::string name = \"sca\"; Func scaled{name + \"led\"}"}},
        .expected = HIT,
    },
    {
        .name = "source.other-generator",
        SCALE,
        .edits = {{"/*other*/ 1", "2"}},
        .expected = HIT,
    },
    {
        .name = "source.compiler-flags",
        SCALE,
        .new_flags = "-DNDEBUG -fno-inline",
        .expected = HIT,
    },

    // ---- The schedule ---------------------------------------------------------------
    {
        .name = "source.schedule",
        SCALE,
        .edits = {{"/*width*/ 8", "16"}},
        .expected = MISS,
    },
    {
        .name = "source.bound",
        SCALE,
        .edits = {{"/*bound*/ 64", "32"}},
        .expected = MISS,
    },
    {
        .name = "source.schedule-in-two-calls",
        SCALE,
        .edits = {{".compute_root().vectorize", ".compute_root(); scaled.vectorize"}},
        .expected = HIT,
    },
    {
        .name = "source.lowering-pass",
        .generator = "source_plain",
        .pipeline = "other",
        .edits = {{"/*pass*/",
                   "struct Pass : Internal::IRMutator {"
                   "    using IRMutator::visit;"
                   "    Expr visit(const Internal::Add *op) override {"
                   "        return op->type == UInt(8) ? op->a - op->b : op->a + op->b;"
                   "    }"
                   "};"
                   "get_pipeline().add_custom_lowering_pass(new Pass);"}},
        .expected = BYPASS,
        .reason = BYPASS_CUSTOM_LOWERING,
    },

    // ---- Names that lowering makes up -----------------------------------------------
    // They come from counters of the process, which a generator advances by whatever else
    // it does with Halide.
    {
        .name = "source.compiles-another-pipeline",
        SCALE,
        .edits = {{"/*unused*/",
                   "Func tried{\"tried\"}; tried(x, y) = sin(x) * y + sin(x);"
                   "tried.parallel(y); tried.realize({4, 4});"}},
        .expected = MISS,
    },
    {
        .name = "source.unused-expression",
        SCALE,
        .edits = {{"/*unused*/", "Expr unused = cast<float>(x) * 3 + gain;"}},
        .expected = HIT,
    },

    // ---- Files ----------------------------------------------------------------------
    {
        .name = "source.table-bytes",
        TABLE,
        .before = {.files = {{"table.txt", "ABCDEFG"}}},
        .after = {.files = {{"table.txt", "ABCDXFG"}}},
        .expected = MISS,
    },
    {
        .name = "source.table-appears",
        TABLE,
        .before = {.files = {{"table.txt", NULL}}},
        .after = {.files = {{"table.txt", "ABCDEFG"}}},
        .expected = MISS,
    },
    {
        .name = "source.table-deleted",
        TABLE,
        .before = {.files = {{"table.txt", "ABCDEFG"}}},
        .after = {.files = {{"table.txt", NULL}}},
        .expected = MISS,
    },
    {
        .name = "source.table-rewritten",
        TABLE,
        .before = {.files = {{"table.txt", "ABCDEFG"}}},
        .after = {.files = {{"table.txt", "ABCDEFG"}}},
        .expected = HIT,
    },
    {
        .name = "source.table-other-part",
        TABLE,
        .edits = {{"/*table size*/ 256", "256"}},
        .before = {.files = {{"table.txt", "ABCDEFG"}, {"unread.txt", "A"}}},
        .after = {.files = {{"table.txt", "ABCDEFG"}, {"unread.txt", "B"}}},
        .expected = HIT,
    },
    {
        .name = "source.table-name",
        TABLE,
        .edits = {{"/*table name*/ \"table\"", "\"lut\""}},
        .expected = MISS,
    },
    {
        // Looking at what the first target embeds takes a name. The second one's table
        // has to get the name that it gets without us.
        .name = "source.table-without-name",
        TABLE,
        .edits = {{", /*table name*/ \"table\"", ""}},
        .before = {.arguments = "-g table -o out -e object,stmt target="
                                "x86-64-linux-sse41-no_runtime,x86-64-linux-no_runtime"},
        .expected = MISS,
    },
    {
        .name = "source.table-size",
        TABLE,
        .edits = {{"/*table size*/ 256", "255"}},
        .expected = MISS,
    },
    {
        .name = "source.table-min",
        TABLE,
        .edits = {{"/*table*/", "table.set_min(1);"}},
        .expected = MISS,
    },

    // ---- What the process was made to be --------------------------------------------
    {
        .name = "source.startup-variable",
        START,
        .kinds = "assembly,c_header",
        .edits = {{"/*startup*/",
                   "setenv(\"HL_LLVM_ARGS\", \"-x86-asm-syntax=intel\", 1);"}},
        .expected = MISS,
    },
    {
        .name = "source.generate-variable",
        START,
        .kinds = "assembly,c_header",
        .edits = {{"/*generate*/",
                   "setenv(\"HL_LLVM_ARGS\", \"-x86-asm-syntax=intel\", 1);"}},
        .expected = MISS,
    },
    {
        .name = "source.startup-other-variable",
        START,
        .edits = {{"/*startup*/", "setenv(\"STARTED\", \"1\", 1);"}},
        .expected = HIT,
    },
    {
        .name = "source.startup-locale",
        START,
        .edits = {{"/*startup*/", "std::locale::global("
                                  "std::locale(std::locale(), new Thousands));"}},
        .expected = MISS,
    },
    {
        .name = "source.startup-rounding",
        START,
        .edits = {{"/*startup*/", "fesetround(FE_UPWARD);"}},
        .expected = MISS,
    },
    {
        .name = "source.startup-reporter",
        START,
        .edits = {{"/*startup*/", "set_custom_compile_time_error_reporter(&reporter);"}},
        .expected = BYPASS,
        .reason = BYPASS_SIDE_EFFECTS,
        .detail = "warnings",
    },
    {
        .name = "source.generate-reporter",
        START,
        .edits = {{"/*generate*/", "set_custom_compile_time_error_reporter(&reporter);"}},
        .expected = BYPASS,
        .reason = BYPASS_SIDE_EFFECTS,
        .detail = "warnings",
    },
    {
        .name = "source.fast-math",
        START,
        .new_link_flags = "-ffast-math",
        .expected = MISS,
    },
};

const struct case_list source_cases = CASE_LIST(cases);
