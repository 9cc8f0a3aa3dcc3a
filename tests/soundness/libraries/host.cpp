// SPDX-License-Identifier: MIT
// A library for LD_PRELOAD that decides what CPU Halide finds.

#include "Halide.h"

#include <cstdlib>

namespace Halide {

Target get_host_target() {
    Target target(Target::Linux, Target::X86, 64);
    const char *features = getenv("TEST_CPU");
    for (; features != nullptr && *features != '\0'; features++) {
        target.set_feature(*features == 's' ? Target::SSE41 : Target::AVX);
    }
    return target;
}

}  // namespace Halide
