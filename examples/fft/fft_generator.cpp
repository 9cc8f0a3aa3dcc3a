// SPDX-License-Identifier: MIT
//
// Batched complex FFT of a small power of two: radix 2, decimation in time, fully
// unrolled. Transforms are side by side in memory, so that a vector holds the same
// element of many.

#include "Halide.h"

#include <cmath>

namespace {

using namespace Halide;

class Fft : public Generator<Fft> {
public:
    GeneratorParam<int> log2_size{"log2_size", 4, 1, 7};
    GeneratorParam<bool> inverse{"inverse", false};

    Input<Buffer<float, 3>> input{"input"}; // transform, element, real or imaginary
    Output<Buffer<float, 3>> output{"output"};

    void generate()
    {
        const int size = 1 << log2_size;

        std::vector<Expr> reversed;
        for (int i = 0; i < size; i++) {
            int r = 0;
            for (int bit = 0; bit < log2_size; bit++) {
                r |= ((i >> bit) & 1) << (log2_size - 1 - bit);
            }
            reversed.emplace_back(r);
        }
        std::vector<Expr> cosines, sines;
        for (int i = 0; i < size / 2; i++) {
            const double angle = (inverse ? 2.0 : -2.0) * pi * i / size;
            cosines.emplace_back(exact(std::cos(angle)));
            sines.emplace_back(exact(std::sin(angle)));
        }

        Func shuffled("shuffled");
        const Expr from = mux(n, reversed);
        shuffled(b, n) = Tuple(input(b, from, 0), input(b, from, 1));
        stages.push_back(shuffled);

        for (int half = 1; half < size; half *= 2) {
            Func before = stages.back();
            Func after("after" + std::to_string(2 * half));

            // Everything that depends on n alone is a constant once n is unrolled. So is
            // the clamp, which tells bounds inference what it cannot see through modulo.
            const Expr even = clamp(n - n % (2 * half) + n % half, 0, size - 1 - half);
            const Expr turn = (n % half) * (size / (2 * half));
            const Expr wr = mux(turn, cosines), wi = mux(turn, sines);

            const Tuple p = before(b, even), q = before(b, even + half);
            const Expr re = q[0] * wr - q[1] * wi, im = q[0] * wi + q[1] * wr;
            const Expr upper = n % (2 * half) < half;
            after(b, n) = Tuple(select(upper, p[0] + re, p[0] - re),
                                select(upper, p[1] + im, p[1] - im));
            stages.push_back(after);
        }

        const float scale = inverse ? 1.0f / float(size) : 1.0f;
        output(b, n, c) =
            mux(c, {stages.back()(b, n)[0], stages.back()(b, n)[1]}) * scale;
    }

    void schedule()
    {
        const int lanes = natural_vector_size<float>();
        const int size = 1 << log2_size;

        input.dim(1).set_bounds(0, size).dim(2).set_bounds(0, 2);
        output.dim(1).set_bounds(0, size).dim(2).set_bounds(0, 2);

        output.split(b, bo, bi, lanes)
            .split(bo, task, bo, 8)
            .reorder(bi, n, c, bo, task)
            .vectorize(bi)
            .unroll(n)
            .unroll(c)
            .parallel(task);
        for (Func f : stages) {
            f.compute_at(output, bo).reorder(b, n).vectorize(b).unroll(n);
        }
    }

private:
    static constexpr double pi = 3.14159265358979323846;

    Var b{"b"}, n{"n"}, c{"c"}, bo{"bo"}, bi{"bi"}, task{"task"};
    std::vector<Func> stages;

    // The cosine of a right angle is not quite zero; if it is made zero, the
    // multiplication by it goes away.
    static float exact(double value)
    {
        return std::abs(value) < 1e-9 ? 0.0f : float(value);
    }
};

} // namespace

HALIDE_REGISTER_GENERATOR(Fft, fft)
