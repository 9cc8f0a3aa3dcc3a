// SPDX-License-Identifier: MIT
// A generator with a helper library of its own, which takes part in building the pipeline.

#include "Halide.h"

extern "C" int helper_number();

using namespace Halide;

class Helped : public Generator<Helped> {
public:
    Input<Buffer<float, 1>> input{"input"};
    Output<Buffer<float, 1>> output{"output"};

    void generate() {
        Var x{"x"};
        // Lowering computes the exponential, with the C library's function.
        output(x) = input(x) * helper_number() + exp(Expr(2.0f));
    }
};
HALIDE_REGISTER_GENERATOR(Helped, helped)
