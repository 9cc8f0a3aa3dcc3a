// SPDX-License-Identifier: MIT
// Two pipelines that compile quickly.

#include "Halide.h"

namespace {

class Brighten : public Halide::Generator<Brighten> {
public:
    GeneratorParam<int> amount{"amount", 10};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Halide::Var x("x"), y("y");
        output(x, y) = Halide::cast<uint8_t>(
            Halide::min(Halide::cast<uint16_t>(input(x, y)) + static_cast<int>(amount), 255));
        output.vectorize(x, natural_vector_size<uint8_t>(), Halide::TailStrategy::GuardWithIf);
    }
};

class Box : public Halide::Generator<Box> {
public:
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Halide::Var x("x"), y("y");
        Halide::Func wide("wide"), rows("rows");
        wide(x, y) = Halide::cast<uint16_t>(input(x, y));
        rows(x, y) = wide(x, y) + wide(x + 1, y) + wide(x + 2, y);
        output(x, y) = Halide::cast<uint8_t>((rows(x, y) + rows(x, y + 1) + rows(x, y + 2)) / 9);
        if (using_autoscheduler()) {
            input.set_estimates({{0, 1026}, {0, 770}});
            output.set_estimates({{0, 1024}, {0, 768}});
        } else {
            rows.compute_at(output, y);
            output.parallel(y);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Brighten, brighten)
HALIDE_REGISTER_GENERATOR(Box, box)
