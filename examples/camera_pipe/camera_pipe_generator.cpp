// SPDX-License-Identifier: MIT
//
// From a raw Bayer mosaic to a picture: hot pixels, demosaic (bilinear, or the linear
// gradient-corrected filters of Malvar, He and Cutler), colour matrix, a tone curve that
// the generator computes and embeds as a table, sharpening.

#include "Halide.h"

#include <algorithm>
#include <cmath>

namespace {

using namespace Halide;
using namespace Halide::ConciseCasts;

enum class Demosaic { Bilinear, Gradient };

class CameraPipe : public Generator<CameraPipe> {
public:
    GeneratorParam<Demosaic> demosaic{
        "demosaic",
        Demosaic::Bilinear,
        {{"bilinear", Demosaic::Bilinear}, {"gradient", Demosaic::Gradient}}};
    GeneratorParam<double> gamma{"gamma", 2.2, 1.0, 4.0};
    GeneratorParam<bool> sharpen{"sharpen", true};

    // Ten bits in rows of green-red and blue-green.
    Input<Buffer<uint16_t, 2>> raw{"raw"};
    Input<Buffer<float, 2>> matrix{"matrix"}; // 3x3, matrix(from, to)
    Input<uint16_t> black{"black", 64};
    Input<uint16_t> white{"white", 1023};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate()
    {
        padded = BoundaryConditions::mirror_interior(raw);

        // A pixel that is beyond all four neighbours of its own colour is a defect.
        const Expr a = padded(x - 2, y), b = padded(x + 2, y);
        const Expr d = padded(x, y - 2), e = padded(x, y + 2);
        calm(x, y) = i16(
            clamp(padded(x, y), min(min(a, b), min(d, e)), max(max(a, b), max(d, e))));

        plane(x, y, c) = calm(2 * x + c % 2, 2 * y + c / 2);
        make_sites();

        // The matrix works in 8.8 fixed point, like the hardware would.
        fixed(x, y) = i32(round(matrix(x, y) * 256.0f));
        const Expr even_x = x % 2 == 0, even_y = y % 2 == 0;
        full(x, y, c) = select(
            even_y, select(even_x, site[0](x / 2, y / 2, c), site[1](x / 2, y / 2, c)),
            select(even_x, site[2](x / 2, y / 2, c), site[3](x / 2, y / 2, c)));

        Expr mixed = i32(128);
        for (int from = 0; from < 3; from++) {
            mixed += fixed(from, c) * (i32(full(x, y, from)) - i32(black));
        }
        const Expr range = max(i32(white) - i32(black), 1);
        const Expr level = clamp((mixed >> 8) * 1023 / range, 0, 1023);
        toned(x, y, c) = make_curve()(level);

        if (sharpen) {
            // Unsharp mask with a 3x3 binomial kernel, at three quarters strength.
            edge_rows(x, y, c) = i16(toned(x - 1, y, c)) + 2 * i16(toned(x, y, c)) +
                                 i16(toned(x + 1, y, c));
            const Expr soft = (edge_rows(x, y - 1, c) + 2 * edge_rows(x, y, c) +
                               edge_rows(x, y + 1, c) + 8) /
                              16;
            const Expr here = i16(toned(x, y, c));
            output(x, y, c) = u8_sat(here + (here - soft) * 3 / 4);
        } else {
            output(x, y, c) = toned(x, y, c);
        }
    }

    void schedule()
    {
        const int lanes = natural_vector_size<int16_t>();

        output.dim(2).set_bounds(0, 3);
        fixed.compute_root();

        output.compute_root()
            .reorder(x, c, y)
            .unroll(c)
            .split(y, yo, yi, 32)
            .parallel(yo)
            .vectorize(x, 2 * lanes);
        toned.compute_at(output, yi)
            .store_at(output, yo)
            .reorder(x, c, y)
            .unroll(c)
            .vectorize(x, lanes);
        full.compute_at(output, yi)
            .store_at(output, yo)
            .align_bounds(x, 2)
            .align_bounds(y, 2)
            .reorder(x, c, y)
            .unroll(c)
            .unroll(y, 2)
            .vectorize(x, 2 * lanes);
        plane.compute_at(output, yi)
            .store_at(output, yo)
            .bound(c, 0, 4)
            .reorder(c, x, y)
            .unroll(c)
            .vectorize(x, lanes);
        calm.compute_at(output, yi).store_at(output, yo).vectorize(x, lanes);
    }

private:
    Var x{"x"}, y{"y"}, c{"c"}, yo{"yo"}, yi{"yi"};
    Func padded{"padded"}, calm{"calm"}, plane{"plane"}, full{"full"}, fixed{"fixed"};
    Func toned{"toned"}, edge_rows{"edge_rows"};
    Func site[4];

    // The sensor value at a whole-pixel offset from the upper left pixel of a 2x2 block.
    Expr at(int dx, int dy)
    {
        return plane(x + (dx >> 1), y + (dy >> 1), (dx & 1) + 2 * (dy & 1));
    }

    Expr horizontal(int i, int j, int n)
    {
        return at(i - n, j) + at(i + n, j);
    }

    Expr vertical(int i, int j, int n)
    {
        return at(i, j - n) + at(i, j + n);
    }

    Expr cross(int i, int j, int n)
    {
        return horizontal(i, j, n) + vertical(i, j, n);
    }

    Expr diagonal(int i, int j)
    {
        return horizontal(i, j - 1, 1) + horizontal(i, j + 1, 1);
    }

    // One Func for each of the four places of a 2x2 block, with red, green and blue.
    void make_sites()
    {
        for (int s = 0; s < 4; s++) {
            const int i = s & 1, j = s >> 1;
            const bool smooth = demosaic == Demosaic::Bilinear;
            const Expr here = at(i, j);
            site[s] = Func("site" + std::to_string(s));

            if (i == j) {
                // Green: the colour of this row is beside it, the other one above it.
                const Expr beside =
                    smooth
                        ? (horizontal(i, j, 1) + 1) / 2
                        : (10 * here + 8 * horizontal(i, j, 1) - 2 * horizontal(i, j, 2) -
                           2 * diagonal(i, j) + vertical(i, j, 2) + 8) /
                              16;
                const Expr above =
                    smooth ? (vertical(i, j, 1) + 1) / 2
                           : (10 * here + 8 * vertical(i, j, 1) - 2 * vertical(i, j, 2) -
                              2 * diagonal(i, j) + horizontal(i, j, 2) + 8) /
                                 16;
                const bool red_row = j == 0;
                site[s](x, y, c) =
                    mux(c, {red_row ? beside : above, here, red_row ? above : beside});
            } else {
                const Expr green =
                    smooth ? (cross(i, j, 1) + 2) / 4
                           : (4 * here + 2 * cross(i, j, 1) - cross(i, j, 2) + 4) / 8;
                const Expr opposite =
                    smooth
                        ? (diagonal(i, j) + 2) / 4
                        : (12 * here + 4 * diagonal(i, j) - 3 * cross(i, j, 2) + 8) / 16;
                const bool red = i == 1;
                site[s](x, y, c) =
                    mux(c, {red ? here : opposite, green, red ? opposite : here});
            }
        }
    }

    Buffer<uint8_t> make_curve() const
    {
        Buffer<uint8_t> curve(1024);
        for (int i = 0; i < curve.width(); i++) {
            const double power = std::pow(i / 1023.0, 1.0 / gamma);
            // A gentle S around the middle: contrast without clipping either end.
            const double shaped =
                power + 0.1 * power * (1.0 - power) * (2.0 * power - 1.0);
            curve(i) = uint8_t(std::min(std::max(shaped * 255.0 + 0.5, 0.0), 255.0));
        }
        return curve;
    }
};

} // namespace

HALIDE_REGISTER_GENERATOR(CameraPipe, camera_pipe)
