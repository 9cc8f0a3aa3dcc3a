// SPDX-License-Identifier: MIT
// stock_main.c's readers of executables, by format. False also when the file is of
// another format, or damaged.

#ifndef HALIDECACHE_STOCK_MAIN_FORMATS_H
#define HALIDECACHE_STOCK_MAIN_FORMATS_H

#include "binary.h"

#include <stdbool.h>

bool stock_main_in_elf(struct binary *binary);
bool stock_main_in_macho(struct binary *binary);

/** Halide::Internal::generate_filter_main(int, char **), as the compiler names it (Mach-O
 *  puts an underscore before that). */
#define STOCK_MAIN_CALLEE "_ZN6Halide8Internal20generate_filter_mainEiPPc"

/** Is it the name of something in the namespace Halide? */
bool stock_main_is_halide_name(const char *name);

#endif
