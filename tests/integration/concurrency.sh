#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Eight builds at once on one cache, while others clear and prune it: nothing fails, and
# nothing wrong is restored.

# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

amounts=(1 2 3 4)
for amount in "${amounts[@]}"; do
    uncached "reference/$amount" "${brighten[@]}" "amount=$amount"
done

# build <number>: all four, several times over, always into fresh folders.
build_all() {
    local round amount
    for round in 1 2 3; do
        for amount in "${amounts[@]}"; do
            rm -rf "builds/$1/$amount"
            cached "builds/$1/$amount" "${brighten[@]}" "amount=$amount" ||
                fail "build $1 fails in round $round"
            expect_same "reference/$amount" "builds/$1/$amount"
        done
    done
}

disturb() {
    while [[ ! -e stop ]]; do
        "$helper" prune --dir "$cache" >/dev/null || fail 'prune fails'
        "$helper" clear --dir "$cache" >/dev/null || fail 'clear fails'
        "$helper" stats --json --dir "$cache" >/dev/null || fail 'stats fails'
        sleep 0.3
    done
}

# First undisturbed: every distinct command is compiled once.
run_builds() {
    local pids=() number failed=0
    for number in 1 2 3 4 5 6 7 8; do
        build_all "$number" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || failed=1
    done
    return "$failed"
}

run_builds || fail 'a build failed'
expect 'compiles' "${#amounts[@]}" "$(count '^miss ')"
expect 'hits' $((8 * 3 * ${#amounts[@]} - ${#amounts[@]})) "$(count '^(pipeline|direct) hit ')"

mkdir -p "$cache"
disturb &
disturber=$!
run_builds || { touch stop; fail 'a build failed while the cache was cleared'; }
touch stop
wait "$disturber" || fail 'clearing or pruning failed'

# And the folder may go at any moment.
(for _ in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$cache"; sleep 0.2; done) &
remover=$!
run_builds || fail 'a build failed while the folder was removed'
wait "$remover" || true
