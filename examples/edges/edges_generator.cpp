// SPDX-License-Identifier: MIT
//
// Edge detector in the manner of Canny, without the tracing: smoothing, Sobel gradients,
// thinning across the edge, two thresholds. Small, and meant for an autoscheduler.

#include "Halide.h"

namespace {

using namespace Halide;

class Edges : public Generator<Edges> {
public:
    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<int16_t> weak{"weak", 40};
    Input<int16_t> strong{"strong", 100};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate()
    {
        const Func padded = BoundaryConditions::repeat_edge(input);
        grey(x, y) = cast<int16_t>(padded(x, y));

        const auto tent = [](const Expr &a, const Expr &b, const Expr &c) {
            return a + 2 * b + c;
        };
        tents(x, y) = tent(grey(x - 1, y), grey(x, y), grey(x + 1, y));
        soft(x, y) = tent(tents(x, y - 1), tents(x, y), tents(x, y + 1)) / 16;

        const Expr gx = tent(soft(x + 1, y - 1), soft(x + 1, y), soft(x + 1, y + 1)) -
                        tent(soft(x - 1, y - 1), soft(x - 1, y), soft(x - 1, y + 1));
        const Expr gy = tent(soft(x - 1, y + 1), soft(x, y + 1), soft(x + 1, y + 1)) -
                        tent(soft(x - 1, y - 1), soft(x, y - 1), soft(x + 1, y - 1));
        const Expr ax = cast<int16_t>(abs(gx)), ay = cast<int16_t>(abs(gy));
        strength(x, y) = ax + ay;

        // 2/5 stands for the tangent of 22.5 degrees: the gradient is rounded to one of
        // four directions.
        direction(x, y) = cast<uint8_t>(
            select(5 * ay < 2 * ax, 0, 5 * ax < 2 * ay, 1, (gx < 0) == (gy < 0), 2, 3));

        // A pixel stays if neither neighbour across the edge is stronger.
        const Expr rival =
            mux(direction(x, y), {max(strength(x - 1, y), strength(x + 1, y)),
                                  max(strength(x, y - 1), strength(x, y + 1)),
                                  max(strength(x - 1, y - 1), strength(x + 1, y + 1)),
                                  max(strength(x - 1, y + 1), strength(x + 1, y - 1))});
        const Expr here = strength(x, y);
        const Expr edge = here >= rival && here >= weak;
        output(x, y) =
            select(edge, select(here >= strong, cast<uint8_t>(255), cast<uint8_t>(128)),
                   cast<uint8_t>(0));
    }

    void schedule()
    {
        if (using_autoscheduler()) {
            input.set_estimates({{0, 1536}, {0, 1024}});
            weak.set_estimate(40);
            strong.set_estimate(100);
            output.set_estimates({{0, 1536}, {0, 1024}});
            return;
        }

        const int lanes = natural_vector_size<int16_t>();
        output.split(y, yo, yi, 32).parallel(yo).vectorize(x, lanes);
        for (Func f : {tents, soft, strength}) {
            f.store_at(output, yo).compute_at(output, yi).vectorize(x, lanes);
        }
    }

private:
    Var x{"x"}, y{"y"}, yo{"yo"}, yi{"yi"};
    Func grey{"grey"}, tents{"tents"}, soft{"soft"};
    Func strength{"strength"}, direction{"direction"};
};

} // namespace

HALIDE_REGISTER_GENERATOR(Edges, edges)
