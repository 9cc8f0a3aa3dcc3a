// SPDX-License-Identifier: MIT
//
// Planar RGB to NV12, the usual input of video encoders: full-size luma and, at half the
// resolution, interleaved chroma (BT.601, studio range). Two outputs of different shape.

#include "Halide.h"

namespace {

using namespace Halide;

class RgbToNv12 : public Generator<RgbToNv12> {
public:
    Input<Buffer<uint8_t, 3>> rgb{"rgb"};
    Output<Buffer<uint8_t, 2>> luma{"luma"};
    Output<Buffer<uint8_t, 3>> chroma{"chroma"}; // u or v, x, y

    void generate()
    {
        const Expr r = cast<int>(rgb(x, y, 0)), g = cast<int>(rgb(x, y, 1)),
                   b = cast<int>(rgb(x, y, 2));
        luma(x, y) = cast<uint8_t>(16 + ((66 * r + 129 * g + 25 * b + 128) >> 8));

        const auto block = [&](int k) {
            return cast<int>(rgb(2 * x, 2 * y, k)) + rgb(2 * x + 1, 2 * y, k) +
                   rgb(2 * x, 2 * y + 1, k) + rgb(2 * x + 1, 2 * y + 1, k);
        };
        sums(x, y, c) = mux(c, {block(0), block(1), block(2)});
        const Expr r4 = sums(x, y, 0), g4 = sums(x, y, 1), b4 = sums(x, y, 2);
        const Expr u = -38 * r4 - 74 * g4 + 112 * b4, v = 112 * r4 - 94 * g4 - 18 * b4;
        chroma(c, x, y) = cast<uint8_t>(128 + ((mux(c, {u, v}) + 512) >> 10));
    }

    void schedule()
    {
        rgb.dim(2).set_bounds(0, 3);
        chroma.dim(0).set_bounds(0, 2).set_stride(1);
        chroma.dim(1).set_stride(2);

        luma.vectorize(x, 16).parallel(y, 16);
        chroma.unroll(c).vectorize(x, 8).parallel(y, 8);
        sums.compute_at(chroma, x).reorder(c, x, y).bound(c, 0, 3).unroll(c).vectorize(x);
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};
    Func sums{"sums"};
};

} // namespace

HALIDE_REGISTER_GENERATOR(RgbToNv12, rgb_to_nv12)
