# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the demo and the tests need on a fresh machine; to be sourced by bash, with
# `root` set to the folder of the repository.
#
# Debian packages are installed when something is missing and this user may (root, or sudo
# without a password). Python packages (CMake, Ninja, Halide) go into build/tools, whoever
# the user is.

set -euo pipefail

tools="$root/build/tools"

say() {
    printf '== %s\n' "$*" >&2
}

# install_debian <command or file>:<package>...: installs the packages of what is missing.
install_debian() {
    local missing=() pair thing
    for pair in "$@"; do
        thing=${pair%%:*}
        if [[ $thing == /* ]]; then
            # shellcheck disable=SC2086 # the pattern is to expand
            compgen -G "$thing" >/dev/null || missing+=("${pair##*:}")
        else
            command -v "$thing" >/dev/null || missing+=("${pair##*:}")
        fi
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0

    local sudo=()
    if [[ $(id -u) -ne 0 ]]; then
        sudo=(sudo -n)
        if ! sudo -n true 2>/dev/null; then
            say "missing, and not root to install: ${missing[*]}"
            say "ask for: apt-get install ${missing[*]}"
            exit 1
        fi
    fi
    say "installing ${missing[*]}"
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" \
        apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
}

# A CMake that is new enough for Halide, and Ninja: $tools/bin comes first on PATH.
install_cmake() {
    if [[ ! -x $tools/bin/cmake || ! -x $tools/bin/ninja ]]; then
        say "installing CMake and Ninja into build/tools"
        python3 -m venv "$tools"
        "$tools/bin/pip" install -q --disable-pip-version-check 'cmake>=3.28' ninja
    fi
    export PATH="$tools/bin:$PATH"
}

# install_halide <version>: the prefix of that wheel is printed. Each has a Python
# environment of its own.
install_halide() {
    local environment="$tools/halide-$1"
    if ! compgen -G "$environment/lib/python3*/site-packages/halide/include/Halide.h" >/dev/null; then
        say "installing Halide $1 into build/tools"
        rm -rf "$environment"
        python3 -m venv "$environment"
        "$environment/bin/pip" install -q --disable-pip-version-check --no-deps "halide==$1"
    fi
    compgen -G "$environment/lib/python3*/site-packages/halide"
}

# What building the helper and generators takes.
install_build_tools() {
    install_debian cc:gcc c++:g++ make:make python3:python3 \
        /usr/lib/python3*/ensurepip:python3-venv \
        '/usr/include/openssl/evp.h:libssl-dev' \
        '/etc/ssl/certs/ca-certificates.crt:ca-certificates'
    install_cmake
}
