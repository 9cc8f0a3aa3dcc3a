// SPDX-License-Identifier: MIT
//
// Runs the libraries of all examples on small images and compares what they compute with
// plain loops, or with a property of the algorithm where the loops would be a second
// implementation of it. Meant to notice an object file that is not what was asked for.

#include "bilateral_grid.h"
#include "blur_binomial5.h"
#include "blur_binomial5_u16.h"
#include "blur_box3.h"
#include "blur_box9.h"
#include "camera_pipe.h"
#include "camera_preview.h"
#include "conv_layer_1x1.h"
#include "conv_layer_3x3.h"
#include "conv_layer_3x3_stride2.h"
#include "edges.h"
#include "fft16.h"
#include "fft16_inverse.h"
#include "histogram_equalize.h"
#include "iir_smooth.h"
#include "local_laplacian.h"
#include "matmul_f32.h"
#include "matmul_u8.h"
#include "median.h"
#include "resize_cubic.h"
#include "resize_lanczos.h"
#include "resize_linear.h"
#include "rgb_to_nv12.h"
#include "unsharp.h"
#include "unsharp_auto.h"

#include <HalideBuffer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using Halide::Runtime::Buffer;

constexpr double pi = 3.14159265358979323846;

// Not a multiple of any vector, tile or strip size, but larger than all of them:
// schedules shift their last tile inwards and need room for one.
constexpr int width = 611;
constexpr int height = 277;

// The same numbers on every platform, which the standard distributions do not promise.
class Noise {
public:
    uint32_t next(uint32_t below)
    {
        state = state * 1664525u + 1013904223u;
        return uint32_t((uint64_t(state) * below) >> 32);
    }

    float unit()
    {
        return float(next(1 << 20)) / float(1 << 20);
    }

private:
    uint32_t state = 12345;
};

template <typename T, int D>
Buffer<T, D> noise(std::vector<int> extents, uint32_t below)
{
    Buffer<T, D> image(extents);
    Noise source;
    image.for_each_value([&](T &value) { value = T(source.next(below)); });
    return image;
}

template <int D>
Buffer<float, D> noise(std::vector<int> extents)
{
    Buffer<float, D> image(extents);
    Noise source;
    image.for_each_value([&](float &value) { value = source.unit(); });
    return image;
}

// A scene with slopes, an edge and some noise: pure noise would leave thresholds and
// smooth regions untried.
Buffer<uint8_t, 3> scene()
{
    Buffer<uint8_t, 3> image(width, height, 3);
    Noise source;
    image.for_each_element([&](int x, int y, int c) {
        const int slope = (x * (c + 1) + 2 * y) / 8 % 160;
        const int disc = (x - 300) * (x - 300) + (y - 140) * (y - 140) < 80 * 80 ? 60 : 0;
        image(x, y, c) = uint8_t(slope + disc + int(source.next(20)));
    });
    return image;
}

template <typename T, int D>
T clamped(const Buffer<T, D> &image, int x, int y)
{
    return image(std::clamp(x, 0, image.width() - 1),
                 std::clamp(y, 0, image.height() - 1));
}

template <typename T, int D>
T clamped(const Buffer<T, D> &image, int x, int y, int c)
{
    return image(std::clamp(x, 0, image.width() - 1),
                 std::clamp(y, 0, image.height() - 1), c);
}

// Compares every element with expected(position) and reports the first that differs.
template <typename T, int D, typename Expected>
bool matches(const char *name, int result, const Buffer<T, D> &actual, double tolerance,
             Expected expected)
{
    if (result != 0) {
        std::fprintf(stderr, "%s: returned %d\n", name, result);
        return false;
    }
    int wrong = 0;
    actual.for_each_element([&](const int *position) {
        const double want = double(expected(position));
        const double have = double(actual(position));
        // Written so that a NaN is wrong too.
        if (!(std::abs(have - want) <= tolerance)) {
            if (wrong == 0) {
                std::fprintf(stderr, "%s: %g instead of %g at", name, have, want);
                for (int d = 0; d < actual.dimensions(); d++) {
                    std::fprintf(stderr, " %d", position[d]);
                }
                std::fprintf(stderr, "\n");
            }
            wrong++;
        }
    });
    if (wrong != 0) {
        std::fprintf(stderr, "%s: %d of %zu wrong\n", name, wrong,
                     actual.number_of_elements());
    }
    return wrong == 0;
}

template <typename T, typename Function>
bool check_blur(const char *name, Function function, const std::vector<int> &weights)
{
    Buffer<T, 2> input = noise<T, 2>({width, height}, 1u << (8 * sizeof(T)));
    Buffer<T, 2> output(width, height);
    const int result = function(input, output);

    const int radius = int(weights.size()) / 2;
    int sum = 0;
    for (int w : weights) {
        sum += w;
    }
    return matches(name, result, output, 0, [&](const int *p) {
        int64_t total = sum * sum / 2;
        for (int j = -radius; j <= radius; j++) {
            for (int i = -radius; i <= radius; i++) {
                total += int64_t(weights[i + radius]) * weights[j + radius] *
                         clamped(input, p[0] + i, p[1] + j);
            }
        }
        return total / (sum * sum);
    });
}

bool check_blurs()
{
    const std::vector<int> binomial = {1, 4, 6, 4, 1};
    bool ok = check_blur<uint8_t>("blur_box3", blur_box3, std::vector<int>(3, 1));
    ok &= check_blur<uint8_t>("blur_box9", blur_box9, std::vector<int>(9, 1));
    ok &= check_blur<uint8_t>("blur_binomial5", blur_binomial5, binomial);
    ok &= check_blur<uint16_t>("blur_binomial5_u16", blur_binomial5_u16, binomial);
    return ok;
}

template <typename Function>
bool check_conv_layer(const char *name, Function function, int size, int stride,
                      bool relu)
{
    const int in = 12, out = 64, columns = 19, rows = 9, images = 2;
    Buffer<float, 4> input =
        noise<4>({in, (columns - 1) * stride + size, (rows - 1) * stride + size, images});
    Buffer<float, 4> filter = noise<4>({out, in, size, size});
    Buffer<float, 1> bias = noise<1>({out});
    // Both signs, so that the ReLU has something to do.
    filter.for_each_value([](float &value) { value -= 0.5f; });
    bias.for_each_value([](float &value) { value -= 0.5f; });

    Buffer<float, 4> output(out, columns, rows, images);
    const int result = function(input, filter, bias, output);
    return matches(name, result, output, 1e-3, [&](const int *p) {
        double total = bias(p[0]);
        for (int j = 0; j < size; j++) {
            for (int i = 0; i < size; i++) {
                for (int c = 0; c < in; c++) {
                    total += double(filter(p[0], c, i, j)) *
                             input(c, p[1] * stride + i, p[2] * stride + j, p[3]);
                }
            }
        }
        return relu ? std::max(total, 0.0) : total;
    });
}

bool check_conv_layers()
{
    bool ok = check_conv_layer("conv_layer_3x3", conv_layer_3x3, 3, 1, true);
    ok &= check_conv_layer("conv_layer_3x3_stride2", conv_layer_3x3_stride2, 3, 2, true);
    ok &= check_conv_layer("conv_layer_1x1", conv_layer_1x1, 1, 1, false);
    return ok;
}

template <typename T, typename Sum, typename Function>
bool check_matmul(const char *name, Function function, Buffer<T, 2> a, Buffer<T, 2> b,
                  double tolerance)
{
    Buffer<Sum, 2> c(b.width(), a.height());
    const int result = function(a, b, c);
    return matches(name, result, c, tolerance, [&](const int *p) {
        double total = 0;
        for (int k = 0; k < a.width(); k++) {
            total += double(a(k, p[1])) * double(b(p[0], k));
        }
        return total;
    });
}

bool check_matmuls()
{
    bool ok = check_matmul<float, float>("matmul_f32", matmul_f32, noise<2>({75, 83}),
                                         noise<2>({131, 75}), 1e-3);
    ok &= check_matmul<uint8_t, int32_t>("matmul_u8", matmul_u8,
                                         noise<uint8_t, 2>({75, 83}, 256),
                                         noise<uint8_t, 2>({131, 75}, 256), 0);
    return ok;
}

bool check_histogram_equalize()
{
    // Dark and of low contrast: what the filter is for.
    Buffer<uint8_t, 2> input = noise<uint8_t, 2>({width, height}, 90);
    Buffer<uint8_t, 2> output(width, height);
    const int result = histogram_equalize(input, output);

    std::array<uint32_t, 256> running{};
    input.for_each_value([&](uint8_t value) { running[value]++; });
    uint32_t first = 0;
    for (int i = 0; i < 256; i++) {
        running[i] += i > 0 ? running[i - 1] : 0;
        if (first == 0) {
            first = running[i];
        }
    }
    const uint32_t span = std::max(running[255] - first, 1u);
    return matches("histogram_equalize", result, output, 0, [&](const int *p) {
        return (uint64_t(running[input(p)] - first) * 255 + span / 2) / span;
    });
}

void smooth_line(std::vector<float> &line, float alpha)
{
    for (size_t i = 1; i < line.size(); i++) {
        line[i] = alpha * line[i] + (1 - alpha) * line[i - 1];
    }
    for (size_t i = line.size() - 1; i-- > 0;) {
        line[i] = alpha * line[i] + (1 - alpha) * line[i + 1];
    }
}

bool check_iir_smooth()
{
    const float alpha = 0.3f;
    Buffer<float, 2> input = noise<2>({width, height});
    Buffer<float, 2> output(width, height);
    const int result = iir_smooth(input, alpha, output);

    Buffer<float, 2> expected = input.copy();
    for (int x = 0; x < width; x++) {
        std::vector<float> line(height);
        for (int y = 0; y < height; y++) {
            line[y] = expected(x, y);
        }
        smooth_line(line, alpha);
        for (int y = 0; y < height; y++) {
            expected(x, y) = line[y];
        }
    }
    for (int y = 0; y < height; y++) {
        std::vector<float> line(&expected(0, y), &expected(0, y) + width);
        smooth_line(line, alpha);
        std::copy(line.begin(), line.end(), &expected(0, y));
    }
    return matches("iir_smooth", result, output, 1e-5,
                   [&](const int *p) { return expected(p); });
}

template <typename Function>
bool check_fft(const char *name, Function function, bool inverse)
{
    const int size = 16, transforms = 201;
    Buffer<float, 3> input = noise<3>({transforms, size, 2});
    Buffer<float, 3> output(transforms, size, 2);
    const int result = function(input, output);
    return matches(name, result, output, 1e-4, [&](const int *p) {
        std::complex<double> total = 0;
        for (int i = 0; i < size; i++) {
            const double angle = (inverse ? 2 : -2) * pi * i * p[1] / size;
            total += std::complex<double>(input(p[0], i, 0), input(p[0], i, 1)) *
                     std::polar(1.0, angle);
        }
        total /= inverse ? size : 1;
        return p[2] == 0 ? total.real() : total.imag();
    });
}

bool check_ffts()
{
    bool ok = check_fft("fft16", fft16, false);
    ok &= check_fft("fft16_inverse", fft16_inverse, true);
    return ok;
}

double linear(double d)
{
    return std::max(1 - d, 0.0);
}

double cubic(double d)
{
    return d < 1   ? 1.5 * d * d * d - 2.5 * d * d + 1
           : d < 2 ? -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2
                   : 0;
}

double lanczos(double d)
{
    const auto sinc = [](double t) { return t < 1e-6 ? 1 : std::sin(pi * t) / (pi * t); };
    return d < 3 ? sinc(d) * sinc(d / 3) : 0;
}

template <typename Function>
bool check_resize(const char *name, Function function, double (*response)(double))
{
    Buffer<uint8_t, 3> input = scene().cropped(0, 200, 90).cropped(1, 100, 70);
    const double step_x = 0.4375, step_y = 0.625;
    Buffer<uint8_t, 3> output(203, 111, 3);
    const int x0 = input.dim(0).min(), y0 = input.dim(1).min();
    output.set_min(int(x0 / step_x), int(y0 / step_y), 0);
    const int result = function(input, float(step_x), float(step_y), output);

    const auto pixel = [&](int x, int y, int c) {
        return input(std::clamp(x, x0, x0 + input.width() - 1),
                     std::clamp(y, y0, y0 + input.height() - 1), c);
    };
    // One off, because a value may be rounded on the other side of a half.
    return matches(name, result, output, 1, [&](const int *p) {
        const double from_x = (p[0] + 0.5) * step_x - 0.5,
                     from_y = (p[1] + 0.5) * step_y - 0.5;
        double total = 0, sum = 0;
        for (int j = int(from_y) - 3; j <= int(from_y) + 4; j++) {
            for (int i = int(from_x) - 3; i <= int(from_x) + 4; i++) {
                const double w =
                    response(std::abs(from_x - i)) * response(std::abs(from_y - j));
                total += w * pixel(i, j, p[2]);
                sum += w;
            }
        }
        return std::clamp(std::round(total / sum), 0.0, 255.0);
    });
}

bool check_resizes()
{
    bool ok = check_resize("resize_linear", resize_linear, linear);
    ok &= check_resize("resize_cubic", resize_cubic, cubic);
    ok &= check_resize("resize_lanczos", resize_lanczos, lanczos);
    return ok;
}

template <typename Function>
bool check_unsharp(const char *name, Function function)
{
    Buffer<uint8_t, 3> input = scene();
    const double amount = 1.25, sigma = 1.5;
    Buffer<uint8_t, 3> output(width, height, 3);
    const int result = function(input, float(amount), output);

    Buffer<double, 2> luma(width, height);
    luma.for_each_element([&](int x, int y) {
        luma(x, y) =
            0.299 * input(x, y, 0) + 0.587 * input(x, y, 1) + 0.114 * input(x, y, 2);
    });
    return matches(name, result, output, 1, [&](const int *p) {
        double soft = 0, sum = 0;
        for (int j = -3; j <= 3; j++) {
            for (int i = -3; i <= 3; i++) {
                const double w = std::exp(-(i * i + j * j) / (2 * sigma * sigma));
                soft += w * clamped(luma, p[0] + i, p[1] + j);
                sum += w;
            }
        }
        soft /= sum;
        const double gain =
            std::max(1 + amount * (1 - soft / std::max(luma(p[0], p[1]), 1.0)), 0.0);
        return std::min(std::floor(gain * input(p) + 0.5), 255.0);
    });
}

bool check_unsharps()
{
    bool ok = check_unsharp("unsharp", unsharp);
    ok &= check_unsharp("unsharp_auto", unsharp_auto);
    return ok;
}

bool check_edges()
{
    Buffer<uint8_t, 2> input = scene().sliced(2, 0);
    const int weak = 40, strong = 90;
    Buffer<uint8_t, 2> output(width, height);
    const int result = edges(input, weak, strong, output);

    const int tent[3] = {1, 2, 1};
    // A frame of two pixels more: the filter smooths the padded image, which is not the
    // same as padding the smoothed one.
    Buffer<int, 2> soft(width + 4, height + 4), gx(width + 2, height + 2);
    soft.set_min(-2, -2);
    gx.set_min(-1, -1);
    Buffer<int, 2> gy = Buffer<int, 2>::make_with_shape_of(gx);
    soft.for_each_element([&](int x, int y) {
        int total = 0;
        for (int j = 0; j < 3; j++) {
            for (int i = 0; i < 3; i++) {
                total += tent[i] * tent[j] * clamped(input, x + i - 1, y + j - 1);
            }
        }
        soft(x, y) = total / 16;
    });
    gx.for_each_element([&](int x, int y) {
        gx(x, y) = gy(x, y) = 0;
        for (int k = 0; k < 3; k++) {
            gx(x, y) += tent[k] * (soft(x + 1, y + k - 1) - soft(x - 1, y + k - 1));
            gy(x, y) += tent[k] * (soft(x + k - 1, y + 1) - soft(x + k - 1, y - 1));
        }
    });
    const auto strength = [&](int x, int y) {
        return std::abs(gx(x, y)) + std::abs(gy(x, y));
    };
    return matches("edges", result, output, 0, [&](const int *p) {
        const int x = p[0], y = p[1];
        const int ax = std::abs(gx(x, y)), ay = std::abs(gy(x, y));
        int dx = 1, dy = 1;
        if (5 * ay < 2 * ax) {
            dy = 0;
        } else if (5 * ax < 2 * ay) {
            dx = 0;
        } else if ((gx(x, y) < 0) != (gy(x, y) < 0)) {
            dy = -1;
        }
        const int here = ax + ay;
        const int rival = std::max(strength(x + dx, y + dy), strength(x - dx, y - dy));
        return here < rival || here < weak ? 0 : here < strong ? 128 : 255;
    });
}

bool check_median()
{
    Buffer<uint8_t, 2> input = noise<uint8_t, 2>({width, height}, 256);
    Buffer<uint8_t, 2> output(width, height);
    const int result = median(input, output);
    return matches("median", result, output, 0, [&](const int *p) {
        std::array<uint8_t, 9> window;
        for (int i = 0; i < 9; i++) {
            window[i] = clamped(input, p[0] + i % 3 - 1, p[1] + i / 3 - 1);
        }
        std::nth_element(window.begin(), window.begin() + 4, window.end());
        return window[4];
    });
}

bool check_rgb_to_nv12()
{
    Buffer<uint8_t, 3> input = noise<uint8_t, 3>({width + 1, height + 1, 3}, 256);
    Buffer<uint8_t, 2> luma(width + 1, height + 1);
    Buffer<uint8_t, 3> chroma(2, (width + 1) / 2, (height + 1) / 2);
    const int result = rgb_to_nv12(input, luma, chroma);

    bool ok = matches("rgb_to_nv12 luma", result, luma, 0, [&](const int *p) {
        return 16 + ((66 * input(p[0], p[1], 0) + 129 * input(p[0], p[1], 1) +
                      25 * input(p[0], p[1], 2) + 128) >>
                     8);
    });
    ok &= matches("rgb_to_nv12 chroma", result, chroma, 0, [&](const int *p) {
        int sum[3] = {};
        for (int i = 0; i < 12; i++) {
            sum[i / 4] += input(2 * p[1] + i % 2, 2 * p[2] + i / 2 % 2, i / 4);
        }
        const int value = p[0] == 0 ? -38 * sum[0] - 74 * sum[1] + 112 * sum[2]
                                    : 112 * sum[0] - 94 * sum[1] - 18 * sum[2];
        return 128 + ((value + 512) >> 10);
    });
    return ok;
}

// Flat colour with one defect: whatever the demosaic filter, the picture has to be flat,
// in the colour that the matrix and the tone curve make of it.
template <typename Function>
bool check_camera(const char *name, Function function, double gamma)
{
    const int black = 64, white = 1023;
    const int colour[3] = {700, 500, 300}; // red, green, blue above black
    Buffer<uint16_t, 2> raw(width + 1, height + 1);
    raw.for_each_element([&](int x, int y) {
        raw(x, y) = uint16_t(black + colour[x % 2 == y % 2 ? 1 : y % 2 == 0 ? 0 : 2]);
    });
    raw(101, 50) = 1023;

    // Exact in 8.8 fixed point, and no two channels alike.
    const float rows[3][3] = {
        {1.25f, -0.25f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, -0.5f, 1.5f}};
    Buffer<float, 2> matrix(3, 3);
    matrix.for_each_element([&](int from, int to) { matrix(from, to) = rows[to][from]; });

    Buffer<uint8_t, 3> output(width - 20, height - 20, 3);
    output.set_min(10, 10, 0);
    const int result = function(raw, matrix, black, white, output);
    return matches(name, result, output, 1, [&](const int *p) {
        double value = 0;
        for (int from = 0; from < 3; from++) {
            value += rows[p[2]][from] * colour[from];
        }
        const double level = std::min(std::floor(value * 1023 / (white - black)), 1023.0);
        const double power = std::pow(level / 1023, 1 / gamma);
        return std::floor(255 * (power + 0.1 * power * (1 - power) * (2 * power - 1)) +
                          0.5);
    });
}

// A step from dark to bright grey: sharpening has to overshoot on both sides of it, and
// without sharpening the picture has to rise from one row to the next, if it changes.
template <typename Function>
bool check_camera_step(const char *name, Function function, bool sharp)
{
    Buffer<uint16_t, 2> raw(160, 80);
    raw.for_each_element([&](int x, int y) { raw(x, y) = y < 40 ? 200 : 600; });
    Buffer<float, 2> identity(3, 3);
    identity.for_each_element(
        [&](int i, int j) { identity(i, j) = i == j ? 1.0f : 0.0f; });

    Buffer<uint8_t, 3> output(raw.width(), raw.height(), 3);
    const int result = function(raw, identity, 64, 1023, output);

    int falls = 0;
    for (int y = 1; y < output.height(); y++) {
        falls += output(80, y, 1) < output(80, y - 1, 1);
    }
    if (result != 0 || (falls >= 2) != sharp) {
        std::fprintf(stderr, "%s: returned %d, %s\n", name, result,
                     sharp ? "not sharpened" : "sharpened");
        return false;
    }
    return true;
}

bool check_cameras()
{
    bool ok = check_camera("camera_pipe", camera_pipe, 2.2);
    ok &= check_camera_step("camera_pipe", camera_pipe, true);
    ok &= check_camera("camera_preview", camera_preview, 1.8);
    ok &= check_camera_step("camera_preview", camera_preview, false);
    return ok;
}

// Two plains with a little noise: the noise has to shrink and the step must not soften.
bool check_bilateral_grid()
{
    const float swing = 0.04f;
    const auto plain = [](int x) { return x < width / 2 ? 0.2f : 0.8f; };
    Buffer<float, 2> input(width, height), output(width, height);
    Noise source;
    input.for_each_element(
        [&](int x, int y) { input(x, y) = plain(x) + swing * (source.unit() - 0.5f); });
    const int result = bilateral_grid(input, 0.1f, output);
    return matches("bilateral_grid", result, output, swing / 4,
                   [&](const int *p) { return plain(p[0]); });
}

// With both gains at one the remapping does nothing, and the pyramids have to add up to
// the picture they were made from. With no detail at all, noise has to shrink.
bool check_local_laplacian()
{
    Buffer<uint16_t, 3> input(width, height, 3), output(width, height, 3);
    const Buffer<uint8_t, 3> small = scene();
    input.for_each_element(
        [&](int x, int y, int c) { input(x, y, c) = uint16_t(257 * small(x, y, c)); });
    int result = local_laplacian(input, 1.0f, 1.0f, 0.2f, output);
    bool ok = matches("local_laplacian identity", result, output, 2,
                      [&](const int *p) { return input(p); });

    const int grey = 30000, swing = 2000;
    Noise source;
    input.for_each_element([&](int x, int y, int c) {
        input(x, y, c) = c == 0 ? uint16_t(grey + int(source.next(2 * swing)) - swing)
                                : input(x, y, 0);
    });
    result = local_laplacian(input, 0.0f, 1.0f, 0.2f, output);
    ok &= matches("local_laplacian smoothing", result, output, 0.5 * swing,
                  [&](const int *) { return grey; });
    return ok;
}

struct Check {
    const char *name;
    bool (*run)();
};

const Check checks[] = {
    {"bilateral_grid", check_bilateral_grid},
    {"blur", check_blurs},
    {"camera_pipe", check_cameras},
    {"conv_layer", check_conv_layers},
    {"edges", check_edges},
    {"fft", check_ffts},
    {"histogram_equalize", check_histogram_equalize},
    {"iir", check_iir_smooth},
    {"local_laplacian", check_local_laplacian},
    {"matmul", check_matmuls},
    {"median", check_median},
    {"nv12", check_rgb_to_nv12},
    {"resize", check_resizes},
    {"unsharp", check_unsharps},
};

} // namespace

int main()
{
    int failed = 0;
    for (const Check &check : checks) {
        const bool ok = check.run();
        std::printf("%-20s %s\n", check.name, ok ? "ok" : "WRONG");
        failed += !ok;
    }
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
