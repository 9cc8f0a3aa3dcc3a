// SPDX-License-Identifier: MIT
// What a linker wrote down in a 64-bit little-endian ELF program: the dynamic relocations
// and the symbol table. System V gABI, "Dynamic Section", "Relocation", "Symbol Table".

#ifndef HALIDECACHE_ELF_LINK_H
#define HALIDECACHE_ELF_LINK_H

#include "elf.h"

#include <stdbool.h>
#include <stdint.h>

/** Where the tables are that the dynamic linker reads; addresses. */
struct elf_dynamic {
    uint64_t symbols;
    uint64_t strings;
    uint64_t strings_size;
    uint64_t relocations[2]; // DT_JMPREL and DT_RELA, 0: none
    uint64_t relocations_size[2];
};

/** Reads the dynamic section; false when there is none or it is not to be understood. */
bool elf_dynamic_read(const struct elf *elf, struct elf_dynamic *dynamic);

struct elf_relocation {
    uint64_t offset; // the address that is relocated
    uint32_t type;
    uint32_t symbol;
    uint64_t addend;
};

/** Finds the relocation of the pointer at `address`. */
bool elf_find_relocation(const struct elf *elf, const struct elf_dynamic *dynamic,
                         uint64_t address, struct elf_relocation *relocation);

enum { ELF_SYMBOL_FUNCTION = 2, ELF_SYMBOL_UNDEFINED = 0 };

struct elf_symbol {
    const char *name;
    unsigned type;    // STT_*
    unsigned section; // SHN_UNDEF: it is in another object
    uint64_t value;
};

/** Is the dynamic symbol `index` one of another object that has this name? */
bool elf_is_import(const struct elf *elf, const struct elf_dynamic *dynamic,
                   uint32_t index, const char *name);

/** Calls `visit` with every symbol of .symtab until it returns false. False when the file
 *  has none, or it is damaged. */
bool elf_visit_symbols(const struct elf *elf,
                       bool (*visit)(void *context, const struct elf_symbol *symbol),
                       void *context);

#endif
