// SPDX-License-Identifier: MIT
// A generator with every kind of argument, used and not. The cases edit the marked places.

#include "Halide.h"

using namespace Halide;

class Signature : public Generator<Signature> {
public:
    /*first input*/
    Input<Buffer<>> image{/*image*/ "image"};
    Input<Buffer<uint8_t, 2>> used_member{/*used*/ "used"};
    /*unused buffer*/ Input<Buffer<uint8_t, 2>> unused_buffer{"unused_buffer"};
    Input<int> scale{"scale", /*default*/ 3, /*min*/ 0, /*max*/ 9};
    Input</*unused scalar*/ int32_t> unused_scalar{"unused_scalar", /*unused default*/ 3,
                                                   /*unused min*/ 0, /*unused max*/ 9};
    Input<float> one{/*one*/ "one", /*float default*/ 1.0f};
    Input<float> two{/*two*/ "two", 1.0f};
    Input<bool> unread_one{/*unread one*/ "unread_one", false};
    Input<bool> unread_two{/*unread two*/ "unread_two", false};
    Input<Buffer<uint8_t, 2>[/*array size*/ 2]> array{"array"};
    Input<float[/*scalars*/ 2]> scalars{"scalars", 0.5f};
    Input<Func> func{"func", UInt(8), 2};
    Input<bool> flag{"flag", false};
    /*last input*/

    /*first output*/
    Output<Buffer<uint8_t, 2>> output{/*output*/ "output"};
    Output<Func> tuple{"tuple", {UInt(8), /*tuple type*/ Int(16)}, 2};
    /*second*/ Output<Buffer<uint8_t, 2>> second{"second"};
    /*last output*/

    void generate() {
        Var x{"x"}, y{"y"}, z{"z"};
        Expr value = cast<uint8_t>(scale) + used_member(x, y) + func(x, y);
        for (size_t i = 0; i < array.size(); i++) {
            value += array[i](x, y);
        }
        output(x, y) = value + cast<uint8_t>(scalars[0]) + cast<uint8_t>(one) * 2 +
                       cast<uint8_t>(two) * 3;
        tuple(x, y) = Tuple(value, cast(tuple.types()[1], x));
        second(x, y) = cast(second.type(), value);
        /*last generate*/
        /*constraint*/
        /*estimate*/
        scale.set_estimate(/*scale estimate*/ 4);
        unused_scalar.set_estimate(/*unused estimate*/ 4);
        used_member.dim(0).set_estimate(0, /*buffer estimate*/ 100);
    }
};
HALIDE_REGISTER_GENERATOR(Signature, signature)
