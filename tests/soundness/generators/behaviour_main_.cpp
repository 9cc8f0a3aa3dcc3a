// SPDX-License-Identifier: MIT
// A main() of its own, which could do anything.

#include "Halide.h"

using namespace Halide;

class Plain : public Generator<Plain> {
public:
    GeneratorParam<int> number{"number", 1};
    Input<Buffer<int32_t, 1>> input{"input"};
    Output<Buffer<int32_t, 1>> output{"output"};

    void generate() {
        Var x{"x"};
        output(x) = input(x) + number;
    }
};
HALIDE_REGISTER_GENERATOR(Plain, plain)

#ifdef PROVIDER

// Makes other generators than those that are registered.
class Provider : public Internal::GeneratorFactoryProvider {
public:
    std::vector<std::string> enumerate() const override {
        return {"plain"};
    }
    Internal::AbstractGeneratorPtr create(const std::string &name,
                                          const GeneratorContext &context) const override {
        auto generator = Internal::GeneratorRegistry::create(name, context);
        generator->set_generatorparam_value("number", "7");
        return generator;
    }
};

int main(int argc, char **argv) {
    return Internal::generate_filter_main(argc, argv, Provider());
}

#else

int main(int argc, char **argv) {
    char number[] = "number=5";
    for (int i = 1; i < argc; i++) {
        if (std::string(argv[i]).rfind("number=", 0) == 0) {
            argv[i] = number;
        }
    }
    return Internal::generate_filter_main(argc, argv);
}

#endif
