// SPDX-License-Identifier: MIT
// The CodeView record of PE files, by which debuggers find a program's PDB. Microsoft,
// "PE Format": "Optional Header Data Directories", "Section Table", "Debug Directory";
// the record itself is the signature RSDS, a GUID, an age, and the path of the PDB.

#include "identity_formats.h"

#include <stdlib.h>
#include <string.h>

enum { PE_OFFSET_AT = 0x3c };
enum { COFF_HEADER_SIZE = 24 }; // with the signature "PE\0\0" before it
enum { SECTION_SIZE = 40 };
enum { DEBUG_DIRECTORY = 6, DIRECTORY_SIZE = 8 };
enum { DEBUG_ENTRY_SIZE = 28, DEBUG_TYPE_CODEVIEW = 2, MAX_DEBUG_ENTRIES = 64 };
enum { RSDS_SIZE = 24 };

struct pe {
    struct binary *binary;
    uint64_t section_table;
    unsigned section_count;
    uint32_t debug_address; // relative to the image
    uint32_t debug_size;
};

static unsigned u16_at(const unsigned char *at)
{
    return (unsigned)integer_at(at, 2, false);
}

static bool read_debug_directory(struct pe *pe, uint64_t optional, unsigned optional_size)
{
    // The number of data directories, and then those, stand at the end of a part that
    // differs in PE32 and PE32+.
    const unsigned char *magic = binary_at(pe->binary, optional, 2);
    if (magic == NULL || (u16_at(magic) != 0x10b && u16_at(magic) != 0x20b)) {
        return false;
    }
    const unsigned count_at = u16_at(magic) == 0x10b ? 92 : 108;
    const unsigned directory_at = count_at + 4 + DEBUG_DIRECTORY * DIRECTORY_SIZE;
    const unsigned needed = directory_at + DIRECTORY_SIZE;
    const unsigned char *header = binary_at(pe->binary, optional, needed);
    if (optional_size < needed || header == NULL ||
        little_u32_at(header + count_at) <= DEBUG_DIRECTORY) {
        return false;
    }
    pe->debug_address = little_u32_at(header + directory_at);
    pe->debug_size = little_u32_at(header + directory_at + 4);
    return pe->debug_address != 0;
}

static bool pe_init(struct pe *pe, struct binary *binary)
{
    *pe = (struct pe){.binary = binary};
    const unsigned char *dos = binary_at(binary, 0, PE_OFFSET_AT + 4);
    if (dos == NULL || memcmp(dos, "MZ", 2) != 0) {
        return false;
    }
    const uint64_t start = little_u32_at(dos + PE_OFFSET_AT);
    const unsigned char *coff = binary_at(binary, start, COFF_HEADER_SIZE);
    if (coff == NULL || memcmp(coff, "PE\0", 4) != 0) {
        return false;
    }
    const unsigned optional_size = u16_at(coff + 20);
    pe->section_count = u16_at(coff + 6);
    pe->section_table = start + COFF_HEADER_SIZE + optional_size;
    return read_debug_directory(pe, start + COFF_HEADER_SIZE, optional_size);
}

static bool find_address(const struct pe *pe, uint32_t address, uint32_t size,
                         uint64_t *offset)
{
    for (unsigned i = 0; i < pe->section_count; i++) {
        const unsigned char *section = binary_at(
            pe->binary, pe->section_table + (uint64_t)i * SECTION_SIZE, SECTION_SIZE);
        if (section == NULL) {
            return false;
        }
        const uint32_t start = little_u32_at(section + 12);
        const uint32_t size_in_file = little_u32_at(section + 16);
        if (address >= start && range_is_within(address - start, size, size_in_file)) {
            *offset = (uint64_t)little_u32_at(section + 20) + (address - start);
            return true;
        }
    }
    return false;
}

static char *read_codeview(struct binary *binary, uint64_t offset)
{
    const unsigned char *record = binary_at(binary, offset, RSDS_SIZE);
    if (record == NULL || memcmp(record, "RSDS", 4) != 0 ||
        !mark_is_unique(record + 4, 16)) {
        return NULL;
    }
    // The first three parts of a GUID are little-endian integers.
    static const unsigned char order[16] = {3, 2, 1,  0,  5,  4,  7,  6,
                                            8, 9, 10, 11, 12, 13, 14, 15};
    unsigned char guid[16];
    for (size_t i = 0; i < sizeof guid; i++) {
        guid[i] = record[4 + order[i]];
    }
    char *age = mem_printf("-%u", little_u32_at(record + 20));
    struct buffer text = {0};
    buffer_append_string(&text, "pe:");
    append_uuid(&text, guid);
    buffer_append(&text, age, strlen(age) + 1);
    free(age);
    return (char *)text.data;
}

char *identity_of_pe(struct binary *binary)
{
    struct pe pe;
    uint64_t table = 0;
    if (!pe_init(&pe, binary) ||
        !find_address(&pe, pe.debug_address, pe.debug_size, &table)) {
        return NULL;
    }
    const uint32_t count = pe.debug_size / DEBUG_ENTRY_SIZE;
    for (uint32_t i = 0; i < count && i < MAX_DEBUG_ENTRIES; i++) {
        const unsigned char *entry =
            binary_at(binary, table + (uint64_t)i * DEBUG_ENTRY_SIZE, DEBUG_ENTRY_SIZE);
        if (entry == NULL) {
            return NULL;
        }
        if (little_u32_at(entry + 12) == DEBUG_TYPE_CODEVIEW &&
            little_u32_at(entry + 16) >= RSDS_SIZE) {
            char *identity = read_codeview(binary, little_u32_at(entry + 24));
            if (identity != NULL) {
                return identity;
            }
        }
    }
    return NULL;
}
