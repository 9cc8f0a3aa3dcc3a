// SPDX-License-Identifier: MIT
//
// Unsharp mask on the luma of a colour picture. Scheduled by hand, or by an autoscheduler
// when one is asked for.

#include "Halide.h"

#include <cmath>

namespace {

using namespace Halide;

class Unsharp : public Generator<Unsharp> {
public:
    GeneratorParam<double> sigma{"sigma", 1.5, 0.3, 3.0};

    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<float> amount{"amount", 1.0f};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate()
    {
        const int radius = int(std::ceil(2.0 * sigma));
        std::vector<double> weights;
        double sum = 0.0;
        for (int i = -radius; i <= radius; i++) {
            weights.push_back(std::exp(-i * i / (2.0 * sigma * sigma)));
            sum += weights.back();
        }

        const Func padded = BoundaryConditions::repeat_edge(input);
        luma(x, y) = 0.299f * cast<float>(padded(x, y, 0)) +
                     0.587f * cast<float>(padded(x, y, 1)) +
                     0.114f * cast<float>(padded(x, y, 2));

        Expr down = 0.0f;
        for (int i = -radius; i <= radius; i++) {
            down += float(weights[i + radius] / sum) * luma(x, y + i);
        }
        columns(x, y) = down;

        Expr across = 0.0f;
        for (int i = -radius; i <= radius; i++) {
            across += float(weights[i + radius] / sum) * columns(x + i, y);
        }
        soft(x, y) = across;

        // Scaling all three channels alike keeps the hue.
        gain(x, y) =
            max(1.0f + amount * (1.0f - soft(x, y) / max(luma(x, y), 1.0f)), 0.0f);
        output(x, y, c) =
            cast<uint8_t>(min(gain(x, y) * cast<float>(input(x, y, c)) + 0.5f, 255.0f));
    }

    void schedule()
    {
        input.dim(2).set_bounds(0, 3);
        output.dim(2).set_bounds(0, 3);

        if (using_autoscheduler()) {
            input.set_estimates({{0, 1536}, {0, 1024}, {0, 3}});
            amount.set_estimate(1.0f);
            output.set_estimates({{0, 1536}, {0, 1024}, {0, 3}});
            return;
        }

        const int lanes = natural_vector_size<float>();
        output.reorder(x, c, y)
            .unroll(c)
            .split(y, yo, yi, 32)
            .parallel(yo)
            .vectorize(x, lanes);
        luma.store_at(output, yo).compute_at(output, yi).vectorize(x, lanes);
        columns.compute_at(output, yi).vectorize(x, lanes);
        gain.compute_at(output, yi).vectorize(x, lanes);
    }

private:
    Var x{"x"}, y{"y"}, c{"c"}, yo{"yo"}, yi{"yi"};
    Func luma{"luma"}, columns{"columns"}, soft{"soft"}, gain{"gain"};
};

} // namespace

HALIDE_REGISTER_GENERATOR(Unsharp, unsharp)
