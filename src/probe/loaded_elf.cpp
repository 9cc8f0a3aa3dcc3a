// SPDX-License-Identifier: MIT
//
// System V gABI, "Program Header", "Dynamic Section" and "Relocation".

#ifndef __APPLE__

#include "loaded.h"

#include <elf.h>
#include <link.h>

namespace halidecache {

namespace {

// glibc replaces the offsets of the dynamic section by addresses, musl does not.
const char *address_of(const Binary &binary, ElfW(Addr) value)
{
    const auto base = reinterpret_cast<ElfW(Addr)>(binary.base);
    return reinterpret_cast<const char *>(value < base ? value + base : value);
}

// All that is of interest in a dynamic section.
struct Dynamic {
    const char *strings = nullptr;
    const ElfW(Sym) *symbols = nullptr;
    struct Relocations {
        const char *start = nullptr;
        size_t bytes = 0;
        size_t entry = 0;
        size_t without_symbol = 0; // of the first ones
    };
    Relocations with_addend, without_addend, of_calls;
};

Dynamic read_dynamic_section(const Binary &binary)
{
    Dynamic dynamic;
    dynamic.with_addend.entry = sizeof(ElfW(Rela));
    dynamic.without_addend.entry = sizeof(ElfW(Rel));
    for (const auto *entry = static_cast<const ElfW(Dyn) *>(binary.tables);
         entry != nullptr && entry->d_tag != DT_NULL; entry++) {
        const size_t value = entry->d_un.d_val;
        switch (entry->d_tag) {
        case DT_STRTAB:
            dynamic.strings = address_of(binary, value);
            break;
        case DT_SYMTAB:
            dynamic.symbols =
                reinterpret_cast<const ElfW(Sym) *>(address_of(binary, value));
            break;
        case DT_RELA:
            dynamic.with_addend.start = address_of(binary, value);
            break;
        case DT_RELASZ:
            dynamic.with_addend.bytes = value;
            break;
        case DT_RELACOUNT:
            dynamic.with_addend.without_symbol = value;
            break;
        case DT_REL:
            dynamic.without_addend.start = address_of(binary, value);
            break;
        case DT_RELSZ:
            dynamic.without_addend.bytes = value;
            break;
        case DT_RELCOUNT:
            dynamic.without_addend.without_symbol = value;
            break;
        case DT_JMPREL:
            dynamic.of_calls.start = address_of(binary, value);
            break;
        case DT_PLTRELSZ:
            dynamic.of_calls.bytes = value;
            break;
        case DT_PLTREL:
            dynamic.of_calls.entry =
                value == DT_RELA ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
            break;
        default:
            break;
        }
    }
    return dynamic;
}

void read_names(Binary *binary)
{
    const char *strings = read_dynamic_section(*binary).strings;
    for (const auto *entry = static_cast<const ElfW(Dyn) *>(binary->tables);
         strings != nullptr && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_NEEDED) {
            binary->needs.emplace_back(strings + entry->d_un.d_val);
        } else if (entry->d_tag == DT_SONAME) {
            binary->name = strings + entry->d_un.d_val;
        }
    }
}

int add_binary(struct dl_phdr_info *info, size_t, void *list)
{
    auto *binaries = static_cast<std::vector<Binary> *>(list);
    Binary binary;
    // The program comes first; glibc gives it no name, musl does.
    const bool is_program = binaries->empty();
    binary.path = is_program || info->dlpi_name == nullptr ? "" : info->dlpi_name;
    binary.name = binary.path.substr(binary.path.rfind('/') + 1);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) &header = info->dlpi_phdr[i];
        const char *address =
            reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr);
        if (header.p_type == PT_DYNAMIC) {
            binary.tables = address;
        } else if (header.p_type == PT_LOAD) {
            binary.base = header.p_offset == 0 ? address : binary.base;
            binary.segments.push_back({address, address + header.p_memsz});
            if (header.p_memsz > header.p_filesz) {
                binary.zeroed = {address + header.p_filesz, address + header.p_memsz};
            }
        }
    }
    read_names(&binary);
    // The kernel's own object has no file; musl gives it no name.
    if (is_program ||
        (!binary.path.empty() && binary.path.compare(0, 10, "linux-vdso") != 0 &&
         binary.path.compare(0, 10, "linux-gate") != 0)) {
        binaries->push_back(binary);
    }
    return 0;
}

// The symbol tables say what is not defined, but not all of them say how long they are.
void mark_symbols(const Dynamic::Relocations &relocations, std::vector<bool> *used)
{
    if (relocations.start == nullptr || relocations.entry == 0) {
        return;
    }
    for (size_t at = relocations.without_symbol * relocations.entry;
         at + relocations.entry <= relocations.bytes; at += relocations.entry) {
        // r_info comes second with and without an addend.
        const auto *entry = reinterpret_cast<const ElfW(Rel) *>(relocations.start + at);
#if __ELF_NATIVE_CLASS == 64
        const size_t number = ELF64_R_SYM(entry->r_info);
#else
        const size_t number = ELF32_R_SYM(entry->r_info);
#endif
        if (number >= used->size()) {
            used->resize(number + 1);
        }
        (*used)[number] = true;
    }
}

} // namespace

std::vector<Binary> loaded_binaries()
{
    std::vector<Binary> binaries;
    dl_iterate_phdr(add_binary, &binaries);
    return binaries;
}

std::vector<const char *> symbols_from_others(const Binary &binary)
{
    const Dynamic dynamic = read_dynamic_section(binary);
    std::vector<const char *> names;
    if (dynamic.strings != nullptr && dynamic.symbols != nullptr) {
        std::vector<bool> used;
        mark_symbols(dynamic.with_addend, &used);
        mark_symbols(dynamic.without_addend, &used);
        mark_symbols(dynamic.of_calls, &used);
        // Number 0 is none (STN_UNDEF).
        for (size_t number = 1; number < used.size(); number++) {
            const ElfW(Sym) &symbol = dynamic.symbols[number];
            if (used[number] && symbol.st_shndx == SHN_UNDEF) {
                names.push_back(dynamic.strings + symbol.st_name);
            }
        }
    }
    return names;
}

bool first_binary_provides()
{
    return true;
}

} // namespace halidecache

#endif
