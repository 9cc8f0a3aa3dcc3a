#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the examples three times, each time into a fresh folder: without a cache, with an
# empty one, and with the one that the second build has filled. Shows what each took, what
# the cache did, and that all outputs are the same bytes.
#
#   examples/try.sh [halide version]        (default: 21.0.0)

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../tools/setup.sh
source "$root/tools/setup.sh"
version=${1:-21.0.0}

install_build_tools
halide=$(install_halide "$version")
work="$root/build/try"
rm -rf "$work"
mkdir -p "$work"

say "building and installing halide-cache"
cmake -S "$root" -B "$work/helper" -G Ninja -DHalideCache_TESTS=OFF >"$work/helper.log" 2>&1 &&
    cmake --build "$work/helper" >>"$work/helper.log" 2>&1 &&
    cmake --install "$work/helper" --prefix "$work/prefix" >>"$work/helper.log" 2>&1 || {
    cat "$work/helper.log"
    exit 1
}

milliseconds() {
    date +%s%3N
}

# build <name> <cache folder or nothing>: the generators first, which the cache leaves
# alone, then, timed, what is made with them.
build() {
    local name=$1 cache=$2 folder="$work/examples"
    say "$name: configuring and compiling the generators"
    rm -rf "$folder"
    {
        cmake -S "$root/examples" -B "$folder" -G Ninja -DHalide_CACHE_DIR="$cache" \
            -DHalide_DIR="$halide/lib64/cmake/Halide" -DCMAKE_PREFIX_PATH="$work/prefix" &&
            cmake --build "$folder" --target HalideCacheExamples-halide_generators &&
            { [[ -z $cache ]] || cmake --build "$folder" --target halidecache_probe; }
    } >"$work/$name.log" 2>&1 || {
        cat "$work/$name.log"
        exit 1
    }
    say "$name: running them"
    local start end
    start=$(milliseconds)
    cmake --build "$folder" >>"$work/$name.log" 2>&1 || {
        cat "$work/$name.log"
        exit 1
    }
    end=$(milliseconds)
    elapsed[$name]=$((end - start))
    # Everything that a generator wrote.
    mkdir "$work/$name"
    (cd "$folder" && find . -type f \( -name '*.o' -o -name '*.h' -o -name '*.a' -o -name '*.s' \
        -o -name '*.stmt' -o -name '*.ll' -o -name '*.html' -o -name '*.registration.cpp' \) \
        -not -path '*/CMakeFiles/*' -exec cp --parents -t "$work/$name" {} +)
}

declare -A elapsed
helper="$work/prefix/bin/halide-cache"
build uncached ""
build cold "$work/cache"
"$helper" stats --dir "$work/cache" >"$work/stats-cold.txt"
build warm "$work/cache"
"$helper" stats --dir "$work/cache" >"$work/stats-warm.txt"
"$work/examples/run_all" >"$work/run_all.log" || {
    cat "$work/run_all.log"
    exit 1
}

say "what halide-cache has counted after the warm build"
cat "$work/stats-warm.txt"
say "results"
for name in cold warm; do
    if ! diff -r "$work/uncached" "$work/$name"; then
        say "the outputs of the $name build differ from those of the uncached one"
        exit 1
    fi
done
files=$(find "$work/uncached" -type f | wc -l)
printf '%-10s %7.1f s\n' uncached "${elapsed[uncached]}e-3"
for name in cold warm; do
    printf '%-10s %7.1f s   all %s outputs are the same bytes as those of the uncached build\n' \
        "$name" "${elapsed[$name]}e-3" "$files"
done
