// SPDX-License-Identifier: MIT
// A generator that autoschedulers can schedule.

#include "Halide.h"

using namespace Halide;

class Auto : public Generator<Auto> {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func sum{"sum"};
        sum(x, y) = input(x, y) + input(x + 1, y);
        output(x, y) = sum(x, y) + sum(x, y + 1);
        if (!using_autoscheduler()) {
            sum.compute_root();
        }
        input.set_estimates({{0, 1025}, {0, 1025}});
        output.set_estimates({{0, 1024}, {0, /*estimate*/ 1024}});
    }
};
HALIDE_REGISTER_GENERATOR(Auto, auto)
