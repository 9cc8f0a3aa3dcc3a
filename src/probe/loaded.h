// SPDX-License-Identifier: MIT
// The program and the libraries of this process, as the loader has put them into memory:
// loaded_elf.cpp and loaded_macho.cpp.

#ifndef HALIDECACHE_PROBE_LOADED_H
#define HALIDECACHE_PROBE_LOADED_H

#include <string>
#include <vector>

namespace halidecache {

/** From `start` up to `end`; both null when there is none. */
struct MemoryRange {
    const char *start = nullptr;
    const char *end = nullptr;
};

struct Binary {
    std::string path; // empty: the program
    std::string name; // what others need it by
    std::vector<std::string> needs;
    const void *base = nullptr; // as dladdr() has it
    std::vector<MemoryRange> segments;
    MemoryRange zeroed;           // the end of a segment that is not in the file
    const void *tables = nullptr; // ELF: the dynamic section
};

/** In the order of the loader. */
std::vector<Binary> loaded_binaries();

/** The symbols that the binary takes from others, as its file has them but for the
 *  underscore of Mach-O, each once. The names live as long as the binary is loaded. */
std::vector<const char *> symbols_from_others(const Binary &binary);

/** Are symbols looked up in all binaries, in the order of the loader, and not only where
 *  they were found when linking? */
bool first_binary_provides();

} // namespace halidecache

#endif
