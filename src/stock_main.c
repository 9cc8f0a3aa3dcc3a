// SPDX-License-Identifier: MIT

#include "stock_main.h"

#include "stock_main_formats.h"

#include <string.h>

bool stock_main_is_halide_name(const char *name)
{
    return strncmp(name, "_ZN6Halide", 10) == 0 || strncmp(name, "_ZNK6Halide", 11) == 0;
}

bool stock_main_in_file(const char *path, struct error *error)
{
    error_set(error, "%s", "");
    struct binary *binary = binary_open(path, error);
    if (binary == NULL) {
        return false;
    }
    const bool stock = stock_main_in_elf(binary) || stock_main_in_macho(binary);
    const bool failed = !stock && binary_failed(binary, error);
    binary_close(binary);
    return stock && !failed;
}
