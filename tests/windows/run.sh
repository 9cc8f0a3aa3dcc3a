#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The real halide-cache.exe, and the programs beside it, under Wine:
#
#   run.sh <wine> <folder of the programs> <scratch folder>
#
# It ends at the first thing that is not as it should be.

set -euo pipefail

wine=$1
programs=$2
scratch=$3
expectations=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/expect.sh

# Nothing of the user's environment decides, Wine's own folders neither.
unset HL_CACHE_DIR HL_CACHE_MAX_SIZE HL_CACHE_MAX_AGE HL_TARGET HALIDE_CACHE_LOG DISPLAY
export WINEPREFIX="$scratch/wine" WINEDEBUG=-all LC_ALL=C.UTF-8
mkdir -p "$scratch"
[[ -d $WINEPREFIX/drive_c ]] || "$wine" wineboot -i >/dev/null 2>&1
drive="$WINEPREFIX/drive_c"
rm -rf "$drive/test"
mkdir "$drive/test"
cp "$programs"/* "$drive/test"
cd "$drive/test"

# shellcheck source=../expect.sh
source "$expectations"

# helper <argument>...: sets `status`, `out` and `err`; standard input is passed on.
helper() {
    status=0
    "$wine" halide-cache.exe "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    out=$(tr -d '\r' <"$scratch/out")
    err=$(tr -d '\r' <"$scratch/err")
}

echo "== os and store"
"$wine" test_system.exe 'C:\test\scratch' || fail "test_system.exe"

echo "== version, help, usage"
helper --version
expect "status of --version" 0 "$status"
expect_text "--version" "halide-cache " "$out"
helper --help
expect_text "--help" "usage: halide-cache run" "$out"
helper
expect "status without a command" 2 "$status"
helper 'nöchts'
expect "status of an unknown command" 2 "$status"
expect_text "an unknown command" "'nöchts' is not a command" "$err"

echo "== run: arguments, streams, status"
cache='C:\test\ein Cache ü🙂'
folder="$drive/test/ein Cache ü🙂"
mkdir "$folder"
# shellcheck disable=SC1003 # backslashes are what this is about
arguments=('a b' 'quo"te' 'back\' 'b\s "q' 'end \' '\\"' '' '*.exe' $'t\tab' '%PATH%' 'ünï🙂')
expected=$(printf 'argument %s\n' "${arguments[@]}" --status=7 --error=oops
    printf '%s\n' 'variable HL_TARGET=host' 'input one' 'input two')
export HL_TARGET=host HL_CACHE_DIR="$cache" Hl_Cache_Max_Size=7 HALIDE_CACHE_WAIT=1
helper run -- ./stand_in.exe "${arguments[@]}" --status=7 --error=oops <<<$'one\ntwo'
expect "standard output" "$expected" "$out"
expect "standard error" "oops" "$err"
expect "status" 7 "$status"
unset HL_TARGET Hl_Cache_Max_Size HALIDE_CACHE_WAIT HL_CACHE_DIR
helper run --dir "$cache" -- stand_in plain </dev/null
expect "a program without .exe and folder" "argument plain" "$out"
helper run --dir "$cache" -- 'C:\test\stand_in.exe' --status=300 </dev/null
expect "the part of a status that Wine hands on" $((300 & 255)) "$status"
out=$("$wine" cmd /v:on /c \
    'halide-cache.exe run -- stand_in.exe --status=0xC0000105 <NUL & echo !errorlevel!' | tr -d '\r') || true
expect_text "a status of 32 bits" $'\n-1073741563' "$out"
helper run --dir "$cache" -- missing.exe
expect "status of a missing program" 127 "$status"
expect_text "a missing program" "cannot run missing.exe: No such file" "$err"
helper run --dir "$cache" -- "$cache"
expect "status of a folder as program" 126 "$status"

echo "== run without a usable folder"
echo text >file
for dir in 'C:\test\file' 'C:\test\file\below' 'C:\test\a<b' 'Q:\none'; do
    helper run --dir "$dir" -- ./stand_in.exe x </dev/null
    expect "status with the folder $dir" 0 "$status"
    expect "standard error with the folder $dir" "" "$err"
done

echo "== key, stats, log"
helper key --dir "$cache" -- ./stand_in.exe -g x -o . target=host
expect "status of key" 1 "$status"
expect_text "key" "there is no key: this operating system is not supported" "$err"
helper stats --json --dir "$cache"
expect "status of stats" 0 "$status"
expect_text "stats" '"bypasses": 5,' "$out"
expect_text "stats" '"unsupported-system": 5' "$out"
python3 -c 'import json, sys; json.load(sys.stdin)' <<<"$out" || fail "stats --json is not JSON"
HALIDE_CACHE_LOG='C:\test\lög.txt' helper run -- ./stand_in.exe </dev/null
expect_text "the log" "bypass ./stand_in.exe: this operating system" "$(<lög.txt)"
helper stats --dir 'C:\test\file'
expect "status of stats of a file" 1 "$status"
expect_text "stats of a file" "is not a folder" "$err"

echo "== settings"
HL_CACHE_MAX_SIZE=2K helper stats --json --dir "$cache"
expect_text "HL_CACHE_MAX_SIZE" '"max_size_bytes": 2048,' "$out"
HL_CACHE_MAX_SIZE=2X helper stats --json --dir "$cache"
expect_text "a bad HL_CACHE_MAX_SIZE" 'HL_CACHE_MAX_SIZE is set to "2X", but must be' "$err"

echo "== prune, clear"
"$wine" test_system.exe "$cache" fill 30
helper stats --json --dir "$cache"
expect_text "entries" '"entries": 30,' "$out"
expect_text "size" '"size_bytes": 30000,' "$out"
HL_CACHE_MAX_SIZE=10000 helper prune --dir "$cache"
expect "prune" "Removed 20 files (19.5 KiB). 10 files are left (9.8 KiB of 9.8 KiB)." "$out"
helper clear --dir 'C:\windows'
expect "status of clear of what is not ours" 1 "$status"
[[ -e $drive/windows/system32 ]] || fail "clear removed Windows"
helper clear --dir "$cache"
expect_text "clear" "Removed 10 files (9.8 KiB) and the statistics" "$out"
expect "what clear leaves" "CACHEDIR.TAG" "$(ls -A "$folder")"
helper clear --dir 'C:\test\never'
expect "clear of nothing" 'There is no cache in C:\test\never.' "$out"

echo "== many at once"
for _ in 1 2 3 4; do
    "$wine" test_system.exe "$cache" count 50 &
    "$wine" test_system.exe "$cache" fill 10 &
done
wait
helper stats --json --dir "$cache"
expect_text "entries of many at once" '"entries": 10,' "$out"
expect "left over" 0 "$(find "$folder" -name '*.halide-cache-tmp.*' | wc -l)"

echo "== ended with us"
mark="--wait-$$" # Wine's processes are processes of this system
stand_ins() {
    pgrep -fc "^./stand_in.exe --wait $mark" || true
}
"$wine" halide-cache.exe run --dir "$cache" -- ./stand_in.exe --wait "$mark" \
    </dev/null >/dev/null 2>&1 &
ours=$!
trap 'kill -KILL "$ours" 2>/dev/null || true' EXIT
for ((i = 0; i < 100; i++)); do
    [[ $(stand_ins) == 0 ]] || break
    sleep 0.1
done
expect "programs that run" 1 "$(stand_ins)"
kill -KILL "$ours"
wait "$ours" 2>/dev/null || true
for ((i = 0; i < 100; i++)); do
    [[ $(stand_ins) != 0 ]] || break
    sleep 0.1
done
expect "programs that outlive us" 0 "$(stand_ins)"
