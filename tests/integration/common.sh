# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the integration tests share. Each is called as
#
#   <test>.sh <halide-cache> <build tree of project/> <scratch folder>
#
# and ends at the first thing that is not as it should be.

set -euo pipefail

helper=$1
build=$2
scratch=$3
generator="$build/small_generator"
probe=$(find "$build/CMakeFiles/HalideCache" -name 'halide-cache-probe.so' | head -n 1)

rm -rf "$scratch"
mkdir -p "$scratch/tmp"
cd "$scratch"

# Nothing of the user's environment decides; what is said once a minute is said again.
unset HL_CACHE_DIR HL_CACHE_MAX_SIZE HL_CACHE_MAX_AGE HL_TARGET
export LC_ALL=C TMPDIR="$scratch/tmp" HALIDE_CACHE_LOG="$scratch/log"

# shellcheck source=../expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"

# count <extended regular expression>: lines of the log that match.
count() {
    grep -cE "$1" "$HALIDE_CACHE_LOG" || true
}

# The arguments of a quick compile; more may be appended.
brighten=(-g brighten -e 'object,c_header' target=host-no_runtime)

# cached <output folder> <argument>...: through the cache in $cache.
cached() {
    local out=$1
    shift
    mkdir -p "$out"
    (cd "$out" && "$helper" run --dir "$cache" --probe "$probe" -- "$generator" -o . "$@")
}

uncached() {
    local out=$1
    shift
    mkdir -p "$out"
    (cd "$out" && "$generator" -o . "$@")
}

expect_same() {
    diff -r "$1" "$2" || fail "$1 and $2 differ"
}

cache="$scratch/cache"
