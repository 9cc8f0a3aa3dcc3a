#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures on this machine what HalideCache costs and saves. See README.md beside this.
#
#   bench/run.sh [--quick] [--out DIR] [--only PARTS] [--halide VERSION]
#                [--runs N] [--compile-runs N] [--suite-runs N] [--scratch DIR]
#   bench/run.sh --document [--out DIR]    results of the last run -> docs/performance.md

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../tools/setup.sh
source "$root/tools/setup.sh"

work="$root/build/bench"
out="$work/results"
halide_version=21.0.0
document=false
options=()
while [[ $# -gt 0 ]]; do
    case $1 in
        --quick) options+=(--quick) ;;
        --document) document=true ;;
        --out) out=$(realpath -m "${2:?--out needs a folder}") && shift ;;
        --halide) halide_version=${2:?--halide needs a version} && shift ;;
        --only | --runs | --compile-runs | --suite-runs | --scratch)
            options+=("$1" "${2:?$1 needs a value}") && shift
            ;;
        *)
            sed -n 's/^#   //p' "${BASH_SOURCE[0]}" >&2
            exit 2
            ;;
    esac
    shift
done

if $document; then
    exec python3 "$root/bench/report.py" --document "$root/docs" "$out"
fi

# Nothing of the caller's environment may decide what a command does.
for variable in $(compgen -e); do
    case $variable in HL_* | HALIDE_CACHE_* | CFLAGS | CXXFLAGS | LDFLAGS | DESTDIR) unset "$variable" ;; esac
done
export LC_ALL=C

install_build_tools
halide=$(install_halide "$halide_version")

say "building and installing halide-cache"
mkdir -p "$work" "$out"
rm -rf "$work/prefix"
{
    cmake -S "$root" -B "$work/helper" -G Ninja -DHalideCache_TESTS=OFF -DHalideCache_BENCH=ON \
        -DCMAKE_BUILD_TYPE=Release &&
        cmake --build "$work/helper" &&
        cmake --install "$work/helper" --prefix "$work/prefix"
} >"$work/helper.log" 2>&1 || {
    cat "$work/helper.log"
    exit 1
}

status=0
python3 "$root/bench/bench.py" --root "$root" --work "$work" --halide "$halide" \
    --halide-version "$halide_version" --out "$out" "${options[@]}" || status=$?
python3 "$root/bench/report.py" "$out"
say "results: ${out#"$PWD/"}/results.md, results.json, results.svg"
exit "$status"
