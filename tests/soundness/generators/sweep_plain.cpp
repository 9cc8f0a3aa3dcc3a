// SPDX-License-Identifier: MIT
// One generator in many variants, of which the variable VARIANT, which is in no key, picks
// one by its number. They differ in one thing each from number 0; two that give different
// outputs must not have one key. It exits with status 99 when there is no such variant.

#include "Halide.h"

#include <cstdlib>
#include <functional>
#include <vector>

using namespace Halide;

namespace {

// What the variants change.
struct Parts {
    Var x{"x"}, y{"y"}, xo{"xo"}, xi{"xi"}, yo{"yo"}, yi{"yi"}, u{"u"}, v{"v"};
    RDom r{0, 8, "r"};
    Func a{"a"}, b{"b"}, c{"c"}, sum{"sum"}, out{"out"}, other{"other"};
    Expr gain, bias;
    ImageParam input, unused;
};
using Variant = std::function<void(Parts &)>;

size_t number() {
    const char *text = getenv("VARIANT");
    return text != nullptr ? strtoul(text, nullptr, 10) : 0;
}

void pick(const std::vector<Variant> &variants, Parts &parts) {
    if (number() >= variants.size()) {
        _Exit(99);
    }
    variants[number()](parts);
}

// ---- Schedules ----------------------------------------------------------------------

const std::vector<Variant> schedules = {
    [](Parts &) {},
    [](Parts &p) { p.a.compute_root(); },
    [](Parts &p) { p.a.compute_root().store_in(MemoryType::Heap); },
    [](Parts &p) { p.a.compute_at(p.out, p.y); },
    [](Parts &p) { p.a.compute_at(p.out, p.y).store_in(MemoryType::Stack); },
    [](Parts &p) { p.a.store_root().compute_at(p.out, p.y); },
    [](Parts &p) { p.a.store_root().compute_at(p.out, p.y).fold_storage(p.y, 4); },
    [](Parts &p) { p.a.store_root().compute_at(p.out, p.y).fold_storage(p.y, 4, false); },
    [](Parts &p) { p.a.hoist_storage_root().compute_at(p.out, p.y); },
    [](Parts &p) { p.a.compute_root().vectorize(p.x, 8); },
    [](Parts &p) { p.a.compute_root().vectorize(p.x, 8, TailStrategy::RoundUp); },
    [](Parts &p) { p.a.compute_root().vectorize(p.x, 8, TailStrategy::GuardWithIf); },
    [](Parts &p) { p.a.compute_root().vectorize(p.x, 8, TailStrategy::Predicate); },
    [](Parts &p) { p.a.compute_root().vectorize(p.x, 8, TailStrategy::PredicateLoads); },
    [](Parts &p) { p.a.compute_root().vectorize(p.x, 8, TailStrategy::PredicateStores); },
    [](Parts &p) { p.a.compute_root().vectorize(p.x, 8, TailStrategy::ShiftInwards); },
    [](Parts &p) { p.a.compute_root().unroll(p.x, 4); },
    [](Parts &p) { p.a.compute_root().parallel(p.y); },
    [](Parts &p) { p.a.compute_root().parallel(p.y, 4); },
    [](Parts &p) { p.a.compute_root().reorder(p.y, p.x); },
    [](Parts &p) { p.a.compute_root().reorder_storage(p.y, p.x); },
    [](Parts &p) { p.a.compute_root().align_storage(p.x, 32); },
    [](Parts &p) { p.a.compute_root().bound_storage(p.x, 1000); },
    [](Parts &p) { p.a.compute_root().bound(p.x, 0, 100); },
    [](Parts &p) { p.a.compute_root().bound_extent(p.x, 100); },
    [](Parts &p) { p.a.compute_root().align_bounds(p.x, 8); },
    [](Parts &p) { p.a.compute_root().align_bounds(p.x, 8, 1); },
    [](Parts &p) { p.a.compute_root().align_extent(p.x, 8); },
    [](Parts &p) { p.a.compute_root().tile(p.x, p.y, p.xi, p.yi, 8, 4); },
    [](Parts &p) { p.a.compute_root().tile(p.x, p.y, p.xi, p.yi, 4, 8); },
    [](Parts &p) { p.a.compute_root().split(p.x, p.xo, p.xi, 8); },
    [](Parts &p) { p.a.compute_root().split(p.x, p.u, p.v, 8); },
    [](Parts &p) { p.a.compute_root().fuse(p.x, p.y, p.u); },
    [](Parts &p) { p.a.compute_root().rename(p.x, p.u); },
    [](Parts &p) { p.c.compute_root().memoize(); },
    [](Parts &p) { p.c.compute_root().memoize(EvictionKey(cast<uint64_t>(5))); },
    [](Parts &p) { p.a.compute_root().async(); },
    [](Parts &p) {
        p.a.compute_at(p.out, p.y).hoist_storage_root().async().ring_buffer(2);
    },
    [](Parts &p) {
        p.a.compute_at(p.out, p.y).hoist_storage_root().async().ring_buffer(3);
    },
    [](Parts &p) { p.a.compute_root().no_profiling(); },
    [](Parts &p) { p.a.compute_root().partition(p.x, Partition::Never); },
    [](Parts &p) { p.out.never_partition(p.x); },
    [](Parts &p) { p.a.compute_root().never_partition_all(); },
    [](Parts &p) { p.a.compute_root().trace_loads(); },
    [](Parts &p) { p.a.compute_root().trace_stores(); },
    [](Parts &p) { p.a.compute_root().trace_realizations(); },
    [](Parts &p) { p.a.compute_root().trace_stores().add_trace_tag("tag"); },
    [](Parts &p) { p.a.compute_root().trace_stores().add_trace_tag("other tag"); },
    [](Parts &p) { p.a.compute_root().debug_to_file("file.tiff"); },
    [](Parts &p) { p.a.compute_root().set_estimate(p.x, 0, 100); },
    [](Parts &p) { p.a.compute_root().prefetch(p.input, p.y, p.y, 2); },
    [](Parts &p) { p.a.compute_root().prefetch(p.input, p.y, p.y, 4); },
    [](Parts &p) {
        p.a.compute_root().prefetch(p.input, p.y, p.y, 2, PrefetchBoundStrategy::Clamp);
    },
    [](Parts &p) { p.a.compute_root().specialize(p.gain == 1.0f).vectorize(p.x, 4); },
    [](Parts &p) { p.a.compute_root().specialize(p.gain == 2.0f).vectorize(p.x, 4); },
    [](Parts &p) {
        p.a.compute_root().specialize(p.gain == 1.0f);
        p.a.specialize_fail("not one");
    },
    [](Parts &p) {
        p.a.compute_root().specialize(p.gain == 1.0f);
        p.a.specialize_fail("not the one");
    },
    [](Parts &p) { p.a.in(p.out).compute_root(); },
    [](Parts &p) { p.a.in().compute_root(); },
    [](Parts &p) { p.a.clone_in(p.b).compute_root(); },
    [](Parts &p) {
        p.a.compute_root();
        p.c.compute_root();
    },
    [](Parts &p) {
        p.a.compute_root();
        p.c.compute_root().compute_with(p.a, p.y);
    },
    [](Parts &p) {
        p.a.compute_root();
        p.c.compute_root().compute_with(p.a, p.y, LoopAlignStrategy::AlignStart);
    },
    [](Parts &p) { p.sum.compute_root(); },
    [](Parts &p) { p.sum.compute_root().update().parallel(p.y); },
    [](Parts &p) { p.sum.compute_root().update().vectorize(p.x, 4); },
    [](Parts &p) { p.sum.compute_root().update().unroll(p.r); },
    [](Parts &p) { p.sum.compute_root().update().reorder(p.x, p.r.x, p.y); },
    [](Parts &p) { p.sum.compute_root().update().atomic().parallel(p.r); },
    [](Parts &p) { p.sum.compute_root().update().atomic(true).parallel(p.r); },
    [](Parts &p) { p.sum.compute_root().update().allow_race_conditions().parallel(p.r); },
    [](Parts &p) {
        RVar ro{"ro"}, ri{"ri"};
        p.sum.compute_root().update().split(p.r, ro, ri, 4);
        p.sum.update().rfactor(ro, p.u).compute_root();
    },
    [](Parts &p) {
        RVar ro{"ro"}, ri{"ri"};
        p.sum.compute_root().update().split(p.r, ro, ri, 4);
        p.sum.update().rfactor(ri, p.u).compute_root();
    },
    [](Parts &p) { p.out.vectorize(p.x, 8); },
    [](Parts &p) { p.out.parallel(p.y); },
    [](Parts &p) { p.out.bound(p.x, 0, 100); },
    [](Parts &p) { p.out.bound(p.x, 0, 101); },
    [](Parts &p) { p.out.align_bounds(p.y, 4); },
    [](Parts &p) { p.out.store_in(MemoryType::Stack); },
    [](Parts &p) { p.out.set_estimate(p.x, 0, 64); },
    [](Parts &p) { p.out.output_buffer().set_host_alignment(16); },
    [](Parts &p) { p.out.output_buffer().dim(0).set_stride(2); },
    [](Parts &p) { p.out.output_buffer().dim(1).set_bounds(0, 10); },
    [](Parts &p) { p.out.output_buffer().dim(1).set_min(p.out.output_buffer().dim(0).min()); },
};

// ---- Algorithms ---------------------------------------------------------------------

const std::vector<Variant> algorithms = {
    [](Parts &) {},
    [](Parts &p) { p.other(p.x, p.y) = p.out(p.x, p.y) + 1; },
    [](Parts &p) { p.other(p.x, p.y) = p.out(p.x, p.y) + 1.0000001f; },
    [](Parts &p) { p.other(p.x, p.y) = p.out(p.x, p.y) - -1; },
    [](Parts &p) { p.other(p.x, p.y) = 1 + p.out(p.x, p.y); },
    [](Parts &p) { p.other(p.x, p.y) = p.out(p.x, p.y) * p.gain; },
    [](Parts &p) { p.other(p.x, p.y) = p.out(p.x, p.y) * p.bias; },
    [](Parts &p) { p.other(p.x, p.y) = likely(p.out(p.x, p.y)); },
    [](Parts &p) { p.other(p.x, p.y) = likely_if_innermost(p.out(p.x, p.y)); },
    [](Parts &p) { p.other(p.x, p.y) = strict_float(p.out(p.x, p.y) + p.gain); },
    [](Parts &p) { p.other(p.x, p.y) = p.out(p.x, p.y) + p.gain; },
    [](Parts &p) { p.other(p.x, p.y) = print(p.out(p.x, p.y), "text"); },
    [](Parts &p) { p.other(p.x, p.y) = print(p.out(p.x, p.y), "other text"); },
    [](Parts &p) { p.other(p.x, p.y) = print_when(p.x == 3, p.out(p.x, p.y)); },
    [](Parts &p) { p.other(p.x, p.y) = require(p.gain > 0, p.out(p.x, p.y), "text"); },
    [](Parts &p) { p.other(p.x, p.y) = memoize_tag(p.out(p.x, p.y), p.bias); },
    [](Parts &p) { p.other(p.x, p.y) = undef<float>(); },
    [](Parts &p) { p.other(p.x, p.y) = random_float(); },
    [](Parts &p) { p.other(p.x, p.y) = random_float(p.x); },
    [](Parts &p) { p.other(p.x, p.y) = random_float() + random_float(); },
    [](Parts &p) { p.other(p.x, p.y) = cast<float>(random_int()); },
    [](Parts &p) { p.other(p.x, p.y) = select(p.x > 3, p.out(p.x, p.y), 0); },
    [](Parts &p) { p.other(p.x, p.y) = select(p.x > 4, p.out(p.x, p.y), 0); },
    [](Parts &p) { p.other(p.x, p.y) = sin(p.out(p.x, p.y)); },
    [](Parts &p) { p.other(p.x, p.y) = fast_sin(p.out(p.x, p.y)); },
    [](Parts &p) { p.other(p.x, p.y) = fast_exp(p.out(p.x, p.y)); },
    [](Parts &p) { p.other(p.x, p.y) = fast_inverse(p.out(p.x, p.y)); },
    [](Parts &p) { p.other(p.x, p.y) = floor(p.out(p.x, p.y)); },
    [](Parts &p) { p.other(p.x, p.y) = cast<float>(cast<float16_t>(p.out(p.x, p.y))); },
    [](Parts &p) { p.other(p.x, p.y) = cast<float>(cast<bfloat16_t>(p.out(p.x, p.y))); },
    [](Parts &p) { p.other(p.x, p.y) = reinterpret<float>(cast<int32_t>(p.out(p.x, p.y))); },
    [](Parts &p) { p.other(p.x, p.y) = cast<float>(cast<uint8_t>(p.out(p.x, p.y))); },
    [](Parts &p) { p.other(p.x, p.y) = cast<float>(saturating_cast<uint8_t>(p.out(p.x, p.y))); },
    [](Parts &p) { p.other(p.x, p.y) = cast<float>(popcount(cast<uint8_t>(p.x))); },
    [](Parts &p) { p.other(p.x, p.y) = p.input(p.x, p.y); },
    [](Parts &p) { p.other(p.x, p.y) = p.input(p.x + 1, p.y); },
    [](Parts &p) { p.other(p.x, p.y) = cast<float>(p.input.width()); },
    [](Parts &p) { p.other(p.x, p.y) = cast<float>(p.input.dim(0).stride()); },
    [](Parts &p) { p.other(p.x, p.y) = BoundaryConditions::repeat_edge(p.input)(p.x, p.y); },
    [](Parts &p) { p.other(p.x, p.y) = BoundaryConditions::mirror_image(p.input)(p.x, p.y); },
    [](Parts &p) {
        p.other(p.x, p.y) = BoundaryConditions::constant_exterior(p.input, 1.0f)(p.x, p.y);
    },
    [](Parts &p) {
        p.other(p.x, p.y) = BoundaryConditions::constant_exterior(p.input, 2.0f)(p.x, p.y);
    },
    [](Parts &p) {
        RDom d{0, 8, 0, 8, "d"};
        d.where(d.x < d.y);
        p.other(p.x, p.y) = sum(p.out(p.x + d.x, p.y + d.y));
    },
    [](Parts &p) {
        RDom d{0, 8, 0, 8, "d"};
        d.where(d.x <= d.y);
        p.other(p.x, p.y) = sum(p.out(p.x + d.x, p.y + d.y));
    },
    [](Parts &p) { p.other(p.x, p.y) = maximum(p.out(p.x + p.r, p.y)); },
    [](Parts &p) { p.other(p.x, p.y) = minimum(p.out(p.x + p.r, p.y)); },
    [](Parts &p) { p.other(p.x, p.y) = cast<float>(argmax(p.out(p.x + p.r, p.y))[0]); },
    [](Parts &p) {
        p.other(p.x, p.y) = p.out(p.x, p.y);
        p.other(p.x, 0) += 1.0f;
    },
    [](Parts &p) {
        p.other(p.x, p.y) = p.out(p.x, p.y);
        p.other(0, p.y) += 1.0f;
    },
    [](Parts &p) {
        p.other(p.x, p.y) = p.out(p.x, p.y);
        p.other(p.x, p.y) += select(p.x > 1, 1.0f, 0.0f);
        p.other(p.x, p.y) += select(p.x > 2, 1.0f, 0.0f);
    },
    [](Parts &p) {
        p.other(p.x, p.y) = p.out(p.x, p.y);
        p.other(p.x, p.y) += select(p.x > 2, 1.0f, 0.0f);
        p.other(p.x, p.y) += select(p.x > 1, 1.0f, 0.0f);
    },
    [](Parts &p) {
        Buffer<float> table(4, "table");
        table.fill(1.5f);
        p.other(p.x, p.y) = table(clamp(p.x, 0, 3));
    },
    [](Parts &p) {
        Buffer<float> table(4, "table");
        table.fill(1.5f);
        table(2) = 2.5f;
        p.other(p.x, p.y) = table(clamp(p.x, 0, 3));
    },
    [](Parts &p) {
        Buffer<float> table(4, 4, "table");
        table.fill(1.5f);
        table(2, 1) = 2.5f;
        p.other(p.x, p.y) = table(clamp(p.x, 0, 3), clamp(p.y, 0, 3));
    },
    [](Parts &p) {
        Buffer<float> table(4, 4, "table");
        table.transpose(0, 1);
        table.fill(1.5f);
        table(2, 1) = 2.5f;
        p.other(p.x, p.y) = table(clamp(p.x, 0, 3), clamp(p.y, 0, 3));
    },
    [](Parts &p) {
        Buffer<uint8_t> table(4, "table");
        table.fill(1);
        p.other(p.x, p.y) = cast<float>(table(clamp(p.x, 0, 3)));
    },
    [](Parts &p) {
        Buffer<int8_t> table(4, "table");
        table.fill(1);
        p.other(p.x, p.y) = cast<float>(table(clamp(p.x, 0, 3)));
    },
    [](Parts &p) {
        Func external{"external"};
        external.define_extern("make", {p.out, p.gain}, Float(32), 2);
        external.compute_root();
        p.other(p.x, p.y) = external(p.x, p.y);
    },
    [](Parts &p) {
        Func external{"external"};
        external.define_extern("make", {p.out, p.bias}, Float(32), 2);
        external.compute_root();
        p.other(p.x, p.y) = external(p.x, p.y);
    },
    [](Parts &p) {
        Func external{"external"};
        external.define_extern("make", {p.out, 5}, Float(32), 2);
        external.compute_root();
        p.other(p.x, p.y) = external(p.x, p.y);
    },
    [](Parts &p) {
        Func external{"external"};
        external.define_extern("make", {p.out, 6}, Float(32), 2);
        external.compute_root();
        p.other(p.x, p.y) = external(p.x, p.y);
    },
    [](Parts &p) {
        Func external{"external"};
        external.define_extern("make", {p.input, Buffer<float>(3, "raw")}, Float(32), 2);
        external.compute_root();
        p.other(p.x, p.y) = external(p.x, p.y);
    },
    [](Parts &p) {
        p.other(p.x, p.y) = Internal::Call::make(Float(32), "callee", {p.out(p.x, p.y)},
                                                 Internal::Call::Extern);
    },
    [](Parts &p) {
        p.other(p.x, p.y) = Internal::Call::make(Float(32), "callee", {p.out(p.x, p.y)},
                                                 Internal::Call::PureExtern);
    },
    [](Parts &p) {
        p.other(p.x, p.y) = Internal::Call::make(Float(32), "other_callee", {p.out(p.x, p.y)},
                                                 Internal::Call::PureExtern);
    },
    [](Parts &p) {
        Func pair{"pair"};
        pair(p.x, p.y) = Tuple(p.out(p.x, p.y), p.x);
        pair.compute_root();
        p.other(p.x, p.y) = pair(p.x, p.y)[0];
    },
    [](Parts &p) {
        Func pair{"pair"};
        pair(p.x, p.y) = Tuple(p.out(p.x, p.y), p.x);
        pair.compute_root();
        p.other(p.x, p.y) = cast<float>(pair(p.x, p.y)[1]);
    },
};

// ---- Inputs -------------------------------------------------------------------------

const std::vector<Variant> inputs = {
    [](Parts &) {},
    [](Parts &p) { p.input.set_host_alignment(32); },
    [](Parts &p) { p.input.set_host_alignment(64); },
    [](Parts &p) { p.input.dim(0).set_stride(2); },
    [](Parts &p) { p.input.dim(0).set_stride(Expr()); },
    [](Parts &p) { p.input.dim(1).set_stride(128); },
    [](Parts &p) { p.input.dim(0).set_min(0); },
    [](Parts &p) { p.input.dim(0).set_min(1); },
    [](Parts &p) { p.input.dim(1).set_min(0); },
    [](Parts &p) { p.input.dim(0).set_extent(128); },
    [](Parts &p) { p.input.dim(0).set_bounds(0, 128); },
    [](Parts &p) { p.input.dim(0).set_extent(p.input.dim(1).extent()); },
    [](Parts &p) { p.input.dim(0).set_extent((p.input.dim(0).extent() / 8) * 8); },
    [](Parts &p) { p.input.dim(0).set_extent((p.input.dim(0).extent() / 16) * 16); },
    [](Parts &p) { p.input.dim(0).set_extent(cast<int>(p.gain * 10.0f)); },
    [](Parts &p) { p.input.dim(0).set_extent(cast<int>(p.gain * 10.000001f)); },
    [](Parts &p) { p.input.dim(0).set_estimate(0, 100); },
    [](Parts &p) { p.input.dim(0).set_estimate(0, 200); },
    [](Parts &p) { p.input.trace_loads(); },
    [](Parts &p) {
        p.input.trace_loads();
        p.input.add_trace_tag("tag");
    },
    [](Parts &p) { p.unused.set_host_alignment(32); },
    [](Parts &p) { p.unused.dim(0).set_stride(2); },
    [](Parts &p) { p.unused.dim(0).set_bounds(0, 128); },
    [](Parts &p) { p.unused.dim(0).set_min(p.input.dim(0).min()); },
    [](Parts &p) { p.unused.dim(0).set_estimate(0, 100); },
    [](Parts &p) { p.unused.trace_loads(); },
    [](Parts &p) { p.input.store_in(MemoryType::Heap); },
    [](Parts &p) { p.unused.store_in(MemoryType::Stack); },
};

// ---- The generator ------------------------------------------------------------------

class Sweep : public Generator<Sweep> {
public:
    GeneratorParam<std::string> what{"what", "schedules"};
    Input<Buffer<float, 2>> input{"input"};
    Input<Buffer<float, 2>> unused{"unused"};
    Input<float> gain{"gain", 1.0f};
    Input<float> bias{"bias", 1.0f};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Parts parts;
        parts.gain = gain;
        parts.bias = bias;
        parts.input = input;
        parts.unused = unused;
        const Var x = parts.x;
        const Var y = parts.y;
        parts.a(x, y) = input(x, y) * gain;
        parts.b(x, y) = parts.a(x, y) + bias;
        parts.sum(x, y) = 0.0f;
        parts.sum(x, y) += parts.a(x + parts.r, y);
        parts.c(x, y) = cast<float>(x * y) * gain;
        parts.out(x, y) =
            parts.a(x, y) + parts.b(x, y + 1) + parts.sum(x, y) + parts.c(x, y);
        if (what.value() == "algorithms") {
            pick(algorithms, parts);
            if (!parts.other.defined()) {
                parts.other(x, y) = parts.out(x, y);
            }
            parts.out.compute_root();
            output = parts.other;
        } else {
            pick(what.value() == "inputs" ? inputs : schedules, parts);
            output = parts.out;
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Sweep, sweep)
