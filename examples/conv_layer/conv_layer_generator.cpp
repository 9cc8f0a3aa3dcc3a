// SPDX-License-Identifier: MIT
//
// Convolution layer of a neural network, channels innermost: bias, a size x size filter
// over all input channels, optional stride and ReLU. The input is padded by the caller.

#include "Halide.h"

namespace {

using namespace Halide;

class ConvLayer : public Generator<ConvLayer> {
public:
    GeneratorParam<int> size{"size", 3, 1, 7};
    GeneratorParam<int> stride{"stride", 1, 1, 4};
    GeneratorParam<bool> relu{"relu", true};

    Input<Buffer<float, 4>> input{"input"};    // in channel, x, y, image
    Input<Buffer<float, 4>> filter{"filter"};  // out channel, in channel, x, y
    Input<Buffer<float, 1>> bias{"bias"};      // out channel
    Output<Buffer<float, 4>> output{"output"}; // out channel, x, y, image

    void generate()
    {
        window = RDom(0, filter.dim(1).extent(), 0, size, 0, size, "window");
        total(co, x, y, n) = bias(co);
        total(co, x, y, n) +=
            filter(co, window.x, window.y, window.z) *
            input(window.x, x * stride + window.y, y * stride + window.z, n);
        output(co, x, y, n) = relu ? max(total(co, x, y, n), 0.0f) : total(co, x, y, n);
    }

    void schedule()
    {
        const int lanes = natural_vector_size<float>();
        const int columns = 4;

        filter.dim(2).set_bounds(0, size).dim(3).set_bounds(0, size);
        input.dim(0).set_min(0);
        filter.dim(1).set_min(0);

        // Two vectors of channels times four columns: eight sums that stay in registers
        // while the window is walked through.
        output.split(co, coo, coi, 2 * lanes)
            .split(x, xo, xi, columns)
            .reorder(coi, xi, coo, xo, y, n)
            .vectorize(coi, lanes)
            .unroll(coi)
            .unroll(xi)
            .fuse(y, n, yn)
            .parallel(yn);
        total.compute_at(output, coo).vectorize(co, lanes).unroll(co).unroll(x);
        total.update()
            .reorder(co, x, window.x, window.y, window.z, y, n)
            .vectorize(co, lanes)
            .unroll(co)
            .unroll(x);
        if (size > 1) {
            total.update().unroll(window.y);
        }
    }

private:
    Var co{"co"}, x{"x"}, y{"y"}, n{"n"};
    Var coo{"coo"}, coi{"coi"}, xo{"xo"}, xi{"xi"}, yn{"yn"};
    Func total{"total"};
    RDom window;
};

} // namespace

HALIDE_REGISTER_GENERATOR(ConvLayer, conv_layer)
