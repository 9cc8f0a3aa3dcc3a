// SPDX-License-Identifier: MIT
//
// Matrix multiply, c = a b, for whatever types a.type, b.type and c.type name: products
// are formed and added up in the type of c.

#include "Halide.h"

namespace {

using namespace Halide;

class MatMul : public Generator<MatMul> {
public:
    GeneratorParam<int> row_block{"row_block", 4, 1, 16};

    Input<Buffer<void, 2>> a{"a"}; // k, y
    Input<Buffer<void, 2>> b{"b"}; // x, k
    Output<Buffer<void, 2>> c{"c"};

    void generate()
    {
        const Type t = c.type();
        depth = RDom(0, a.dim(0).extent(), "depth");
        product(x, y) = cast(t, 0);
        product(x, y) += cast(t, a(depth, y)) * cast(t, b(x, depth));
        c(x, y) = product(x, y);
    }

    void schedule()
    {
        const int lanes = natural_vector_size(c.type());

        a.dim(0).set_min(0);
        b.dim(1).set_bounds(0, a.dim(0).extent());

        // Bands of rows in parallel. In a band, every tile of the result stays in
        // registers for the whole depth, and a vector of b serves all rows of the tile.
        c.split(y, yo, y, 8 * row_block)
            .tile(x, y, xi, yi, 2 * lanes, row_block)
            .reorder(xi, yi, y, x, yo)
            .vectorize(xi, lanes)
            .unroll(xi)
            .unroll(yi)
            .parallel(yo);
        product.compute_at(c, y).vectorize(x, lanes).unroll(x).unroll(y);
        product.update()
            .reorder(x, y, depth)
            .vectorize(x, lanes)
            .unroll(x)
            .unroll(y)
            .unroll(depth, 2);
    }

private:
    Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"}, yo{"yo"};
    Func product{"product"};
    RDom depth;
};

} // namespace

HALIDE_REGISTER_GENERATOR(MatMul, matmul)
