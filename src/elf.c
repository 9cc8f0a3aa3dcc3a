// SPDX-License-Identifier: MIT

#include "elf.h"

#include "buffer.h"

#include <stdlib.h>
#include <string.h>

// Where a field is: [0] in 32-bit files, [1] in 64-bit files.
struct place {
    unsigned char at[2];
    unsigned char width[2];
};

static const unsigned header_sizes[2] = {52, 64};
static const struct place e_machine = {{18, 18}, {2, 2}};
static const struct place e_entry = {{24, 24}, {4, 8}};
static const struct place e_phoff = {{28, 32}, {4, 8}};
static const struct place e_shoff = {{32, 40}, {4, 8}};
static const struct place e_phentsize = {{42, 54}, {2, 2}};
static const struct place e_phnum = {{44, 56}, {2, 2}};
static const struct place e_shentsize = {{46, 58}, {2, 2}};
static const struct place e_shnum = {{48, 60}, {2, 2}};

static const unsigned segment_sizes[2] = {32, 56};
static const struct place p_type = {{0, 0}, {4, 4}};
static const struct place p_offset = {{4, 8}, {4, 8}};
static const struct place p_vaddr = {{8, 16}, {4, 8}};
static const struct place p_filesz = {{16, 32}, {4, 8}};
static const struct place p_align = {{28, 48}, {4, 8}};

static const unsigned section_sizes[2] = {40, 64};
static const struct place sh_type = {{4, 4}, {4, 4}};
static const struct place sh_offset = {{16, 24}, {4, 8}};
static const struct place sh_size = {{20, 32}, {4, 8}};
static const struct place sh_link = {{24, 40}, {4, 4}};
static const struct place sh_addralign = {{32, 48}, {4, 8}};
static const struct place sh_entsize = {{36, 56}, {4, 8}};

// The count of program headers stands elsewhere when there are more (only core files).
enum { PN_XNUM = 0xffff };

static uint64_t field(const struct elf *elf, const unsigned char *structure,
                      struct place place)
{
    return integer_at(structure + place.at[elf->is_64], place.width[elf->is_64],
                      elf->big_endian);
}

static bool read_segments(struct elf *elf, uint64_t table, size_t count)
{
    const size_t size = segment_sizes[elf->is_64];
    if (count == 0) {
        return true;
    }
    const unsigned char *at = binary_at(elf->binary, table, count * size);
    if (at == NULL) {
        return false;
    }
    elf->segments = mem_new(count, sizeof *elf->segments);
    elf->segment_count = count;
    for (size_t i = 0; i < count; i++, at += size) {
        elf->segments[i] = (struct elf_segment){
            .type = (uint32_t)field(elf, at, p_type),
            .offset = field(elf, at, p_offset),
            .address = field(elf, at, p_vaddr),
            .file_size = field(elf, at, p_filesz),
            .alignment = field(elf, at, p_align),
        };
    }
    return true;
}

bool elf_init(struct elf *elf, struct binary *binary)
{
    *elf = (struct elf){.binary = binary};
    const unsigned char *ident = binary_at(binary, 0, 16);
    if (ident == NULL || memcmp(ident, "\177ELF", 4) != 0) {
        return false;
    }
    const unsigned class = ident[4];
    const unsigned encoding = ident[5];
    if ((class != 1 && class != 2) || (encoding != 1 && encoding != 2)) {
        return false;
    }
    elf->is_64 = class == 2;
    elf->big_endian = encoding == 2;
    const unsigned char *header = binary_at(binary, 0, header_sizes[elf->is_64]);
    if (header == NULL) {
        return false;
    }
    elf->machine = (uint16_t)field(elf, header, e_machine);
    elf->entry = field(elf, header, e_entry);
    const uint64_t segment_table = field(elf, header, e_phoff);
    const size_t segments = (size_t)field(elf, header, e_phnum);
    elf->section_count = (uint16_t)field(elf, header, e_shnum);
    if (field(elf, header, e_shentsize) == section_sizes[elf->is_64]) {
        elf->section_table = field(elf, header, e_shoff);
    }
    if (segments == PN_XNUM ||
        (segments > 0 && field(elf, header, e_phentsize) != segment_sizes[elf->is_64])) {
        return false;
    }
    return read_segments(elf, segment_table, segments);
}

void elf_release(struct elf *elf)
{
    free(elf->segments);
    elf->segments = NULL;
    elf->segment_count = 0;
}

uint64_t elf_count_sections(const struct elf *elf)
{
    struct elf_section first;
    if (elf->section_table == 0) {
        return 0;
    }
    if (elf->section_count > 0) {
        return elf->section_count;
    }
    // There are more than the header can hold: the first section header has their number.
    return elf_read_section(elf, 0, &first) ? first.size : 0;
}

bool elf_read_section(const struct elf *elf, uint64_t index, struct elf_section *section)
{
    const size_t size = section_sizes[elf->is_64];
    const uint64_t limit = binary_size(elf->binary);
    if (index > limit / size || elf->section_table > limit) {
        return false;
    }
    const unsigned char *at =
        binary_at(elf->binary, elf->section_table + index * size, size);
    if (at == NULL) {
        return false;
    }
    *section = (struct elf_section){
        .type = (uint32_t)field(elf, at, sh_type),
        .link = (uint32_t)field(elf, at, sh_link),
        .offset = field(elf, at, sh_offset),
        .size = field(elf, at, sh_size),
        .alignment = field(elf, at, sh_addralign),
        .entry_size = field(elf, at, sh_entsize),
    };
    return true;
}

bool elf_find_address(const struct elf *elf, uint64_t address, uint64_t *offset,
                      uint64_t *available)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct elf_segment *segment = &elf->segments[i];
        if (segment->type != ELF_SEGMENT_LOAD || address < segment->address) {
            continue;
        }
        const uint64_t within = address - segment->address;
        if (within < segment->file_size && segment->offset <= UINT64_MAX - within) {
            *offset = segment->offset + within;
            *available = segment->file_size - within;
            return true;
        }
    }
    return false;
}
