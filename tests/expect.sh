# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How the tests in shell end at the first thing that is not as it should be.

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# expect <what> <expected> <actual>
expect() {
    [[ $2 == "$3" ]] || fail "$1: expected '$2', got '$3'"
}

# expect_text <what> <text that is contained> <actual>
expect_text() {
    [[ $3 == *"$2"* ]] || fail "$1: expected '$2' in '$3'"
}
