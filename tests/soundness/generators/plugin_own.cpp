// SPDX-License-Identifier: MIT
// A generator that brings an autoscheduler with it.

#include "Halide.h"

using namespace Halide;

void schedule(const Pipeline &pipeline, const Target &, const AutoschedulerParams &,
              AutoSchedulerResults *) {
    for (Func output : pipeline.outputs()) {
        output.vectorize(output.args()[0], /*width*/ 4);
    }
}

struct Register {
    Register() {
        Pipeline::add_autoscheduler("Own", schedule);
    }
} registered;

class Auto : public Generator<Auto> {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        // A remark.
        output(x, y) = input(x, y) + 1;
    }
};
HALIDE_REGISTER_GENERATOR(Auto, auto)
