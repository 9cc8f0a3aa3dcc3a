// SPDX-License-Identifier: MIT
// A library for LD_PRELOAD.

#include <cstdlib>

/*namespace scope*/

extern "C" int preloaded_number() {
    return /*number*/ 3;
}
