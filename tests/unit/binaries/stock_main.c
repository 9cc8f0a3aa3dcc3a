// SPDX-License-Identifier: MIT
// What Halide's GenGen.cpp is to a compiler, without needing Halide or C++.

#include "names.h"

int main(int argc, char **argv)
{
    return generate_filter_main(argc, argv);
}
