// SPDX-License-Identifier: MIT

#include "elf_link.h"

#include "buffer.h"

#include <string.h>

enum { DYNAMIC_SIZE = 16, RELA_SIZE = 24, SYMBOL_SIZE = 24 };

enum dynamic_tag {
    DT_NULL = 0,
    DT_PLTRELSZ = 2,
    DT_STRTAB = 5,
    DT_SYMTAB = 6,
    DT_RELA = 7,
    DT_RELASZ = 8,
    DT_RELAENT = 9,
    DT_STRSZ = 10,
    DT_SYMENT = 11,
    DT_PLTREL = 20,
    DT_JMPREL = 23,
};

static uint64_t u64_at(const unsigned char *at)
{
    return integer_at(at, 8, false);
}

// ---- The dynamic section ------------------------------------------------------------

struct dynamic_reading {
    struct elf_dynamic *dynamic;
    bool understood;
};

static bool note_dynamic(void *context, const unsigned char *entry)
{
    struct dynamic_reading *reading = context;
    struct elf_dynamic *dynamic = reading->dynamic;
    const uint64_t tag = u64_at(entry);
    const uint64_t value = u64_at(entry + 8);
    switch (tag) {
    case DT_STRTAB:
        dynamic->strings = value;
        break;
    case DT_STRSZ:
        dynamic->strings_size = value;
        break;
    case DT_SYMTAB:
        dynamic->symbols = value;
        break;
    case DT_JMPREL:
        dynamic->relocations[0] = value;
        break;
    case DT_PLTRELSZ:
        dynamic->relocations_size[0] = value;
        break;
    case DT_RELA:
        dynamic->relocations[1] = value;
        break;
    case DT_RELASZ:
        dynamic->relocations_size[1] = value;
        break;
    case DT_PLTREL:
        reading->understood = reading->understood && value == DT_RELA;
        break;
    case DT_RELAENT:
        reading->understood = reading->understood && value == RELA_SIZE;
        break;
    case DT_SYMENT:
        reading->understood = reading->understood && value == SYMBOL_SIZE;
        break;
    default:
        break;
    }
    return tag != DT_NULL;
}

bool elf_dynamic_read(const struct elf *elf, struct elf_dynamic *dynamic)
{
    *dynamic = (struct elf_dynamic){0};
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct elf_segment *segment = &elf->segments[i];
        if (segment->type == ELF_SEGMENT_DYNAMIC) {
            struct dynamic_reading reading = {.dynamic = dynamic, .understood = true};
            return binary_visit(elf->binary, segment->offset, segment->file_size,
                                DYNAMIC_SIZE, note_dynamic, &reading) &&
                   reading.understood && dynamic->symbols != 0 && dynamic->strings != 0;
        }
    }
    return false;
}

// ---- Relocations --------------------------------------------------------------------

struct relocation_search {
    uint64_t address;
    struct elf_relocation *relocation;
    bool found;
};

static bool compare_relocation(void *context, const unsigned char *entry)
{
    struct relocation_search *search = context;
    if (u64_at(entry) == search->address) {
        *search->relocation = (struct elf_relocation){
            .offset = search->address,
            .type = little_u32_at(entry + 8),
            .symbol = little_u32_at(entry + 12),
            .addend = u64_at(entry + 16),
        };
        search->found = true;
    }
    return !search->found;
}

bool elf_find_relocation(const struct elf *elf, const struct elf_dynamic *dynamic,
                         uint64_t address, struct elf_relocation *relocation)
{
    struct relocation_search search = {.address = address, .relocation = relocation};
    for (size_t i = 0; i < 2 && !search.found; i++) {
        uint64_t offset = 0;
        uint64_t available = 0;
        if (dynamic->relocations[i] != 0 &&
            elf_find_address(elf, dynamic->relocations[i], &offset, &available) &&
            dynamic->relocations_size[i] <= available) {
            (void)binary_visit(elf->binary, offset, dynamic->relocations_size[i],
                               RELA_SIZE, compare_relocation, &search);
        }
    }
    return search.found;
}

// ---- Symbols ------------------------------------------------------------------------

static struct elf_symbol parse_symbol(const unsigned char *entry)
{
    return (struct elf_symbol){
        .type = entry[4] & 15u,
        .section = (unsigned)integer_at(entry + 6, 2, false),
        .value = u64_at(entry + 8),
    };
}

bool elf_is_import(const struct elf *elf, const struct elf_dynamic *dynamic,
                   uint32_t index, const char *name)
{
    const uint64_t relative = (uint64_t)index * SYMBOL_SIZE;
    uint64_t offset = 0;
    uint64_t available = 0;
    if (index == 0 || dynamic->symbols > UINT64_MAX - relative ||
        !elf_find_address(elf, dynamic->symbols + relative, &offset, &available) ||
        available < SYMBOL_SIZE) {
        return false;
    }
    const unsigned char *entry = binary_at(elf->binary, offset, SYMBOL_SIZE);
    if (entry == NULL || parse_symbol(entry).section != ELF_SYMBOL_UNDEFINED) {
        return false;
    }
    const uint32_t name_at = little_u32_at(entry);
    const size_t size = strlen(name) + 1;
    if (!range_is_within(name_at, size, dynamic->strings_size) ||
        dynamic->strings > UINT64_MAX - name_at ||
        !elf_find_address(elf, dynamic->strings + name_at, &offset, &available) ||
        available < size) {
        return false;
    }
    const unsigned char *found = binary_at(elf->binary, offset, size);
    return found != NULL && memcmp(found, name, size) == 0;
}

struct symbol_visit {
    struct buffer strings; // ends with a NUL of ours
    bool (*visit)(void *context, const struct elf_symbol *symbol);
    void *context;
    bool damaged;
};

static bool visit_symbol(void *context, const unsigned char *entry)
{
    struct symbol_visit *visit = context;
    struct elf_symbol symbol = parse_symbol(entry);
    const uint32_t name_at = little_u32_at(entry);
    if (name_at >= visit->strings.size) {
        visit->damaged = true;
        return false;
    }
    symbol.name = (const char *)visit->strings.data + name_at;
    return visit->visit(visit->context, &symbol);
}

static bool find_section(const struct elf *elf, uint32_t type,
                         struct elf_section *section)
{
    const uint64_t count = elf_count_sections(elf);
    for (uint64_t i = 0; i < count && elf_read_section(elf, i, section); i++) {
        if (section->type == type) {
            return true;
        }
    }
    return false;
}

static bool read_strings(const struct elf *elf, uint64_t section, struct buffer *strings)
{
    struct elf_section table;
    return elf_read_section(elf, section, &table) && table.type == ELF_SECTION_STRTAB &&
           binary_read_strings(elf->binary, table.offset, table.size, strings);
}

bool elf_visit_symbols(const struct elf *elf,
                       bool (*visit)(void *context, const struct elf_symbol *symbol),
                       void *context)
{
    struct elf_section symbols;
    struct symbol_visit state = {.visit = visit, .context = context};
    const bool ok = find_section(elf, ELF_SECTION_SYMTAB, &symbols) &&
                    symbols.entry_size == SYMBOL_SIZE &&
                    read_strings(elf, symbols.link, &state.strings) &&
                    binary_visit(elf->binary, symbols.offset, symbols.size, SYMBOL_SIZE,
                                 visit_symbol, &state);
    buffer_release(&state.strings);
    return ok && !state.damaged;
}
