// SPDX-License-Identifier: MIT
//
// Bilateral grid (Chen, Paris and Durand 2007): pixels are gathered into a coarse grid of
// position and intensity, the grid is blurred, and every pixel looks up its place in it.

#include "Halide.h"

namespace {

using namespace Halide;

class BilateralGrid : public Generator<BilateralGrid> {
public:
    GeneratorParam<int> cell{"cell", 8, 2, 32};

    Input<Buffer<float, 2>> input{"input"}; // 0 to 1
    Input<float> range{"range", 0.1f, 0.02f, 1.0f};
    Output<Buffer<float, 2>> output{"output"};

    void generate()
    {
        Func padded = BoundaryConditions::repeat_edge(input);
        const int s = cell;

        block = RDom(0, s, 0, s, "block");
        const Expr value =
            clamp(padded(x * s + block.x - s / 2, y * s + block.y - s / 2), 0.0f, 1.0f);
        const Expr bin = cast<int>(value / range + 0.5f);

        // Sum and count: homogeneous coordinates, which need no normalised blurs.
        grid(x, y, z) = Tuple(0.0f, 0.0f);
        const Tuple old = grid(x, y, bin);
        grid(x, y, bin) = Tuple(old[0] + value, old[1] + 1.0f);

        blur_z(x, y, z) = binomial(grid(x, y, z - 2), grid(x, y, z - 1), grid(x, y, z),
                                   grid(x, y, z + 1), grid(x, y, z + 2));
        blur_x(x, y, z) =
            binomial(blur_z(x - 2, y, z), blur_z(x - 1, y, z), blur_z(x, y, z),
                     blur_z(x + 1, y, z), blur_z(x + 2, y, z));
        blur_y(x, y, z) =
            binomial(blur_x(x, y - 2, z), blur_x(x, y - 1, z), blur_x(x, y, z),
                     blur_x(x, y + 1, z), blur_x(x, y + 2, z));

        const Expr position = clamp(input(x, y), 0.0f, 1.0f) / range;
        const Expr zi = cast<int>(position);
        const Expr zf = position - cast<float>(zi);
        const Expr xf = cast<float>(x % s) / float(s), yf = cast<float>(y % s) / float(s);
        const Expr xi = x / s, yi = y / s;

        const auto slice = [&](int i) {
            const auto row = [&](const Expr &gy, const Expr &gz) {
                return lerp(blur_y(xi, gy, gz)[i], blur_y(xi + 1, gy, gz)[i], xf);
            };
            return lerp(lerp(row(yi, zi), row(yi + 1, zi), yf),
                        lerp(row(yi, zi + 1), row(yi + 1, zi + 1), yf), zf);
        };
        output(x, y) = slice(0) / slice(1);
    }

    void schedule()
    {
        const int lanes = natural_vector_size<float>();

        // Building a column of the grid and blurring it along z is one task: the columns
        // do not overlap, while the two other blurs need their neighbours.
        blur_z.compute_root().reorder(z, x, y).vectorize(x, lanes).parallel(y);
        grid.compute_at(blur_z, x).vectorize(x, lanes);
        grid.update().reorder(x, block.x, block.y, y).vectorize(x, lanes);
        blur_x.compute_root().reorder(x, y, z).vectorize(x, lanes).parallel(z);
        blur_y.compute_root().reorder(x, y, z).vectorize(x, lanes).parallel(z);
        output.parallel(y, 8).vectorize(x, lanes);
    }

private:
    Var x{"x"}, y{"y"}, z{"z"};
    Func grid{"grid"}, blur_x{"blur_x"}, blur_y{"blur_y"}, blur_z{"blur_z"};
    RDom block;

    static Tuple binomial(const Tuple &a, const Tuple &b, const Tuple &c, const Tuple &d,
                          const Tuple &e)
    {
        const auto sum = [&](int i) {
            return a[i] + e[i] + 4.0f * (b[i] + d[i]) + 6.0f * c[i];
        };
        return {sum(0), sum(1)};
    }
};

} // namespace

HALIDE_REGISTER_GENERATOR(BilateralGrid, bilateral_grid)
