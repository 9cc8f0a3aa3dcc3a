// SPDX-License-Identifier: MIT

#include "macho.h"

// The first four bytes, most significant one first. The headers of fat files are in that
// order on every machine; those of slices are in the order of their processor.
#define FAT_MAGIC 0xcafebabeu
#define FAT_MAGIC_64 0xcafebabfu
#define MAGIC_32_BIG 0xfeedfaceu
#define MAGIC_64_BIG 0xfeedfacfu
#define MAGIC_32_LITTLE 0xcefaedfeu
#define MAGIC_64_LITTLE 0xcffaedfeu

enum { FAT_HEADER_SIZE = 8, FAT_ARCH_SIZE = 20, FAT_ARCH_64_SIZE = 32 };
enum { HEADER_32_SIZE = 28, HEADER_64_SIZE = 32, COMMAND_SIZE = 8 };
enum { SUBTYPE_MASK = 0x00ffffff };

static size_t find_fat_slices(struct binary *binary, bool is_64, uint32_t count,
                              struct macho_slice slices[MACHO_MAX_SLICES])
{
    const size_t arch_size = is_64 ? FAT_ARCH_64_SIZE : FAT_ARCH_SIZE;
    if (count > MACHO_MAX_SLICES) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        const unsigned char *arch =
            binary_at(binary, FAT_HEADER_SIZE + i * arch_size, arch_size);
        if (arch == NULL) {
            return 0;
        }
        const size_t width = is_64 ? 8 : 4;
        slices[i].offset = integer_at(arch + 8, width, true);
        slices[i].size = integer_at(arch + 8 + width, width, true);
        if (!range_is_within(slices[i].offset, slices[i].size, binary_size(binary))) {
            return 0;
        }
    }
    return count;
}

size_t macho_find_slices(struct binary *binary,
                         struct macho_slice slices[MACHO_MAX_SLICES])
{
    const unsigned char *header = binary_at(binary, 0, FAT_HEADER_SIZE);
    if (header == NULL) {
        return 0;
    }
    const uint32_t magic = (uint32_t)integer_at(header, 4, true);
    if (magic == FAT_MAGIC || magic == FAT_MAGIC_64) {
        const uint32_t count = (uint32_t)integer_at(header + 4, 4, true);
        return find_fat_slices(binary, magic == FAT_MAGIC_64, count, slices);
    }
    slices[0] = (struct macho_slice){.offset = 0, .size = binary_size(binary)};
    struct macho macho;
    return macho_init(&macho, binary, slices[0]) ? 1 : 0;
}

const unsigned char *macho_at(const struct macho *macho, uint64_t offset, size_t size)
{
    if (!range_is_within(offset, size, macho->slice.size)) {
        return NULL;
    }
    return binary_at(macho->binary, macho->slice.offset + offset, size);
}

uint32_t macho_u32(const struct macho *macho, const unsigned char *at)
{
    return (uint32_t)integer_at(at, 4, macho->big_endian);
}

bool macho_init(struct macho *macho, struct binary *binary, struct macho_slice slice)
{
    *macho = (struct macho){.binary = binary, .slice = slice};
    const unsigned char *header = macho_at(macho, 0, HEADER_32_SIZE);
    if (header == NULL) {
        return false;
    }
    const uint32_t magic = (uint32_t)integer_at(header, 4, true);
    macho->is_64 = magic == MAGIC_64_BIG || magic == MAGIC_64_LITTLE;
    macho->big_endian = magic == MAGIC_64_BIG || magic == MAGIC_32_BIG;
    if (!macho->is_64 && magic != MAGIC_32_BIG && magic != MAGIC_32_LITTLE) {
        return false;
    }
    macho->cpu_type = macho_u32(macho, header + 4);
    macho->cpu_subtype = macho_u32(macho, header + 8) & SUBTYPE_MASK;
    macho->file_type = macho_u32(macho, header + 12);
    macho->command_count = macho_u32(macho, header + 16);
    macho->commands_size = macho_u32(macho, header + 20);
    return true;
}

bool macho_next_command(const struct macho *macho, struct macho_command *command)
{
    const uint64_t start = macho->is_64 ? HEADER_64_SIZE : HEADER_32_SIZE;
    const uint64_t end = start + macho->commands_size;
    const uint64_t at = command->offset == 0 ? start : command->offset + command->size;
    if (command->number == macho->command_count ||
        !range_is_within(at, COMMAND_SIZE, end)) {
        return false;
    }
    const unsigned char *head = macho_at(macho, at, COMMAND_SIZE);
    if (head == NULL) {
        return false;
    }
    command->type = macho_u32(macho, head);
    command->size = macho_u32(macho, head + 4);
    command->offset = at;
    command->number++;
    return command->size >= COMMAND_SIZE && range_is_within(at, command->size, end);
}

const unsigned char *macho_next_of_type(const struct macho *macho, uint32_t type,
                                        size_t size, struct macho_command *command)
{
    while (macho_next_command(macho, command)) {
        if (command->type == type && command->size >= size) {
            return macho_at(macho, command->offset, size);
        }
    }
    return NULL;
}
