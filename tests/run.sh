#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds HalideCache with its tests, and runs them.
#
#   tests/run.sh [ctest options]            for example: tests/run.sh -L unit

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../tools/setup.sh
source "$root/tools/setup.sh"

install_build_tools
install_debian '/usr/include/cmocka.h:libcmocka-dev' clang:clang ld.lld:lld \
    x86_64-w64-mingw32-gcc:gcc-mingw-w64-x86-64 '/usr/include/python3*/Python.h:python3-dev' \
    '/usr/lib/*/cmake/Halide14:libhalide14-0-dev'
halide21=$(install_halide 21.0.0)
halide19=$(install_halide 19.0.0)

say "building"
cmake -S "$root" -B "$root/build/tests" -G Ninja -DHalideCache_STRICT=ON \
    -DHalideCache_TEST_HALIDE="21=$halide21;19=$halide19" \
    -DHalideCache_TEST_HALIDE_WITHOUT_SERIALIZATION=/usr
cmake --build "$root/build/tests"
say "testing"
ctest --test-dir "$root/build/tests" --output-on-failure -j "$(nproc)" "$@"
