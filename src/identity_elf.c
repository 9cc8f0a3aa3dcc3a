// SPDX-License-Identifier: MIT
// The build ID of ELF files: a note of type NT_GNU_BUILD_ID and name "GNU".
//
// System V gABI, "Note Section": a note is namesz, descsz and type, of four bytes each,
// then the name and the descriptor, each padded. The gABI wants 8-byte words and padding
// in 64-bit files; in practice words have four bytes, and the padding is to eight bytes
// only in segments and sections that are aligned so (.note.gnu.property).

#include "elf.h"
#include "identity_formats.h"

#include <string.h>

enum { NT_GNU_BUILD_ID = 3 };
enum { NOTE_HEADER_SIZE = 12 };
enum { MAX_BUILD_ID_SIZE = 64 };
enum { MAX_NOTES = 65536 }; // of all segments and sections together; a few is usual

struct search {
    const struct elf *elf;
    unsigned notes_left;
    char *identity;
};

static uint64_t padded(uint64_t size, uint64_t alignment)
{
    return (size + alignment - 1) & ~(alignment - 1);
}

static char *build_id_text(const struct elf *elf, uint64_t offset, uint64_t size)
{
    if (size > MAX_BUILD_ID_SIZE) {
        return NULL;
    }
    const unsigned char *id = binary_at(elf->binary, offset, (size_t)size);
    if (id == NULL || !mark_is_unique(id, (size_t)size)) {
        return NULL;
    }
    struct buffer text = {0};
    buffer_append_string(&text, "elf:");
    append_hex(&text, id, (size_t)size);
    buffer_append_u8(&text, 0);
    return (char *)text.data;
}

// Places in a range of notes.
struct note {
    uint64_t type;
    uint64_t name_at;
    uint64_t name_size;
    uint64_t content_at;
    uint64_t content_size;
    uint64_t end;
};

static bool read_note(const struct elf *elf, uint64_t start, uint64_t at,
                      uint64_t alignment, struct note *note)
{
    const unsigned char *header = binary_at(elf->binary, start + at, NOTE_HEADER_SIZE);
    if (header == NULL) {
        return false;
    }
    // Both sizes have 32 bits, and `at` is inside the file: no sum overflows.
    note->name_size = integer_at(header, 4, elf->big_endian);
    note->content_size = integer_at(header + 4, 4, elf->big_endian);
    note->type = integer_at(header + 8, 4, elf->big_endian);
    note->name_at = at + NOTE_HEADER_SIZE;
    note->content_at = padded(note->name_at + note->name_size, alignment);
    note->end = padded(note->content_at + note->content_size, alignment);
    return true;
}

static bool is_build_id(const struct elf *elf, uint64_t start, const struct note *note)
{
    if (note->type != NT_GNU_BUILD_ID || note->name_size != 4) {
        return false;
    }
    const unsigned char *name = binary_at(elf->binary, start + note->name_at, 4);
    return name != NULL && memcmp(name, "GNU", 4) == 0;
}

static void search_notes(struct search *search, uint64_t start, uint64_t size,
                         uint64_t alignment)
{
    const struct elf *elf = search->elf;
    struct note note = {0};
    alignment = alignment == 8 ? 8 : 4;
    if (!range_is_within(start, size, binary_size(elf->binary))) {
        return;
    }
    for (uint64_t at = 0; search->identity == NULL && search->notes_left > 0 &&
                          range_is_within(at, NOTE_HEADER_SIZE, size);
         at = note.end) {
        search->notes_left--;
        if (!read_note(elf, start, at, alignment, &note) ||
            note.content_at + note.content_size > size) {
            return;
        }
        if (is_build_id(elf, start, &note)) {
            search->identity =
                build_id_text(elf, start + note.content_at, note.content_size);
        }
    }
}

static void search_segments(struct search *search)
{
    const struct elf *elf = search->elf;
    for (size_t i = 0; i < elf->segment_count && search->identity == NULL; i++) {
        const struct elf_segment *segment = &elf->segments[i];
        if (segment->type == ELF_SEGMENT_NOTE) {
            search_notes(search, segment->offset, segment->file_size, segment->alignment);
        }
    }
}

static void search_sections(struct search *search)
{
    const uint64_t count = elf_count_sections(search->elf);
    struct elf_section section;
    for (uint64_t i = 0; i < count && search->identity == NULL; i++) {
        if (!elf_read_section(search->elf, i, &section)) {
            return;
        }
        if (section.type == ELF_SECTION_NOTE) {
            search_notes(search, section.offset, section.size, section.alignment);
        }
    }
}

char *identity_of_elf(struct binary *binary)
{
    struct elf elf;
    if (!elf_init(&elf, binary)) {
        return NULL;
    }
    struct search search = {.elf = &elf, .notes_left = MAX_NOTES};
    search_segments(&search);
    if (search.identity == NULL) {
        search_sections(&search);
    }
    elf_release(&elf);
    return search.identity;
}
