// SPDX-License-Identifier: MIT
// The library of generators/machine_helper_.cpp.

#include <cstdio>

/*namespace scope*/

extern "C" int helper_number() {
    return /*number*/ 3;
}
