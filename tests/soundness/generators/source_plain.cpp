// SPDX-License-Identifier: MIT
// Generators whose source is edited. The cases replace the marked places.

#include "Halide.h"

#include <fstream>

using namespace Halide;

class Scale : public Generator<Scale> {
public:
    GeneratorParam<int> factor{"factor", /*param default*/ 2};
    GeneratorParam<std::string> label{"label", "gain"};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<float> gain{"gain", 1.0f};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        // A remark.
        Var x{/*var*/ "x"}, y{"y"};
        Func scaled{/*func*/ "scaled"};
        Expr checked = require(gain >= 0.0f, gain, "is not what is wanted for", label.value());
        scaled(x, y) = cast<float>(input(x, y)) * checked /*algorithm*/ + /*constant*/ 3 * factor;
        output(x, y) = cast<uint8_t>(clamp(scaled(x, y) * /*float*/ 0.1f, 0, 255));
        scaled.compute_root().vectorize(x, /*width*/ 8);
        output.bound(x, 0, /*bound*/ 64);
        /*schedule*/
        /*unused*/
    }
};
HALIDE_REGISTER_GENERATOR(Scale, scale)

class Table : public Generator<Table> {
public:
    Input<Buffer<uint8_t, 1>> input{"input"};
    Output<Buffer<uint8_t, 1>> output{"output"};

    void generate() {
        Var x{"x"};
        Buffer<uint8_t> table(/*table size*/ 256, /*table name*/ "table");
        table.fill(7);
        std::ifstream file("../table.txt");
        for (int i = 0; i < table.width() && file; i++) {
            table(i) = static_cast<uint8_t>(file.get());
        }
        /*table*/
        output(x) = table(clamp(cast<int>(input(x)), table.dim(0).min(), table.dim(0).max()));
    }
};
HALIDE_REGISTER_GENERATOR(Table, table)

/*at namespace scope*/

class Other : public Generator<Other> {
public:
    Input<Buffer<uint8_t, 1>> input{"input"};
    Output<Buffer<uint8_t, 1>> output{"output"};

    void generate() {
        Var x{"x"};
        output(x) = input(x) + /*other*/ 1;
        /*pass*/
    }
};
HALIDE_REGISTER_GENERATOR(Other, other)
