// SPDX-License-Identifier: MIT
//
// The signature channel: the generator's inputs and outputs. Of an input, serialization
// keeps the name, the type and the number of dimensions, and nothing of one that the
// pipeline does not use; signature, metadata and code are made from all of it.

#include "hooks.h"

#define SIGNATURE                                                                        \
    .generator = "signature_plain", .pipeline = "signature",                             \
    .common = "image.type=uint8 image.dim=2"
#define HANDLES                                                                          \
    .generator = "signature_other", .pipeline = "handles",                               \
    .common = "target=host-no_runtime-c_plus_plus_name_mangling"

static const struct test_case cases[] = {
    // ---- Which inputs and outputs there are
    // --------------------------------------------
    {
        .name = "signature.input-added",
        SIGNATURE,
        .edits = {{"/*last input*/", "Input<int> added{\"added\", 1};"}},
        .expected = MISS,
    },
    {
        .name = "signature.input-added-first",
        SIGNATURE,
        .edits = {{"/*first input*/", "Input<Buffer<float, 1>> added{\"added\"};"}},
        .expected = MISS,
    },
    {
        .name = "signature.input-removed",
        SIGNATURE,
        .edits = {{"/*unused buffer*/", "// "}},
        .expected = MISS,
    },
    {
        .name = "signature.input-renamed",
        SIGNATURE,
        .edits = {{"\"unused_buffer\"", "\"unread_buffer\""}},
        .expected = MISS,
    },
    {
        .name = "signature.used-input-renamed",
        SIGNATURE,
        .edits = {{"/*used*/ \"used\"", "\"wanted\""}},
        .expected = MISS,
    },
    {
        .name = "signature.input-became-used",
        SIGNATURE,
        .edits = {{"/*last generate*/", "second(x, y) += unused_buffer(x, y);"}},
        .expected = MISS,
    },
    {
        // Its name in C++ is nobody's business.
        .name = "signature.member-renamed",
        SIGNATURE,
        .edits = {{"> unread_one{/*", "> first_unread{/*"}},
        .expected = HIT,
    },
    {
        .name = "signature.unused-inputs-swapped",
        SIGNATURE,
        .edits = {{"/*unread one*/ \"unread_one\"", "\"unread_two\""},
                  {"/*unread two*/ \"unread_two\"", "\"unread_one\""}},
        .expected = MISS,
    },
    {
        // The pipeline stays the same, its arguments change places.
        .name = "signature.used-inputs-swapped",
        SIGNATURE,
        .edits = {{"/*one*/ \"one\"", "\"two\""},
                  {"/*two*/ \"two\"", "\"one\""},
                  {"cast<uint8_t>(one) * 2", "cast<uint8_t>(two) * 2"},
                  {"cast<uint8_t>(two) * 3", "cast<uint8_t>(one) * 3"}},
        .expected = MISS,
    },
    {
        .name = "signature.output-added",
        SIGNATURE,
        .edits = {{"/*last output*/", "Output<Buffer<uint8_t, 1>> added{\"added\"};"},
                  {"/*last generate*/", "added(x) = cast<uint8_t>(x);"}},
        .expected = MISS,
    },
    {
        .name = "signature.output-renamed",
        SIGNATURE,
        .edits = {{"/*output*/ \"output\"", "\"result\""}},
        .expected = MISS,
    },
    {
        .name = "signature.outputs-swapped",
        SIGNATURE,
        .edits = {{"/*second*/", "// "},
                  {"/*first output*/", "Output<Buffer<uint8_t, 2>> second{\"second\"};"}},
        .expected = MISS,
    },

    // ---- Types and dimensions
    // ----------------------------------------------------------
    {
        .name = "signature.unused-buffer-type",
        SIGNATURE,
        .edits = {{"/*unused buffer*/ Input<Buffer<uint8_t", "Input<Buffer<int8_t"}},
        .expected = MISS,
    },
    {
        .name = "signature.unused-buffer-dimensions",
        SIGNATURE,
        .edits = {{"/*unused buffer*/ Input<Buffer<uint8_t, 2",
                   "Input<Buffer<uint8_t, 3"}},
        .expected = MISS,
    },
    {
        .name = "signature.unused-scalar-type",
        SIGNATURE,
        .edits = {{"/*unused scalar*/ int32_t", "int64_t"}},
        .expected = MISS,
    },
    {
        .name = "signature.type-by-param",
        SIGNATURE,
        .after = {.more = "image.type=int8"},
        .expected = MISS,
    },
    {
        .name = "signature.dimensions-by-param",
        SIGNATURE,
        .after = {.more = "image.dim=3"},
        .expected = MISS,
    },
    {
        .name = "signature.array-size",
        SIGNATURE,
        .edits = {{"/*array size*/ 2", "3"}},
        .expected = MISS,
    },
    {
        .name = "signature.scalar-array-size",
        SIGNATURE,
        .edits = {{"/*scalars*/ 2", "3"}},
        .expected = MISS,
    },
    {
        .name = "signature.output-type",
        SIGNATURE,
        .edits = {{"/*second*/ Output<Buffer<uint8_t", "Output<Buffer<int8_t"}},
        .expected = MISS,
    },
    {
        .name = "signature.tuple-type",
        SIGNATURE,
        .edits = {{"/*tuple type*/ Int(16)", "Int(32)"}},
        .expected = MISS,
    },

    // ---- Scalars
    // -----------------------------------------------------------------------
    {
        .name = "signature.scalar-default",
        SIGNATURE,
        .edits = {{"/*default*/ 3", "4"}},
        .expected = MISS,
    },
    {
        .name = "signature.scalar-min",
        SIGNATURE,
        .edits = {{"/*min*/ 0", "1"}},
        .expected = MISS,
    },
    {
        .name = "signature.scalar-max",
        SIGNATURE,
        .edits = {{"/*max*/ 9", "8"}},
        .expected = MISS,
    },
    {
        .name = "signature.scalar-estimate",
        SIGNATURE,
        .edits = {{"/*scale estimate*/ 4", "5"}},
        .expected = MISS,
    },
    {
        .name = "signature.unused-scalar-default",
        SIGNATURE,
        .edits = {{"/*unused default*/ 3", "4"}},
        .expected = MISS,
    },
    {
        .name = "signature.unused-scalar-min",
        SIGNATURE,
        .edits = {{"/*unused min*/ 0", "1"}},
        .expected = MISS,
    },
    {
        .name = "signature.unused-scalar-max",
        SIGNATURE,
        .edits = {{"/*unused max*/ 9", "8"}},
        .expected = MISS,
    },
    {
        .name = "signature.unused-scalar-estimate",
        SIGNATURE,
        .edits = {{"/*unused estimate*/ 4", "5"}},
        .expected = MISS,
    },
    {
        // Printed alike, and one bit apart.
        .name = "signature.float-default",
        SIGNATURE,
        .edits = {{"/*float default*/ 1.0f", "1.0000001f"}},
        .expected = MISS,
    },

    // ---- Buffers
    // -----------------------------------------------------------------------
    {
        .name = "signature.host-alignment",
        SIGNATURE,
        .edits = {{"/*constraint*/", "used_member.set_host_alignment(64);"}},
        .expected = MISS,
    },
    {
        .name = "signature.stride",
        SIGNATURE,
        .edits = {{"/*constraint*/", "used_member.dim(0).set_stride(3);"}},
        .expected = MISS,
    },
    {
        .name = "signature.bounds",
        SIGNATURE,
        .edits = {{"/*constraint*/", "used_member.dim(0).set_bounds(0, 64);"}},
        .expected = MISS,
    },
    {
        .name = "signature.min",
        SIGNATURE,
        .edits = {{"/*constraint*/", "used_member.dim(1).set_min(0);"}},
        .expected = MISS,
    },
    {
        .name = "signature.extent",
        SIGNATURE,
        .edits = {{"/*constraint*/", "used_member.dim(1).set_extent(scale);"}},
        .expected = MISS,
    },
    {
        .name = "signature.unused-buffer-bounds",
        SIGNATURE,
        .edits = {{"/*constraint*/", "unused_buffer.dim(0).set_bounds(0, 64);"}},
        .expected = MISS,
    },
    {
        .name = "signature.array-stride",
        SIGNATURE,
        .edits = {{"/*constraint*/", "array[1].dim(0).set_stride(2);"}},
        .expected = MISS,
    },
    {
        .name = "signature.output-alignment",
        SIGNATURE,
        .edits = {{"/*constraint*/", "output.set_host_alignment(32);"}},
        .expected = MISS,
    },
    {
        .name = "signature.output-stride",
        SIGNATURE,
        .edits = {{"/*constraint*/", "output.dim(0).set_stride(Expr());"}},
        .expected = MISS,
    },
    {
        .name = "signature.buffer-estimate",
        SIGNATURE,
        .edits = {{"/*buffer estimate*/ 100", "200"}},
        .expected = MISS,
    },
    {
        .name = "signature.output-estimate",
        SIGNATURE,
        .edits = {{"/*estimate*/", "output.set_estimate(x, 0, 100);"}},
        .expected = MISS,
    },
    {
        // It is the default.
        .name = "signature.no-constraint",
        SIGNATURE,
        .edits = {{"/*constraint*/", "used_member.dim(0).set_stride(1);"}},
        .expected = HIT,
    },
    {
        .name = "signature.memory-type",
        .generator = "signature_other",
        .edits = {{"/*memory*/", "input.store_in(MemoryType::GPUTexture);"}},
        .before = {.arguments = "-g texture -o out -e c_header,object,stmt "
                                "target=host-opencl-no_runtime"},
        .expected = MISS,
    },

    // ---- Tracing
    // -----------------------------------------------------------------------
    {
        .name = "signature.input-traced",
        SIGNATURE,
        .edits = {{"/*constraint*/", "used_member.trace_loads();"}},
        .expected = MISS,
    },
    {
        .name = "signature.input-trace-tag",
        SIGNATURE,
        .edits = {{"/*constraint*/",
                   "used_member.trace_loads(); used_member.add_trace_tag(\"tag\");"}},
        .expected = MISS,
    },
    {
        .name = "signature.output-traced",
        SIGNATURE,
        .edits = {{"/*constraint*/",
                   "output.trace_stores(); output.add_trace_tag(\"tag\");"}},
        .expected = MISS,
    },

    // ---- Pointers
    // ----------------------------------------------------------------------
    {
        .name = "signature.pointer-type",
        HANDLES,
        .edits = {{"/*pointee*/ Apple", "Banana"}},
        .expected = MISS,
    },
    {
        .name = "signature.pointer-to-const",
        HANDLES,
        .edits = {{"/*pointee*/ Apple", "const Apple"}},
        .expected = MISS,
    },
    {
        .name = "signature.pointer-in-namespace",
        HANDLES,
        .edits = {{"/*pointee*/ Apple", "fruit::Cherry"}},
        .expected = MISS,
    },
    {
        .name = "signature.unused-pointer-type",
        HANDLES,
        .edits = {{"/*unused pointee*/ Apple", "Banana"}},
        .expected = MISS,
    },
    {
        // Only the algorithm has it: it is part of the mangled name of the callee.
        .name = "signature.pointer-in-call",
        HANDLES,
        .edits = {{"type_of</*inner*/ Apple *>", "type_of<Banana *>"}},
        .expected = MISS,
    },
    {
        .name = "signature.pointer-in-cast",
        HANDLES,
        .edits = {{"type_of</*cast*/ Apple *>", "type_of<Banana *>"}},
        .expected = MISS,
    },
    {
        .name = "signature.call-mangling",
        HANDLES,
        .edits = {{"/*mangling*/ ExternCPlusPlus", "Extern"}},
        .expected = MISS,
    },
    {
        .name = "signature.extern-stage-name",
        HANDLES,
        .edits = {{"/*extern name*/ \"fill_basket\"", "\"fill_bowl\""}},
        .expected = MISS,
    },
    {
        .name = "signature.extern-stage-mangling",
        HANDLES,
        .edits = {{"/*extern mangling*/ CPlusPlus", "C"}},
        .expected = MISS,
    },
    {
        .name = "signature.unused-declaration",
        HANDLES,
        .edits = {{"HALIDE_DECLARE_EXTERN_CLASS_TYPE(Banana)",
                   "HALIDE_DECLARE_EXTERN_STRUCT_TYPE(Banana)"}},
        .expected = HIT,
    },
};

const struct case_list signature_cases = CASE_LIST(cases);
