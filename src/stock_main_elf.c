// SPDX-License-Identifier: MIT
// Where main() is: what _start passes to glibc's __libc_start_main, else the symbol of
// that name (then _start must be what the program starts with). Which function it calls:
//
//   Halide in a shared library   through a pointer, mostly by way of the PLT, which the
//                                dynamic linker is told to fill in with the symbol
//   Halide in the program        directly; the symbol table tells what is there
//
// In the second case nothing of Halide may come from a shared library: that function is
// the user's own then, and has only Halide's name.

#include "elf_link.h"
#include "stock_code.h"
#include "stock_main_formats.h"

#include <string.h>

// System V psABI for x86-64, "Relocation Types"; ELF for the Arm 64-bit Architecture,
// "Dynamic relocations".
static const struct machine {
    uint16_t number;
    const struct code_patterns *patterns;
    uint32_t jump_slot;
    uint32_t glob_dat;
    uint32_t relative;
} machines[] = {
    {ELF_MACHINE_X86_64, &code_x86_64, 7, 6, 8},
    {ELF_MACHINE_AARCH64, &code_arm64, 1026, 1025, 1027},
};

enum { START_SIZE = 64 }; // of _start, at most

struct program {
    const struct elf *elf;
    const struct machine *machine;
    struct elf_dynamic dynamic; // nothing in it for a static program
};

static bool match_code(const struct program *program, uint64_t address,
                       const char *const *patterns, struct code_match *match)
{
    uint64_t offset = 0;
    uint64_t available = 0;
    if (!elf_find_address(program->elf, address, &offset, &available)) {
        return false;
    }
    const size_t size = available < CODE_ENOUGH ? (size_t)available : CODE_ENOUGH;
    const unsigned char *bytes = binary_at(program->elf->binary, offset, size);
    const struct code code = {.address = address, .bytes = bytes, .size = size};
    return bytes != NULL &&
           code_match_any(program->machine->patterns, patterns, &code, match);
}

static bool pointer_is_to_import(const struct program *program, uint64_t pointer,
                                 const char *name)
{
    struct elf_relocation relocation;
    return elf_find_relocation(program->elf, &program->dynamic, pointer, &relocation) &&
           (relocation.type == program->machine->jump_slot ||
            relocation.type == program->machine->glob_dat) &&
           relocation.addend == 0 &&
           elf_is_import(program->elf, &program->dynamic, relocation.symbol, name);
}

static bool place_is_import(const struct program *program, struct code_place place,
                            const char *name)
{
    if (!place.is_pointer) {
        struct code_match stub;
        if (!match_code(program, place.address, program->machine->patterns->stubs,
                        &stub) ||
            !stub.callee.is_pointer) {
            return false;
        }
        place = stub.callee;
    }
    return pointer_is_to_import(program, place.address, name);
}

// ---- Where main() is ----------------------------------------------------------------

// The pointer to main is one that the linker made for crt1.o.
static bool find_argument(const struct program *program, struct code_place place,
                          uint64_t *address)
{
    struct elf_relocation relocation;
    *address = place.address;
    if (!place.is_pointer) {
        return true;
    }
    if (!elf_find_relocation(program->elf, &program->dynamic, place.address,
                             &relocation) ||
        relocation.type != program->machine->relative) {
        return false;
    }
    *address = relocation.addend;
    return true;
}

static bool find_main_by_start(const struct program *program, uint64_t *address)
{
    const struct code_patterns *patterns = program->machine->patterns;
    const uint64_t entry = program->elf->entry;
    struct code_match start;
    return match_code(program, entry, patterns->starts, &start) &&
           place_is_import(program, start.callee, "__libc_start_main") &&
           find_argument(program, start.argument, address);
}

// _start may pass __wrap_main, which jumps to main and stands right behind _start.
static bool skip_wrapper(const struct program *program, uint64_t *address)
{
    const uint64_t entry = program->elf->entry;
    struct code_match wrapper;
    if (*address < entry || *address - entry >= START_SIZE ||
        !match_code(program, *address, program->machine->patterns->wrappers, &wrapper) ||
        wrapper.callee.is_pointer) {
        return false;
    }
    *address = wrapper.callee.address;
    return true;
}

struct main_search {
    uint64_t entry;
    bool starts_at_start;
    unsigned found;
    uint64_t address;
};

// Some linkers make all symbols of a static program local. A second main is that of a
// file that keeps it for itself: then the name does not tell which one is called.
static bool note_main(void *context, const struct elf_symbol *symbol)
{
    struct main_search *search = context;
    if (symbol->section == ELF_SYMBOL_UNDEFINED) {
        return true;
    }
    if (strcmp(symbol->name, "_start") == 0 && symbol->value == search->entry) {
        search->starts_at_start = true;
    } else if (strcmp(symbol->name, "main") == 0 && symbol->type == ELF_SYMBOL_FUNCTION) {
        search->found++;
        search->address = symbol->value;
    }
    return true;
}

static bool find_main_by_symbol(const struct program *program, uint64_t *address)
{
    struct main_search search = {.entry = program->elf->entry};
    if (!elf_visit_symbols(program->elf, note_main, &search)) {
        return false;
    }
    *address = search.address;
    return search.found == 1 && search.starts_at_start;
}

// ---- What it calls ------------------------------------------------------------------

struct function_search {
    uint64_t address;
    bool found;
    bool imports_halide;
};

static bool note_function(void *context, const struct elf_symbol *symbol)
{
    struct function_search *search = context;
    if (symbol->section == ELF_SYMBOL_UNDEFINED) {
        search->imports_halide =
            search->imports_halide || stock_main_is_halide_name(symbol->name);
    } else if (symbol->value == search->address && symbol->type == ELF_SYMBOL_FUNCTION &&
               strcmp(symbol->name, STOCK_MAIN_CALLEE) == 0) {
        search->found = true;
    }
    return !search->imports_halide;
}

static bool is_own_halide(const struct program *program, struct code_place callee)
{
    // Not through a pointer: that would be a variable, which anybody may change.
    struct function_search search = {.address = callee.address};
    return !callee.is_pointer &&
           elf_visit_symbols(program->elf, note_function, &search) && search.found &&
           !search.imports_halide;
}

static bool calls_halide_only(const struct program *program, uint64_t address)
{
    struct code_match found;
    return match_code(program, address, program->machine->patterns->mains, &found) &&
           (place_is_import(program, found.callee, STOCK_MAIN_CALLEE) ||
            is_own_halide(program, found.callee));
}

static bool is_stock(const struct program *program)
{
    uint64_t address = 0;
    if (find_main_by_start(program, &address)) {
        return calls_halide_only(program, address) ||
               (skip_wrapper(program, &address) && calls_halide_only(program, address));
    }
    return find_main_by_symbol(program, &address) && calls_halide_only(program, address);
}

bool stock_main_in_elf(struct binary *binary)
{
    struct elf elf;
    if (!elf_init(&elf, binary)) {
        return false;
    }
    bool stock = false;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        if (elf.is_64 && !elf.big_endian && elf.machine == machines[i].number) {
            struct program program = {.elf = &elf, .machine = &machines[i]};
            if (!elf_dynamic_read(&elf, &program.dynamic)) {
                program.dynamic = (struct elf_dynamic){0};
            }
            stock = is_stock(&program);
        }
    }
    elf_release(&elf);
    return stock;
}
