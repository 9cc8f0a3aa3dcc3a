// SPDX-License-Identifier: MIT
// The parts of an ELF file that tell what it is: headers, segments, sections, of 32 and
// 64 bits and either byte order. Structures and numbers: System V gABI, "Object Files"
// and "Program Loading and Dynamic Linking".

#ifndef HALIDECACHE_ELF_H
#define HALIDECACHE_ELF_H

#include "binary.h"

#include <stdbool.h>
#include <stdint.h>

enum { ELF_SEGMENT_LOAD = 1, ELF_SEGMENT_DYNAMIC = 2, ELF_SEGMENT_NOTE = 4 };
enum { ELF_SECTION_SYMTAB = 2, ELF_SECTION_STRTAB = 3, ELF_SECTION_NOTE = 7 };
enum { ELF_MACHINE_X86_64 = 62, ELF_MACHINE_AARCH64 = 183 };

struct elf_segment {
    uint32_t type;
    uint64_t offset;
    uint64_t address;
    uint64_t file_size;
    uint64_t alignment;
};

struct elf_section {
    uint32_t type;
    uint32_t link;
    uint64_t offset;
    uint64_t size;
    uint64_t alignment;
    uint64_t entry_size;
};

struct elf {
    struct binary *binary; // the caller's
    bool is_64;
    bool big_endian;
    uint16_t machine;
    uint64_t entry;
    struct elf_segment *segments;
    size_t segment_count;
    uint64_t section_table; // its offset; 0: none
    uint16_t section_count; // as the header says; see elf_count_sections
};

/** Reads the headers and the segments; false when they are not those of an ELF file.
 *  After true, free with elf_release. */
bool elf_init(struct elf *elf, struct binary *binary);
void elf_release(struct elf *elf);

/** The number of sections; 0 when the file has no section headers. */
uint64_t elf_count_sections(const struct elf *elf);

/** Reads one section header. */
bool elf_read_section(const struct elf *elf, uint64_t index, struct elf_section *section);

/** Where in the file is what gets loaded at `address`, and how many bytes from there on?
 *  False when it is no address of a segment's part of the file. */
bool elf_find_address(const struct elf *elf, uint64_t address, uint64_t *offset,
                      uint64_t *available);

#endif
