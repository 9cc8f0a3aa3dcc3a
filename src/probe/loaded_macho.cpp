// SPDX-License-Identifier: MIT
//
// <mach-o/loader.h>, <mach-o/nlist.h> and dyld(3).

#ifdef __APPLE__

#include "loaded.h"

#include <cstdint>
#include <cstring>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <mach-o/nlist.h>

namespace halidecache {

namespace {

// Calls `use` with each load command.
template <typename Use>
void for_each_command(const mach_header_64 *header, Use use)
{
    const char *at = reinterpret_cast<const char *>(header + 1);
    for (uint32_t i = 0; i < header->ncmds; i++) {
        const auto *command = reinterpret_cast<const load_command *>(at);
        use(command);
        at += command->cmdsize;
    }
}

// What has to be added to the addresses in the file.
intptr_t slide_of(const mach_header_64 *header)
{
    intptr_t slide = 0;
    for_each_command(header, [&](const load_command *command) {
        const auto *segment = reinterpret_cast<const segment_command_64 *>(command);
        if (command->cmd == LC_SEGMENT_64 && segment->fileoff == 0 &&
            segment->filesize > 0) {
            slide = reinterpret_cast<intptr_t>(header) -
                    static_cast<intptr_t>(segment->vmaddr);
        }
    });
    return slide;
}

void read_commands(const mach_header_64 *header, Binary *binary)
{
    const intptr_t slide = slide_of(header);
    for_each_command(header, [&](const load_command *command) {
        switch (command->cmd) {
        case LC_SEGMENT_64: {
            const auto *segment = reinterpret_cast<const segment_command_64 *>(command);
            const auto *start = reinterpret_cast<const char *>(
                static_cast<intptr_t>(segment->vmaddr) + slide);
            if (segment->initprot != VM_PROT_NONE) {
                binary->segments.push_back({start, start + segment->vmsize});
                if ((segment->initprot & VM_PROT_WRITE) != 0 &&
                    segment->vmsize > segment->filesize) {
                    binary->zeroed = {start + segment->filesize, start + segment->vmsize};
                }
            }
            break;
        }
        case LC_LOAD_DYLIB:
        case LC_LOAD_WEAK_DYLIB:
        case LC_REEXPORT_DYLIB: {
            const auto *library = reinterpret_cast<const dylib_command *>(command);
            binary->needs.emplace_back(reinterpret_cast<const char *>(command) +
                                       library->dylib.name.offset);
            break;
        }
        case LC_ID_DYLIB: {
            const auto *library = reinterpret_cast<const dylib_command *>(command);
            binary->name =
                reinterpret_cast<const char *>(command) + library->dylib.name.offset;
            break;
        }
        default:
            break;
        }
    });
}

} // namespace

std::vector<Binary> loaded_binaries()
{
    std::vector<Binary> binaries;
    for (uint32_t i = 0; i < _dyld_image_count(); i++) {
        const auto *header =
            reinterpret_cast<const mach_header_64 *>(_dyld_get_image_header(i));
        if (header != nullptr && header->magic == MH_MAGIC_64) {
            Binary binary;
            binary.path = i == 0 ? "" : _dyld_get_image_name(i);
            binary.name = binary.path;
            binary.base = header;
            binary.tables = header;
            read_commands(header, &binary);
            binaries.push_back(binary);
        }
    }
    return binaries;
}

std::vector<const char *> symbols_from_others(const Binary &binary)
{
    const auto *header = static_cast<const mach_header_64 *>(binary.tables);
    const symtab_command *table = nullptr;
    const segment_command_64 *links = nullptr;
    for_each_command(header, [&](const load_command *command) {
        const auto *segment = reinterpret_cast<const segment_command_64 *>(command);
        if (command->cmd == LC_SYMTAB) {
            table = reinterpret_cast<const symtab_command *>(command);
        } else if (command->cmd == LC_SEGMENT_64 &&
                   strcmp(segment->segname, SEG_LINKEDIT) == 0) {
            links = segment;
        }
    });
    std::vector<const char *> names;
    if (table != nullptr && links != nullptr) {
        // Offsets in the file, of which this segment is a part.
        const char *file = reinterpret_cast<const char *>(
            static_cast<intptr_t>(links->vmaddr) + slide_of(header) -
            static_cast<intptr_t>(links->fileoff));
        const auto *symbols = reinterpret_cast<const nlist_64 *>(file + table->symoff);
        for (uint32_t i = 0; i < table->nsyms; i++) {
            const bool is_used = (symbols[i].n_type & N_STAB) == 0 &&
                                 (symbols[i].n_type & N_TYPE) == N_UNDF;
            const char *name = file + table->stroff + symbols[i].n_un.n_strx;
            if (is_used) {
                names.push_back(*name == '_' ? name + 1 : name);
            }
        }
    }
    return names;
}

bool first_binary_provides()
{
    // The two-level namespace: each symbol comes from the library that it was linked
    // with.
    return false;
}

} // namespace halidecache

#endif
