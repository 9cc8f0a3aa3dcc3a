// SPDX-License-Identifier: MIT
// LC_MAIN says where main() is. What it calls is in a section whose entries the dynamic
// linker fills in, stubs or pointers; for each of those the indirect symbol table has the
// number of a symbol (<mach-o/loader.h>, "Symbols"). A Halide in the program itself is
// called directly; see stock_main_elf.c. Of a fat file every slice must be stock.

#include "macho.h"
#include "stock_code.h"
#include "stock_main_formats.h"

#include <string.h>

enum { SEGMENT_SIZE = 72, SECTION_SIZE = 80, SYMBOL_SIZE = 16 };
enum { SYMTAB_COMMAND_SIZE = 24, DYSYMTAB_COMMAND_SIZE = 80, MAIN_COMMAND_SIZE = 24 };

// The low byte of a section's flags.
enum { SECTION_POINTERS = 6, SECTION_LAZY_POINTERS = 7, SECTION_STUBS = 8 };

// The parts of n_type, and what they say.
// (N_UNDF, in another file, is zero.)
enum { N_STAB = 0xe0, N_TYPE = 0x0e, N_EXT = 0x01, N_UNDF = 0x00, N_SECT = 0x0e };

static const char callee_name[] = "_" STOCK_MAIN_CALLEE;

struct program {
    const struct macho *macho;
    const struct code_patterns *patterns;
    uint32_t symbols; // offsets and counts from LC_SYMTAB and LC_DYSYMTAB
    uint32_t symbol_count;
    uint32_t strings;
    uint32_t strings_size;
    uint32_t indirect_symbols;
    uint32_t indirect_symbol_count;
};

static uint64_t u64_at(const unsigned char *at)
{
    return integer_at(at, 8, false);
}

static bool read_symbol_commands(struct program *program)
{
    struct macho_command symtab = {0};
    struct macho_command dysymtab = {0};
    const unsigned char *at =
        macho_next_of_type(program->macho, MACHO_SYMTAB, SYMTAB_COMMAND_SIZE, &symtab);
    if (at == NULL) {
        return false;
    }
    program->symbols = little_u32_at(at + 8);
    program->symbol_count = little_u32_at(at + 12);
    program->strings = little_u32_at(at + 16);
    program->strings_size = little_u32_at(at + 20);
    at = macho_next_of_type(program->macho, MACHO_DYSYMTAB, DYSYMTAB_COMMAND_SIZE,
                            &dysymtab);
    if (at != NULL) {
        program->indirect_symbols = little_u32_at(at + 56);
        program->indirect_symbol_count = little_u32_at(at + 60);
    }
    return true;
}

// ---- Where main() is ----------------------------------------------------------------

static bool find_main(const struct program *program, uint64_t *offset, uint64_t *address)
{
    struct macho_command command = {0};
    const unsigned char *at =
        macho_next_of_type(program->macho, MACHO_MAIN, MAIN_COMMAND_SIZE, &command);
    if (at == NULL) {
        return false;
    }
    *offset = u64_at(at + 8);
    command = (struct macho_command){0};
    while ((at = macho_next_of_type(program->macho, MACHO_SEGMENT_64, SEGMENT_SIZE,
                                    &command)) != NULL) {
        const uint64_t segment_offset = u64_at(at + 40);
        if (*offset >= segment_offset && *offset - segment_offset < u64_at(at + 48)) {
            *address = u64_at(at + 24) + (*offset - segment_offset);
            return true;
        }
    }
    return false;
}

static bool match_main(const struct program *program, struct code_place *callee)
{
    const uint64_t limit = program->macho->slice.size;
    uint64_t offset = 0;
    uint64_t address = 0;
    if (!find_main(program, &offset, &address) || offset >= limit) {
        return false;
    }
    const size_t size =
        limit - offset < CODE_ENOUGH ? (size_t)(limit - offset) : CODE_ENOUGH;
    const unsigned char *bytes = macho_at(program->macho, offset, size);
    const struct code code = {.address = address, .bytes = bytes, .size = size};
    struct code_match match;
    if (bytes == NULL ||
        !code_match_any(program->patterns, program->patterns->mains, &code, &match)) {
        return false;
    }
    *callee = match.callee;
    return true;
}

// ---- What it calls ------------------------------------------------------------------

// The number of the place in the indirect symbol table, if it is an entry of the section.
static bool find_entry(const unsigned char *section, struct code_place place,
                       uint64_t *number)
{
    const uint64_t start = u64_at(section + 32);
    const uint64_t size = u64_at(section + 40);
    const unsigned type = little_u32_at(section + 64) & 0xff;
    const bool is_pointers = type == SECTION_POINTERS || type == SECTION_LAZY_POINTERS;
    const uint64_t entry_size = is_pointers ? 8 : little_u32_at(section + 72);
    if (is_pointers != place.is_pointer || (!is_pointers && type != SECTION_STUBS) ||
        place.address < start || place.address - start >= size || entry_size == 0 ||
        (place.address - start) % entry_size != 0) {
        return false;
    }
    *number = little_u32_at(section + 68) + (place.address - start) / entry_size;
    return true;
}

static bool find_indirect_symbol(const struct program *program, struct code_place place,
                                 uint64_t *number)
{
    struct macho_command command = {0};
    const unsigned char *at = NULL;
    while ((at = macho_next_of_type(program->macho, MACHO_SEGMENT_64, SEGMENT_SIZE,
                                    &command)) != NULL) {
        const uint32_t declared = little_u32_at(at + 64);
        const uint32_t possible = (command.size - SEGMENT_SIZE) / SECTION_SIZE;
        for (uint32_t i = 0; i < declared && i < possible; i++) {
            const unsigned char *section = macho_at(
                program->macho,
                command.offset + SEGMENT_SIZE + (uint64_t)i * SECTION_SIZE, SECTION_SIZE);
            if (section == NULL) {
                return false;
            }
            if (find_entry(section, place, number)) {
                return *number < program->indirect_symbol_count;
            }
        }
    }
    return false;
}

static bool is_imported_callee(const struct program *program, struct code_place place)
{
    const struct macho *macho = program->macho;
    uint64_t number = 0;
    if (!find_indirect_symbol(program, place, &number)) {
        return false;
    }
    const unsigned char *at = macho_at(macho, program->indirect_symbols + number * 4, 4);
    // A number that is too large may stand for "no symbol".
    if (at == NULL || little_u32_at(at) >= program->symbol_count) {
        return false;
    }
    at = macho_at(macho, program->symbols + (uint64_t)little_u32_at(at) * SYMBOL_SIZE,
                  SYMBOL_SIZE);
    if (at == NULL || (at[4] & (N_STAB | N_TYPE | N_EXT)) != N_EXT) {
        return false;
    }
    const uint32_t name_at = little_u32_at(at);
    if (!range_is_within(name_at, sizeof callee_name, program->strings_size)) {
        return false;
    }
    at = macho_at(macho, (uint64_t)program->strings + name_at, sizeof callee_name);
    return at != NULL && memcmp(at, callee_name, sizeof callee_name) == 0;
}

struct function_search {
    struct buffer strings;
    uint64_t address;
    bool found;
    bool imports_halide;
};

static bool note_function(void *context, const unsigned char *entry)
{
    struct function_search *search = context;
    const uint32_t name_at = little_u32_at(entry);
    if ((entry[4] & N_STAB) != 0 || name_at >= search->strings.size) {
        return true; // one for debuggers
    }
    const char *name = (const char *)search->strings.data + name_at;
    const unsigned type = entry[4] & (unsigned)N_TYPE;
    if (type == N_UNDF && name[0] == '_') {
        search->imports_halide =
            search->imports_halide || stock_main_is_halide_name(name + 1);
    } else if (type == N_SECT && u64_at(entry + 8) == search->address &&
               strcmp(name, callee_name) == 0) {
        search->found = true;
    }
    return !search->imports_halide;
}

static bool is_own_callee(const struct program *program, struct code_place place)
{
    const struct macho *macho = program->macho;
    struct function_search search = {.address = place.address};
    const uint64_t size = (uint64_t)program->symbol_count * SYMBOL_SIZE;
    const bool ok =
        !place.is_pointer &&
        range_is_within(program->strings, program->strings_size, macho->slice.size) &&
        range_is_within(program->symbols, size, macho->slice.size) &&
        binary_read_strings(macho->binary, macho->slice.offset + program->strings,
                            program->strings_size, &search.strings) &&
        binary_visit(macho->binary, macho->slice.offset + program->symbols, size,
                     SYMBOL_SIZE, note_function, &search);
    buffer_release(&search.strings);
    return ok && search.found && !search.imports_halide;
}

static bool slice_is_stock(struct binary *binary, struct macho_slice slice)
{
    struct macho macho;
    if (!macho_init(&macho, binary, slice) || !macho.is_64 || macho.big_endian ||
        macho.file_type != MACHO_EXECUTE) {
        return false;
    }
    struct program program = {.macho = &macho};
    if (macho.cpu_type == MACHO_CPU_X86_64) {
        program.patterns = &code_x86_64;
    } else if (macho.cpu_type == MACHO_CPU_ARM64) {
        program.patterns = &code_arm64;
    } else {
        return false;
    }
    struct code_place callee;
    return read_symbol_commands(&program) && match_main(&program, &callee) &&
           (is_imported_callee(&program, callee) || is_own_callee(&program, callee));
}

bool stock_main_in_macho(struct binary *binary)
{
    struct macho_slice slices[MACHO_MAX_SLICES];
    const size_t count = macho_find_slices(binary, slices);
    for (size_t i = 0; i < count; i++) {
        if (!slice_is_stock(binary, slices[i])) {
            return false;
        }
    }
    return count > 0;
}
