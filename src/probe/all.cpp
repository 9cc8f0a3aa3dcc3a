// SPDX-License-Identifier: MIT
//
// What is compiled: all of the probe at once. It is compiled anew in every build folder,
// and reading Halide.h takes longer than all the rest.

#include "binaries.cpp"
#include "channel.cpp"
#include "confirmation.cpp"
#include "fingerprint.cpp"
#include "loaded_elf.cpp"
#include "loaded_macho.cpp"
#include "name_counters.cpp"
#include "probe.cpp"
#include "process_state.cpp"
#include "sandbox.cpp"
#include "shape.cpp"
