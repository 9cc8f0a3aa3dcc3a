// SPDX-License-Identifier: MIT
// Mach-O files, thin and fat, and their load commands. Structures and numbers:
// <mach-o/loader.h>, <mach-o/fat.h> and <mach/machine.h> of Apple's xnu.

#ifndef HALIDECACHE_MACHO_H
#define HALIDECACHE_MACHO_H

#include "binary.h"

#include <stdbool.h>
#include <stdint.h>

enum { MACHO_CPU_X86_64 = 0x01000007, MACHO_CPU_ARM64 = 0x0100000c };
enum { MACHO_EXECUTE = 2 };

enum macho_command_type {
    MACHO_SYMTAB = 0x2,
    MACHO_DYSYMTAB = 0xb,
    MACHO_SEGMENT_64 = 0x19,
    MACHO_UUID = 0x1b,
};
#define MACHO_MAIN 0x80000028u // does not fit an enum

enum { MACHO_MAX_SLICES = 32 }; // a Java class begins like a fat file with 45 or more

/** Where the code for one architecture is. */
struct macho_slice {
    uint64_t offset;
    uint64_t size;
};

/** Finds the slices of a fat file, or the only one of a thin file; 0 when it is neither,
 *  or damaged. */
size_t macho_find_slices(struct binary *binary,
                         struct macho_slice slices[MACHO_MAX_SLICES]);

struct macho {
    struct binary *binary; // the caller's
    struct macho_slice slice;
    bool is_64;
    bool big_endian;
    uint32_t cpu_type;
    uint32_t cpu_subtype; // without the capability bits
    uint32_t file_type;
    uint32_t command_count;
    uint32_t commands_size;
};

/** Reads the header of a slice. */
bool macho_init(struct macho *macho, struct binary *binary, struct macho_slice slice);

/** `size` bytes at `offset` in the slice; like binary_at. */
const unsigned char *macho_at(const struct macho *macho, uint64_t offset, size_t size);

/** The number of four bytes at `at`. */
uint32_t macho_u32(const struct macho *macho, const unsigned char *at);

/** One load command. To go over all of them start with {0}. */
struct macho_command {
    uint32_t type;
    uint32_t size;
    uint64_t offset; // in the slice
    uint32_t number;
};

/** Goes to the next command; false after the last one or when it is damaged. */
bool macho_next_command(const struct macho *macho, struct macho_command *command);

/** Goes to the next command of a type that has `size` bytes or more; returns `size` bytes
 *  of it, or NULL. */
const unsigned char *macho_next_of_type(const struct macho *macho, uint32_t type,
                                        size_t size, struct macho_command *command);

#endif
