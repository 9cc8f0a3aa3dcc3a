// SPDX-License-Identifier: MIT
//
// Histogram equalisation of a grey image: histogram, running sum, look-up table, mapping.

#include "Halide.h"

namespace {

using namespace Halide;

class HistogramEqualize : public Generator<HistogramEqualize> {
public:
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate()
    {
        pixels = RDom(input.dim(0).min(), input.dim(0).extent(), input.dim(1).min(),
                      input.dim(1).extent(), "pixels");
        histogram(i) = cast<uint32_t>(0);
        histogram(cast<int>(input(pixels.x, pixels.y))) += cast<uint32_t>(1);

        bins = RDom(1, 255, "bins");
        running(i) = histogram(i);
        running(bins) += running(bins - 1);

        // Nothing is darker than the darkest pixel, so the ramp may start there.
        RDom all(0, 256, "all");
        first() = minimum(select(running(all) > 0, running(all), UInt(32).max()));

        const Expr span = max(running(255) - first(), cast<uint32_t>(1));
        const Expr rank = cast<uint64_t>(running(i) - min(first(), running(i)));
        table(i) = cast<uint8_t>((rank * 255 + span / 2) / span);
        output(x, y) = table(cast<int>(input(x, y)));
    }

    void schedule()
    {
        const int lanes = natural_vector_size<uint8_t>();

        // Threads must not share a histogram: one for each strip, added up afterwards.
        RVar strip("strip"), row("row");
        Var s("s");
        histogram.compute_root().vectorize(i, lanes);
        histogram.update().split(pixels.y, strip, row, 64);
        Func partial = histogram.update().rfactor(strip, s);
        partial.compute_root().vectorize(i, lanes).parallel(s);
        partial.update().parallel(s);
        histogram.update().reorder(i, strip).vectorize(i, lanes);

        running.compute_root();
        first.compute_root();
        table.compute_root();
        output.parallel(y, 16).vectorize(x, lanes);
    }

private:
    Var x{"x"}, y{"y"}, i{"i"};
    Func histogram{"histogram"}, running{"running"}, first{"first"}, table{"table"};
    RDom pixels, bins;
};

} // namespace

HALIDE_REGISTER_GENERATOR(HistogramEqualize, histogram_equalize)
