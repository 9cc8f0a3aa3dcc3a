// SPDX-License-Identifier: MIT
// Pointers, of which serialization makes a void * each, and an input that a GPU reads.

#include "Halide.h"

struct Apple;
class Banana;
namespace fruit {
struct Cherry;
}
HALIDE_DECLARE_EXTERN_STRUCT_TYPE(Apple);
HALIDE_DECLARE_EXTERN_CLASS_TYPE(Banana);
HALIDE_DECLARE_EXTERN_STRUCT_TYPE(fruit::Cherry);

using namespace Halide;

class Handles : public Generator<Handles> {
public:
    Input</*pointee*/ Apple *> pointer{"pointer"};
    Input</*unused pointee*/ Apple *> unused_pointer{"unused_pointer"};
    Input<Buffer<int32_t, 1>> input{"input"};
    Output<Buffer<int32_t, 1>> output{"output"};

    void generate() {
        Var x{"x"};
        Expr made = Internal::Call::make(type_of</*inner*/ Apple *>(), "make_fruit", {x},
                                         Internal::Call::ExternCPlusPlus);
        Expr passed = Internal::Call::make(Int(32), "eat_fruit", {made, pointer},
                                           Internal::Call:: /*mangling*/ ExternCPlusPlus);
        Expr cast_pointer = reinterpret<uint64_t>(reinterpret(type_of</*cast*/ Apple *>(), pointer));
        output(x) = input(x) + passed + cast<int32_t>(cast_pointer);

        Func external{"external"};
        external.define_extern(/*extern name*/ "fill_basket", {pointer, input}, Int(32), 1,
                               NameMangling::/*extern mangling*/ CPlusPlus);
        external.compute_root();
        output(x) += external(x);
    }
};
HALIDE_REGISTER_GENERATOR(Handles, handles)

class Texture : public Generator<Texture> {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"};
        output(x, y) = input(x, y) * 2;
        output.gpu_tile(x, y, xo, yo, xi, yi, 8, 8);
        /*memory*/
    }
};
HALIDE_REGISTER_GENERATOR(Texture, texture)
