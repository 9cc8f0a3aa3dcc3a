#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Formatting and static analysis of the sources.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The generators of the tests are edited by their text.
mapfile -t formatted < <(git ls-files '*.c' '*.h' '*.cpp' | grep -v '^tests/.*\.cpp$')
mapfile -t core < <(git ls-files 'src/*.c' | grep -v '_windows\.c$')
mapfile -t windows < <(git ls-files 'src/*_windows.c')

echo "== clang-format"
clang-format --dry-run --Werror "${formatted[@]}"

build=build/checks
cmake -S . -B "$build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DHalideCache_TESTS=OFF >/dev/null

echo "== clang-tidy"
printf '%s\n' "${core[@]}" | xargs -P "$(nproc)" -n 8 clang-tidy --quiet -p "$build" 2>/dev/null

# With the headers of mingw-w64, where they are installed.
if command -v x86_64-w64-mingw32-gcc >/dev/null; then
    clang-tidy --quiet "${windows[@]}" -- --target=x86_64-w64-windows-gnu -std=c11 -Isrc \
        -D_WIN32_WINNT=0x0A00 -DWIN32_LEAN_AND_MEAN -D__USE_MINGW_ANSI_STDIO=1 2>/dev/null
fi

# It cannot read a compound literal behind a "?", nor the macros of link.h in the tracer.
echo "== cppcheck"
cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr --enable=warning,performance,portability \
    --suppress=missingIncludeSystem --suppress=internalAstError -I src \
    $(printf '%s\n' "${core[@]}" "${windows[@]}" | grep -v "^src/tracer/")
