// SPDX-License-Identifier: MIT
//
// Separable interpolation for enlarging a picture: linear, Catmull-Rom or Lanczos.

#include "Halide.h"

namespace {

using namespace Halide;

enum class Kernel { Linear, Cubic, Lanczos };

class Resize : public Generator<Resize> {
public:
    GeneratorParam<Kernel> kernel{"kernel",
                                  Kernel::Linear,
                                  {{"linear", Kernel::Linear},
                                   {"cubic", Kernel::Cubic},
                                   {"lanczos", Kernel::Lanczos}}};

    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<float> step_x{"step_x", 0.5f}; // input pixels for each pixel of the output
    Input<float> step_y{"step_y", 0.5f};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate()
    {
        const int taps = tap_count();

        padded = BoundaryConditions::repeat_edge(
            input, {{input.dim(0).min(), input.dim(0).extent()},
                    {input.dim(1).min(), input.dim(1).extent()},
                    {Expr(), Expr()}});

        const Expr from_x = (cast<float>(x) + 0.5f) * step_x - 0.5f;
        const Expr from_y = (cast<float>(y) + 0.5f) * step_y - 0.5f;
        const Expr left = cast<int>(floor(from_x)) - (taps / 2 - 1);
        const Expr top = cast<int>(floor(from_y)) - (taps / 2 - 1);
        make_weights(weights_x, raw_x, x, from_x - cast<float>(left));
        make_weights(weights_y, raw_y, y, from_y - cast<float>(top));

        Expr column = 0.0f;
        for (int i = 0; i < taps; i++) {
            column += weights_y(y, i) * cast<float>(padded(x, top + i, c));
        }
        tall(x, y, c) = column;

        Expr row = 0.0f;
        for (int i = 0; i < taps; i++) {
            row += weights_x(x, i) * tall(left + i, y, c);
        }
        output(x, y, c) = cast<uint8_t>(clamp(row + 0.5f, 0.0f, 255.0f));
    }

    void schedule()
    {
        const int lanes = natural_vector_size<float>();

        // Once for each column and row: too little work to be worth a vector.
        weights_x.compute_root().reorder(k, x).bound(k, 0, tap_count());
        weights_y.compute_root().reorder(k, y).bound(k, 0, tap_count());
        raw_x.compute_at(weights_x, x);
        raw_y.compute_at(weights_y, y);

        output.split(y, yo, yi, 8).reorder(x, yi, c, yo).parallel(yo).vectorize(x, lanes);
        // The vertical pass comes first because it reads whole vectors: only the
        // horizontal one has to gather, from a row that is still in cache.
        tall.compute_at(output, yi).vectorize(x, lanes);
    }

private:
    Var x{"x"}, y{"y"}, c{"c"}, k{"k"}, yo{"yo"}, yi{"yi"};
    Func padded{"padded"}, tall{"tall"};
    Func raw_x{"raw_x"}, raw_y{"raw_y"}, weights_x{"weights_x"}, weights_y{"weights_y"};

    int tap_count() const
    {
        return kernel == Kernel::Linear ? 2 : kernel == Kernel::Cubic ? 4 : 6;
    }

    // Weights of the taps for every position v, where offset is the distance from tap 0.
    // They are made to sum to one: Lanczos does not by itself.
    void make_weights(Func weights, Func raw, Var v, const Expr &offset)
    {
        raw(v, k) = response(abs(offset - cast<float>(k)));
        Expr sum = 0.0f;
        for (int i = 0; i < tap_count(); i++) {
            sum += raw(v, i);
        }
        weights(v, k) = raw(v, k) / sum;
    }

    Expr response(const Expr &d) const
    {
        switch (kernel) {
        case Kernel::Linear:
            return max(1.0f - d, 0.0f);
        case Kernel::Cubic:
            return select(d < 1.0f, (1.5f * d - 2.5f) * d * d + 1.0f,
                          ((-0.5f * d + 2.5f) * d - 4.0f) * d + 2.0f);
        case Kernel::Lanczos:
            break;
        }
        const float pi = 3.14159265f;
        const Expr a = pi * min(d, 3.0f);
        return select(a < 1e-4f, 1.0f, 3.0f * sin(a) * sin(a / 3.0f) / (a * a));
    }
};

} // namespace

HALIDE_REGISTER_GENERATOR(Resize, resize)
