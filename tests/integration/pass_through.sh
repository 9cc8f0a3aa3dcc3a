#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Corrupt entries, killed processes, and what a user does by hand.

# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

uncached reference "${brighten[@]}"
cached first "${brighten[@]}"
cached second "${brighten[@]}"
expect_same reference first
expect_same reference second
expect 'misses' 1 "$(count '^miss ')"
expect 'hits' 1 "$(count '^pipeline hit ')"

# A flipped byte, a stump, an empty file: a miss, and stored afresh.
entry=$(find "$cache" -name '*.entry')
size=$(stat -c %s "$entry")
damage() {
    rm -rf third
    cached third "${brighten[@]}"
    expect_same reference third
    expect "$1: misses" "$2" "$(count '^miss ')"
    cached third "${brighten[@]}"
    expect "$1: misses after it was stored again" "$2" "$(count '^miss ')"
}
printf 'x' | dd of="$entry" bs=1 seek=$((size - 10)) conv=notrunc status=none
damage 'a flipped byte' 2
truncate -s 100 "$entry"
damage 'a stump' 3
: >"$entry"
damage 'an empty file' 4

# What clear leaves behind is a cache that misses.
"$helper" clear --dir "$cache" >/dev/null
rm -rf third
cached third "${brighten[@]}"
expect 'misses after clear' 5 "$(count '^miss ')"

# By hand, with nothing but the folder: the probe of the build tree is found.
rm -rf third && mkdir third
HL_CACHE_DIR="$cache" "$helper" run -- "$generator" -o third "${brighten[@]}" -n brighten
rm -rf third && mkdir third
HL_CACHE_DIR="$cache" "$helper" run -- "$generator" -o third "${brighten[@]}" -n brighten
expect 'hits by hand' 1 "$(count '^(pipeline|direct) hit .* third/')"

# A failing generator fails as it does without us, and prints the same.
for arguments in '-g nothing -e object target=host' '-g brighten -e object target=nonsense' \
    '-g brighten -e object target=host amount=much' '-g brighten -e nonsense target=host' \
    '-g brighten'; do
    status=0
    # shellcheck disable=SC2086 # they are to be split
    uncached failing $arguments >out.expected 2>err.expected || status=$?
    actual=0
    # shellcheck disable=SC2086
    cached failing $arguments >out.actual 2>err.actual || actual=$?
    expect "status of $arguments" "$status" "$actual"
    cmp out.expected out.actual && cmp err.expected err.actual || fail "output of $arguments"
done

# JSON for scripts.
json=$("$helper" stats --json --dir "$cache")
for key in direct_hits pipeline_hits misses bypasses errors entries size_bytes max_size_bytes \
    time_saved_s; do
    expect_text 'stats --json' "\"$key\"" "$json"
done

# A killed helper takes the generator with it, as a killed generator would be gone.
"$helper" clear --dir "$cache" >/dev/null
mkdir killed
(cd killed && exec "$helper" run --dir "$cache" --probe "$probe" -- "$generator" -o . -g box \
    -e object target=host) &
victim=$!
for _ in $(seq 100); do
    pgrep -P "$victim" >/dev/null && break
    sleep 0.05
done
child=$(pgrep -P "$victim" | head -n 1)
kill -9 "$victim"
wait "$victim" 2>/dev/null || true
for _ in $(seq 100); do
    kill -0 "$child" 2>/dev/null || break
    sleep 0.05
done
if kill -0 "$child" 2>/dev/null; then
    fail 'the generator outlives a killed helper'
fi
rm -rf killed && mkdir killed
uncached killed.reference -g box -e object target=host
(cd killed && "$helper" run --dir "$cache" --probe "$probe" -- "$generator" -o . -g box \
    -e object target=host)
expect_same killed.reference killed
