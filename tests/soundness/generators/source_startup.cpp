// SPDX-License-Identifier: MIT
// What a generator does before main() and while it builds, other than building a
// pipeline: it may change what Halide makes of the pipeline later.

#include "Halide.h"

#include <cfenv>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>

using namespace Halide;

struct Thousands : std::numpunct<char> {
    char do_thousands_sep() const override {
        return /*separator*/ '\'';
    }
    std::string do_grouping() const override {
        return "\3";
    }
};

struct Reporter : CompileTimeErrorReporter {
    void warning(const char *message) override {
        fprintf(stderr, "%s%s", /*prefix*/ "says: ", message);
    }
    void error(const char *message) override {
        fprintf(stderr, "%s", message);
        exit(1);
    }
};
Reporter reporter;

struct Startup {
    Startup() {
        /*startup*/
    }
};
Startup startup;

class Start : public Generator<Start> {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        /*generate*/
        Var x{"x"}, y{"y"};
        Func scaled{"scaled"};
        scaled(x, y) = input(x, y) * 1.0e-20f * 1.0e-20f + 1234567;
        output(x, y) = scaled(x, y) + scaled(x, y + 1);
        scaled.compute_root();
        // Lowering warns about it.
        Func inlined{"inlined"};
        inlined(x, y) = scaled(x, y);
        inlined.bound(x, 0, 10);
        output(x, y) += inlined(x, y);
    }
};
HALIDE_REGISTER_GENERATOR(Start, start)

/*end*/
