#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Settings and folders that are wrong: one clear message, and the build goes on.

# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

uncached reference "${brighten[@]}"

# check_setting <variable> <value> <text of the message>
check_setting() {
    rm -rf "$scratch/tmp" out
    mkdir "$scratch/tmp"
    local errors
    errors=$(env "$1=$2" bash -c 'true'; export "$1=$2"; cached out "${brighten[@]}" 2>&1 >/dev/null)
    expect "number of lines for $1=$2" 1 "$(wc -l <<<"$errors")"
    expect_text "$1=$2 names the variable" "$1" "$errors"
    expect_text "$1=$2 names the value" "\"$2\"" "$errors"
    expect_text "$1=$2 says what is accepted" "$3" "$errors"
    expect_same reference out
}

for value in 10GB abc -1 ''; do
    check_setting HL_CACHE_MAX_SIZE "$value" 'K, M or G'
done
check_setting HL_CACHE_MAX_AGE 7d 'seconds'
check_setting HALIDE_CACHE_PROBE_TIMEOUT soon 'seconds'

# check_folder <what> <text of the message>: $cache cannot be used. A hundred commands of a
# build do not say it a hundred times.
check_folder() {
    rm -rf "$scratch/tmp" out
    mkdir "$scratch/tmp"
    local errors i
    for i in 1 2 3 4 5 6; do
        rm -rf out
        cached out "${brighten[@]}" 2>>"$scratch/errors" || fail "$1: the build fails"
        expect_same reference out
    done
    errors=$(cat "$scratch/errors")
    rm "$scratch/errors"
    expect_text "$1" "$2" "$errors"
    expect "$1: number of lines" 1 "$(wc -l <<<"$errors")"
}

touch a-file
cache="$scratch/a-file" check_folder 'a folder that is a file' "$scratch/a-file"
cache="$scratch/a-file/below" check_folder 'a folder that cannot be created' "$scratch/a-file"
if [[ -w /proc/self ]] || ! mkdir /proc/halide-cache 2>/dev/null; then
    cache=/proc/halide-cache check_folder 'a folder on a read-only file system' /proc/halide-cache
fi

# A full disk: a small file system where that can be mounted.
mkdir full
if mount -t tmpfs -o size=64k tmpfs full 2>/dev/null; then
    trap 'umount "$scratch/full"' EXIT
    head -c 60000 /dev/zero >full/filler || true
    cache="$scratch/full/cache" check_folder 'a full disk' "$scratch/full/cache"
fi

# A program that is not there, or that cannot be run: as a shell would.
status=0
errors=$("$helper" run --dir "$cache" -- ./nothing -g x -o . target=host 2>&1) || status=$?
expect 'status for a missing program' 127 "$status"
expect_text 'a missing program' './nothing' "$errors"
status=0
errors=$("$helper" run --dir "$cache" -- ./a-file -g x -o . target=host 2>&1) || status=$?
expect 'status for what is not executable' 126 "$status"
expect_text 'what is not executable' './a-file' "$errors"

# Wrong use of the program itself.
for arguments in '' 'nonsense' 'run' 'run --nonsense x' 'stats --nonsense' 'key'; do
    status=0
    # shellcheck disable=SC2086 # they are to be split
    "$helper" $arguments >/dev/null 2>errors || status=$?
    expect "status of '$arguments'" 2 "$status"
done
