// SPDX-License-Identifier: MIT
// The LC_UUID load command of Mach-O files (<mach-o/loader.h>, struct uuid_command).

#include "identity_formats.h"
#include "macho.h"

#include <stdlib.h>

enum { UUID_COMMAND_SIZE = 24, UUID_AT = 8, UUID_SIZE = 16 };

static const struct {
    uint32_t type;
    uint32_t subtype;
    const char *name;
} architectures[] = {
    {0x00000007, 3, "i386"},     {MACHO_CPU_X86_64, 3, "x86_64"},
    {0x0000000c, 9, "armv7"},    {MACHO_CPU_X86_64, 8, "x86_64h"},
    {0x00000012, 0, "ppc"},      {MACHO_CPU_ARM64, 0, "arm64"},
    {0x01000012, 0, "ppc64"},    {MACHO_CPU_ARM64, 2, "arm64e"},
    {0x0200000c, 1, "arm64_32"},
};

static void append_architecture(struct buffer *buffer, const struct macho *macho)
{
    for (size_t i = 0; i < sizeof architectures / sizeof architectures[0]; i++) {
        if (architectures[i].type == macho->cpu_type &&
            architectures[i].subtype == macho->cpu_subtype) {
            buffer_append_string(buffer, architectures[i].name);
            return;
        }
    }
    char *name = mem_printf("cpu-%x-%x", macho->cpu_type, macho->cpu_subtype);
    buffer_append_string(buffer, name);
    free(name);
}

static bool append_slice(struct buffer *buffer, struct binary *binary,
                         struct macho_slice slice)
{
    struct macho macho;
    if (!macho_init(&macho, binary, slice)) {
        return false;
    }
    struct macho_command command = {0};
    const unsigned char *at =
        macho_next_of_type(&macho, MACHO_UUID, UUID_COMMAND_SIZE, &command);
    if (at == NULL || !mark_is_unique(at + UUID_AT, UUID_SIZE)) {
        return false;
    }
    append_architecture(buffer, &macho);
    buffer_append_string(buffer, "=");
    append_uuid(buffer, at + UUID_AT);
    return true;
}

char *identity_of_macho(struct binary *binary)
{
    struct macho_slice slices[MACHO_MAX_SLICES];
    const size_t count = macho_find_slices(binary, slices);
    struct buffer text = {0};
    buffer_append_string(&text, "macho:");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            buffer_append_string(&text, ",");
        }
        if (!append_slice(&text, binary, slices[i])) {
            buffer_release(&text);
            return NULL;
        }
    }
    if (count == 0) {
        buffer_release(&text);
        return NULL;
    }
    buffer_append_u8(&text, 0);
    return (char *)text.data;
}
