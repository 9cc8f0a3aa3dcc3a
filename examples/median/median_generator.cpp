// SPDX-License-Identifier: MIT
//
// 3x3 median of a grey image by comparator networks: columns are sorted once and shared
// by the three windows that they belong to.

#include "Halide.h"

namespace {

using namespace Halide;

class Median : public Generator<Median> {
public:
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate()
    {
        const Func padded = BoundaryConditions::mirror_image(input);

        const Expr a = padded(x, y - 1), b = padded(x, y), c = padded(x, y + 1);
        column(x, y) = Tuple(min(min(a, b), c), middle(a, b, c), max(max(a, b), c));

        const Tuple l = column(x - 1, y), m = column(x, y), r = column(x + 1, y);
        // The largest of the low ones, the middle of the middle ones and the smallest of
        // the high ones: the median of nine is the middle of these three.
        output(x, y) = middle(max(max(l[0], m[0]), r[0]), middle(l[1], m[1], r[1]),
                              min(min(l[2], m[2]), r[2]));
    }

    void schedule()
    {
        const int lanes = natural_vector_size<uint8_t>();
        output.split(y, yo, yi, 32).parallel(yo).vectorize(x, lanes);
        column.compute_at(output, yi).vectorize(x, lanes);
    }

private:
    Var x{"x"}, y{"y"}, yo{"yo"}, yi{"yi"};
    Func column{"column"};

    static Expr middle(const Expr &a, const Expr &b, const Expr &c)
    {
        return max(min(a, b), min(max(a, b), c));
    }
};

} // namespace

HALIDE_REGISTER_GENERATOR(Median, median)
