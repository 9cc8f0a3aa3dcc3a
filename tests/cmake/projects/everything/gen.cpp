#include "Halide.h"

namespace {

class Scale : public Halide::Generator<Scale> {
public:
    GeneratorParam<int> factor{"factor", 2};
    GeneratorParam<std::string> text{"text", ""};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        output(x, y) = input(x, y) * Halide::cast<uint8_t>(static_cast<int>(factor));
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Scale, scale)
