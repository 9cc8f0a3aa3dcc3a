// SPDX-License-Identifier: MIT
//
// Fast local Laplacian filter (Paris et al. 2011, Aubry et al. 2014): the luma is
// remapped around a few sample intensities, a Laplacian pyramid is built from each, and
// the result takes every coefficient from the two pyramids nearest to the local
// intensity. By far the largest pipeline of these examples.

#include "Halide.h"

namespace {

using namespace Halide;

class LocalLaplacian : public Generator<LocalLaplacian> {
public:
    GeneratorParam<int> levels{"levels", 6, 2, 8};
    GeneratorParam<int> samples{"samples", 8, 2, 32};

    Input<Buffer<uint16_t, 3>> input{"input"};
    Input<float> detail{"detail", 1.0f};     // gain of what is smaller than sigma
    Input<float> contrast{"contrast", 1.0f}; // gain of the edges that are larger
    Input<float> sigma{"sigma", 0.2f};
    Output<Buffer<uint16_t, 3>> output{"output"};

    void generate()
    {
        Func padded = BoundaryConditions::repeat_edge(input);
        Func colour("colour");
        colour(x, y, c) = cast<float>(padded(x, y, c)) / 65535.0f;

        luma(x, y) = 0.299f * colour(x, y, 0) + 0.587f * colour(x, y, 1) +
                     0.114f * colour(x, y, 2);

        const Expr middle = cast<float>(k) / float(samples - 1);
        const Expr offset = luma(x, y) - middle;
        const Expr bump = fast_exp(-(offset * offset) / (2.0f * sigma * sigma));
        Func remapped("remapped");
        remapped(x, y, k) = middle + offset * (contrast + (detail - 1.0f) * bump);

        gauss.push_back(luma);
        warped.push_back(remapped);
        for (int j = 1; j < levels; j++) {
            gauss.push_back(shrink(gauss[j - 1], "gauss" + std::to_string(j)));
            warped.push_back(shrink(warped[j - 1], "warped" + std::to_string(j)));
        }

        result.resize(levels);
        laplacian.resize(levels - 1);
        // The residual holds the overall brightness, which is not ours to change.
        result[levels - 1] = gauss[levels - 1];
        for (int j = levels - 2; j >= 0; j--) {
            laplacian[j] = Func("laplacian" + std::to_string(j));
            laplacian[j](x, y, k) = warped[j](x, y, k) - enlarge(warped[j + 1])(x, y, k);

            const Expr position = clamp(gauss[j](x, y), 0.0f, 1.0f) * float(samples - 1);
            const Expr below = clamp(cast<int>(position), 0, samples - 2);
            const Expr change =
                lerp(laplacian[j](x, y, below), laplacian[j](x, y, below + 1),
                     clamp(position - cast<float>(below), 0.0f, 1.0f));

            result[j] = Func("result" + std::to_string(j));
            result[j](x, y) = enlarge(result[j + 1])(x, y) + change;
        }

        const Expr ratio = (result[0](x, y) + 0.001f) / (luma(x, y) + 0.001f);
        const Expr value = clamp(colour(x, y, c) * ratio, 0.0f, 1.0f);
        output(x, y, c) = cast<uint16_t>(value * 65535.0f + 0.5f);
    }

    void schedule()
    {
        const int lanes = natural_vector_size<float>();

        output.dim(2).set_bounds(0, 3);
        output.reorder(c, x, y)
            .unroll(c)
            .split(y, yo, yi, 16)
            .parallel(yo)
            .vectorize(x, lanes);
        result[0].compute_at(output, yi).vectorize(x, lanes);

        std::vector<Func> stored = gauss;
        stored.insert(stored.end(), warped.begin() + 1, warped.end());
        stored.insert(stored.end(), result.begin() + 1, result.end() - 1);
        for (Func f : stored) {
            f.compute_root().vectorize(x, lanes).parallel(y, 4);
        }
        for (auto &[small, rows] : shrunk_rows) {
            rows.compute_at(small, y).vectorize(x, lanes);
        }

        // All samples of a row, of which each pixel needs two: still cheaper than to
        // gather through both pyramids, and a row of them stays in cache.
        laplacian[0].compute_at(output, yi).vectorize(x, lanes);
        for (int j = 1; j < levels - 1; j++) {
            laplacian[j].compute_at(result[j], y).vectorize(x, lanes);
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"}, k{"k"}, yo{"yo"}, yi{"yi"};
    Func luma{"luma"};
    std::vector<Func> gauss, warped, laplacian, result;
    std::vector<std::pair<Func, Func>> shrunk_rows;

    Func shrink(Func f, const std::string &name)
    {
        Func rows(name + "_rows"), small(name);
        rows(x, y, _) =
            (f(x, 2 * y - 2, _) + f(x, 2 * y + 2, _) +
             4.0f * (f(x, 2 * y - 1, _) + f(x, 2 * y + 1, _)) + 6.0f * f(x, 2 * y, _)) /
            16.0f;
        small(x, y, _) = (rows(2 * x - 2, y, _) + rows(2 * x + 2, y, _) +
                          4.0f * (rows(2 * x - 1, y, _) + rows(2 * x + 1, y, _)) +
                          6.0f * rows(2 * x, y, _)) /
                         16.0f;
        shrunk_rows.emplace_back(small, rows);
        return small;
    }

    // The transpose of shrink(): even pixels see three taps of the kernel, odd ones two.
    Func enlarge(Func f)
    {
        Func wide(f.name() + "_wide"), large(f.name() + "_large");
        wide(x, y, _) = select(
            x % 2 == 0,
            (f(x / 2 - 1, y, _) + 6.0f * f(x / 2, y, _) + f(x / 2 + 1, y, _)) / 8.0f,
            (f(x / 2, y, _) + f(x / 2 + 1, y, _)) / 2.0f);
        large(x, y, _) = select(
            y % 2 == 0,
            (wide(x, y / 2 - 1, _) + 6.0f * wide(x, y / 2, _) + wide(x, y / 2 + 1, _)) /
                8.0f,
            (wide(x, y / 2, _) + wide(x, y / 2 + 1, _)) / 2.0f);
        return large;
    }
};

} // namespace

HALIDE_REGISTER_GENERATOR(LocalLaplacian, local_laplacian)
