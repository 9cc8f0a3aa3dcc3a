// SPDX-License-Identifier: MIT
//
// Separable blur with a box or a binomial (near Gaussian) kernel of any small radius, for
// pixels of 8 or 16 bits as input.type and output.type say. Rounds once, at the end.

#include "Halide.h"

namespace {

using namespace Halide;

enum class Kernel { Box, Binomial };

class Blur : public Generator<Blur> {
public:
    GeneratorParam<int> radius{"radius", 1, 1, 4};
    GeneratorParam<Kernel> kernel{
        "kernel", Kernel::Box, {{"box", Kernel::Box}, {"binomial", Kernel::Binomial}}};

    Input<Buffer<void, 2>> input{"input"};
    Output<Buffer<void, 2>> output{"output"};

    void generate()
    {
        const int r = radius;
        const std::vector<int> weights = make_weights();
        int sum = 0;
        for (int w : weights) {
            sum += w;
        }
        const int total = sum * sum;

        // The narrowest accumulator that cannot overflow: it decides how many pixels fit
        // into one vector.
        const int64_t peak = (int64_t(1) << input.type().bits()) - 1;
        const Type wide = peak * total < 65536 - total / 2 ? UInt(16) : UInt(32);

        padded = BoundaryConditions::repeat_edge(input);

        Expr across = cast(wide, 0);
        for (int i = -r; i <= r; i++) {
            across += cast(wide, weights[i + r]) * cast(wide, padded(x + i, y));
        }
        rows(x, y) = across;

        Expr down = cast(wide, 0);
        for (int i = -r; i <= r; i++) {
            down += cast(wide, weights[i + r]) * rows(x, y + i);
        }
        output(x, y) =
            cast(output.type(), (down + cast(wide, total / 2)) / cast(wide, total));
    }

    void schedule()
    {
        const int lanes = natural_vector_size(rows.types()[0]);

        // Strips of rows in parallel; inside a strip the horizontal pass slides along, so
        // that each row is blurred once per strip and is still in cache when it is used.
        output.split(y, yo, yi, 32).parallel(yo).vectorize(x, lanes);
        rows.store_at(output, yo).compute_at(output, yi).vectorize(x, lanes);
    }

private:
    Var x{"x"}, y{"y"}, yo{"yo"}, yi{"yi"};
    Func padded{"padded"}, rows{"rows"};

    std::vector<int> make_weights() const
    {
        std::vector<int> weights(2 * radius + 1, 1);
        if (kernel == Kernel::Binomial) {
            for (int i = 1; i <= 2 * radius; i++) {
                weights[i] = weights[i - 1] * (2 * radius + 1 - i) / i;
            }
        }
        return weights;
    }
};

} // namespace

HALIDE_REGISTER_GENERATOR(Blur, blur)
