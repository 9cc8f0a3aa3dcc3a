// SPDX-License-Identifier: MIT
//
// Recursive (infinite impulse response) smoothing: a first-order filter forth and back
// along the columns, then the same on the transposed image, so that both vectorize.

#include "Halide.h"

namespace {

using namespace Halide;

class IirSmooth : public Generator<IirSmooth> {
public:
    Input<Buffer<float, 2>> input{"input"};
    Input<float> alpha{"alpha", 0.25f, 0.0f, 1.0f};
    Output<Buffer<float, 2>> output{"output"};

    void generate()
    {
        Func padded = BoundaryConditions::repeat_edge(input);
        Func columns = smooth(padded, input.height(), "columns");
        Func turned("turned");
        turned(x, y) = columns(y, x);
        Func rows = smooth(turned, input.width(), "rows");
        output(x, y) = rows(y, x);
    }

    void schedule()
    {
        const int lanes = natural_vector_size<float>();

        for (Pass &p : passes) {
            // Columns do not depend on each other, whatever the recursion does inside of
            // them. Two vectors side by side hide the latency of the multiply-add chain.
            p.result.compute_root()
                .split(x, xo, xi, 2 * lanes)
                .reorder(xi, y, xo)
                .vectorize(xi, lanes)
                .unroll(xi)
                .parallel(xo);
            for (Func f : {p.forth, p.back}) {
                f.compute_at(p.result, xo).vectorize(x, lanes).unroll(x);
                f.update().reorder(x, p.steps).vectorize(x, lanes).unroll(x);
            }
        }
        output.tile(x, y, xo, yo, xi, yi, lanes, lanes)
            .vectorize(xi)
            .unroll(yi)
            .parallel(yo);
    }

private:
    struct Pass {
        Func forth, back, result;
        RDom steps;
    };

    Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"};
    std::vector<Pass> passes;

    Func smooth(Func f, Expr length, const std::string &name)
    {
        Pass p{Func(name + "_forth"), Func(name + "_back"), Func(name),
               RDom(1, length - 1, name + "_steps")};
        const Expr t = p.steps.x;

        p.forth(x, y) = f(x, y);
        p.forth(x, t) = alpha * f(x, t) + (1.0f - alpha) * p.forth(x, t - 1);

        const Expr u = length - 1 - t;
        p.back(x, y) = p.forth(x, y);
        p.back(x, u) = alpha * p.forth(x, u) + (1.0f - alpha) * p.back(x, u + 1);

        p.result(x, y) = p.back(x, y);
        passes.push_back(p);
        return p.result;
    }
};

} // namespace

HALIDE_REGISTER_GENERATOR(IirSmooth, iir_smooth)
