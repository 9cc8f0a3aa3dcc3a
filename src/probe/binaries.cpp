// SPDX-License-Identifier: MIT

#include "binaries.h"

#include "../tracer/trace.h"
#include "fingerprint.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <vector>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#else
#include <elf.h>
#include <link.h>
#endif

namespace halidecache {

namespace {

struct Binary {
    std::string path; // empty: the program
    std::string name; // what others need it by
    std::vector<std::string> needs;
    const void *base = nullptr;
    MemoryRange zeroed; // the end of a segment that is not in the file
#ifndef __APPLE__
    const ElfW(Dyn) *dynamic = nullptr;
    ElfW(Addr) address = 0;
    std::vector<MemoryRange> segments;
#endif
};

#ifdef __APPLE__

std::vector<Binary> loaded_binaries()
{
    std::vector<Binary> binaries;
    for (uint32_t i = 0; i < _dyld_image_count(); i++) {
        Binary binary;
        binary.path = i == 0 ? "" : _dyld_get_image_name(i);
        binary.name = binary.path;
        binary.base = _dyld_get_image_header(i);
        binaries.push_back(binary);
    }
    return binaries;
}

#else

// The value of an entry that is an address; null when there is none. glibc replaces the
// offset by the address, musl does not.
const void *find_address(const ElfW(Dyn) * dynamic, ElfW(Addr) base, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == tag) {
            const ElfW(Addr) address = entry->d_un.d_ptr;
            return reinterpret_cast<const void *>(address < base ? address + base
                                                                 : address);
        }
    }
    return nullptr;
}

// The symbols that are not defined stand before those in the hash table, whose second
// word is the number of the first of those.
std::vector<const char *> symbols_from_others(const ElfW(Dyn) * dynamic, ElfW(Addr) base)
{
    const auto *strings =
        static_cast<const char *>(find_address(dynamic, base, DT_STRTAB));
    const auto *symbols =
        static_cast<const ElfW(Sym) *>(find_address(dynamic, base, DT_SYMTAB));
    const auto *hash =
        static_cast<const uint32_t *>(find_address(dynamic, base, DT_GNU_HASH));
    const uint32_t count =
        strings != nullptr && symbols != nullptr && hash != nullptr ? hash[1] : 0;
    std::vector<const char *> names;
    for (uint32_t i = 1; i < count; i++) {
        names.push_back(strings + symbols[i].st_name);
    }
    return names;
}

// DT_NEEDED and DT_SONAME, from the loaded image (System V gABI, "Dynamic Section").
void read_dynamic_section(const ElfW(Dyn) * dynamic, ElfW(Addr) base, Binary *binary)
{
    const auto *strings =
        static_cast<const char *>(find_address(dynamic, base, DT_STRTAB));
    for (const ElfW(Dyn) *entry = dynamic; strings != nullptr && entry->d_tag != DT_NULL;
         entry++) {
        if (entry->d_tag == DT_NEEDED) {
            binary->needs.push_back(strings + entry->d_un.d_val);
        } else if (entry->d_tag == DT_SONAME) {
            binary->name = strings + entry->d_un.d_val;
        }
    }
}

// Does a relocation in this table name the symbol? (System V gABI, "Relocation".)
bool names_symbol(const ElfW(Rela) * table, size_t bytes, const ElfW(Sym) * symbols,
                  const char *strings, const char *name)
{
    for (size_t i = 0; table != nullptr && i < bytes / sizeof *table; i++) {
#if __ELF_NATIVE_CLASS == 64
        const size_t symbol = ELF64_R_SYM(table[i].r_info);
#else
        const size_t symbol = ELF32_R_SYM(table[i].r_info);
#endif
        if (symbol != 0 && strcmp(strings + symbols[symbol].st_name, name) == 0) {
            return true;
        }
    }
    return false;
}

bool imports_symbol(const ElfW(Dyn) * dynamic, ElfW(Addr) base, const char *name)
{
    const ElfW(Rela) * tables[2] = {nullptr, nullptr};
    size_t sizes[2] = {0, 0};
    const ElfW(Sym) *symbols = nullptr;
    const char *strings = nullptr;
    for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
        const ElfW(Addr) value = entry->d_un.d_ptr;
        const ElfW(Addr) address = value < base ? value + base : value;
        switch (entry->d_tag) {
        case DT_STRTAB:
            strings = reinterpret_cast<const char *>(address);
            break;
        case DT_SYMTAB:
            symbols = reinterpret_cast<const ElfW(Sym) *>(address);
            break;
        case DT_JMPREL:
            tables[0] = reinterpret_cast<const ElfW(Rela) *>(address);
            break;
        case DT_PLTRELSZ:
            sizes[0] = entry->d_un.d_val;
            break;
        case DT_RELA:
            tables[1] = reinterpret_cast<const ElfW(Rela) *>(address);
            break;
        case DT_RELASZ:
            sizes[1] = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
    return strings != nullptr && symbols != nullptr &&
           (names_symbol(tables[0], sizes[0], symbols, strings, name) ||
            names_symbol(tables[1], sizes[1], symbols, strings, name));
}

int add_binary(struct dl_phdr_info *info, size_t, void *list)
{
    auto *binaries = static_cast<std::vector<Binary> *>(list);
    Binary binary;
    binary.path = info->dlpi_name != nullptr ? info->dlpi_name : "";
    const size_t slash = binary.path.rfind('/');
    binary.name =
        slash == std::string::npos ? binary.path : binary.path.substr(slash + 1);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) &header = info->dlpi_phdr[i];
        const char *address =
            reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr);
        if (header.p_type == PT_DYNAMIC) {
            const auto *dynamic = reinterpret_cast<const ElfW(Dyn) *>(address);
            read_dynamic_section(dynamic, info->dlpi_addr, &binary);
            binary.dynamic = dynamic;
            binary.address = info->dlpi_addr;
        } else if (header.p_type == PT_LOAD) {
            binary.base = header.p_offset == 0 ? address : binary.base;
            binary.segments.push_back({address, address + header.p_memsz});
            if (header.p_memsz > header.p_filesz) {
                binary.zeroed = {address + header.p_filesz, address + header.p_memsz};
            }
        }
    }
    // The kernel's own object has no file.
    if (binary.path.compare(0, 10, "linux-vdso") != 0 &&
        binary.path.compare(0, 10, "linux-gate") != 0) {
        binaries->push_back(binary);
    }
    return 0;
}

std::vector<Binary> loaded_binaries()
{
    std::vector<Binary> binaries;
    dl_iterate_phdr(add_binary, &binaries);
    return binaries;
}

#endif

const void *base_of(const void *address)
{
    Dl_info info = {};
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

class Closure {
public:
    explicit Closure(const std::vector<Binary> &binaries) : binaries_(binaries)
    {
        for (size_t i = 0; i < binaries.size(); i++) {
            by_name_.emplace(binaries[i].name, i);
        }
    }
    void add(size_t index)
    {
        if (members_.insert(index).second) {
            order_.push_back(index);
            for (const std::string &need : binaries_[index].needs) {
                const auto found = by_name_.find(need);
                if (found != by_name_.end()) {
                    add(found->second);
                }
            }
        }
    }
    bool has(size_t index) const
    {
        return members_.count(index) != 0;
    }
    const std::vector<size_t> &order() const
    {
        return order_;
    }

private:
    const std::vector<Binary> &binaries_;
    std::map<std::string, size_t> by_name_;
    std::set<size_t> members_;
    std::vector<size_t> order_;
};

#ifndef __APPLE__

bool has_address(const Binary &binary, const void *address)
{
    const auto *at = static_cast<const char *>(address);
    for (const auto &segment : binary.segments) {
        if (at >= segment.start && at < segment.end) {
            return true;
        }
    }
    return false;
}

// Symbols of the program and its libraries come before those of the C library, for
// libHalide too: a program with an exp() of its own makes lowering fold constants by
// that. Returns who provides what a binary takes from others. Allocators are what many
// programs replace, and change no result; C++ has many copies of its templates, and they
// are equal by its rules.
std::set<size_t> providers_of(const Binary &binary, const std::vector<Binary> &binaries)
{
    static const std::set<std::string> allocators = {
        "aligned_alloc", "calloc",         "free",    "malloc",  "malloc_usable_size",
        "memalign",      "posix_memalign", "pvalloc", "realloc", "valloc"};
    std::set<size_t> providers;
    for (const char *symbol : symbols_from_others(binary.dynamic, binary.address)) {
        const bool counts =
            strncmp(symbol, "_Z", 2) != 0 && allocators.count(symbol) == 0;
        const void *address = counts ? dlsym(RTLD_DEFAULT, symbol) : nullptr;
        for (size_t i = 0; address != nullptr && i < binaries.size(); i++) {
            if (has_address(binaries[i], address)) {
                providers.insert(i);
            }
        }
    }
    return providers;
}

// Only names are looked at: what somebody imports and never calls counts as well.
bool may_look_around(const Binary &binary)
{
    static const char *const names[] = {
        "access",    "arc4random",   "clock",    "clock_gettime", "dlopen",
        "dlsym",     "drand48",      "fopen",    "fopen64",       "freopen",
        "freopen64", "get_nprocs",   "getenv",   "gethostname",   "getpid",
        "getrandom", "gettimeofday", "lrand48",  "open",          "open64",
        "openat",    "openat64",     "opendir",  "popen",         "rand",
        "rand_r",    "random",       "readlink", "secure_getenv", "socket",
        "stat",      "stat64",       "syscall",  "sysconf",       "time",
        "uname"};
    static const char *const starts[] = {"_ZN6Halide8Internal11file_exists",
                                         "_ZN6Halide8Internal16get_env_variable",
                                         "_ZN6Halide8Internal16read_entire_file",
                                         "_ZN6Halide8Internal9file_stat",
                                         "_ZNKSt10filesystem",
                                         "_ZNSt10filesystem",
                                         "_ZNSt13basic_filebuf",
                                         "_ZNSt13basic_fstream",
                                         "_ZNSt13random_device",
                                         "_ZNSt14basic_ifstream",
                                         "_ZNSt6chrono",
                                         "_ZNSt6thread20hardware_concurrency",
                                         "_ZTTSt13basic_fstream",
                                         "_ZTTSt14basic_ifstream"};
    for (const char *symbol : symbols_from_others(binary.dynamic, binary.address)) {
        for (const char *name : names) {
            if (strcmp(symbol, name) == 0) {
                return true;
            }
        }
        for (const char *start : starts) {
            if (strncmp(symbol, start, strlen(start)) == 0) {
                return true;
            }
        }
    }
    return false;
}

#else

bool may_look_around(const Binary &)
{
    return true;
}

// macOS looks a symbol up in the library that it was linked from.
std::set<size_t> providers_of(const Binary &, const std::vector<Binary> &)
{
    return {};
}

#endif

} // namespace

std::set<std::string> loaded_files()
{
    std::set<std::string> files;
    for (const Binary &binary : loaded_binaries()) {
        files.insert(binary.path);
    }
    return files;
}

bool program_uses_this_halide()
{
    const void *entry =
        dlsym(RTLD_DEFAULT, "_ZN6Halide8Internal20generate_filter_mainEiPPc");
    return entry != nullptr && base_of(entry) == base_of(address_in_halide());
}

bool program_may_trace_pipelines()
{
#ifdef __APPLE__
    // dlsym finds nothing about who calls; what a Mach-O file imports is not looked at
    // yet.
    return true;
#else
    const std::vector<Binary> binaries = loaded_binaries();
    const void *halide = base_of(address_in_halide());
    std::string halide_name;
    for (const Binary &binary : binaries) {
        if (binary.base == halide) {
            halide_name = binary.name;
        }
    }
    for (const Binary &binary : binaries) {
        // Only who needs Halide can call it, and the tables of others are long.
        const bool needs_halide = std::find(binary.needs.begin(), binary.needs.end(),
                                            halide_name) != binary.needs.end();
        if (needs_halide && binary.dynamic != nullptr &&
            imports_symbol(binary.dynamic, binary.address,
                           "_ZN6Halide8Pipeline14trace_pipelineEv")) {
            return true;
        }
    }
    return false;
#endif
}

MemoryRange zeroed_memory_of_halide()
{
    const void *halide = base_of(address_in_halide());
    for (const Binary &binary : loaded_binaries()) {
        if (binary.base == halide) {
            return binary.zeroed;
        }
    }
    return {};
}

// The kernel shows where a mapped file is now: elsewhere, or nowhere, when another one
// has taken its place.
std::string find_replaced()
{
    std::string replaced;
#ifdef __linux__
    std::set<std::string> mapped;
    // Not by a stream: the tracer knows by its caller that the generator did not ask for
    // it.
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = nullptr;
    size_t capacity = 0;
    while (maps != nullptr && getline(&line, &capacity, maps) > 0) {
        const char *slash = strchr(line, '/');
        if (slash != nullptr) {
            mapped.emplace(slash, strcspn(slash, "\n"));
        }
    }
    free(line);
    if (maps == nullptr) {
        return "a library";
    }
    fclose(maps);
    for (const Binary &binary : loaded_binaries()) {
        char *path =
            binary.path.empty() ? nullptr : realpath(binary.path.c_str(), nullptr);
        if (path != nullptr && mapped.count(path) == 0) {
            replaced = binary.path;
        }
        free(path);
    }
#endif
    return replaced;
}

bool autoschedulers_may_look_around(const std::set<std::string> &before, bool everything)
{
    const void *probe = base_of(reinterpret_cast<const void *>(&loaded_files));
    for (const Binary &binary : loaded_binaries()) {
        const bool is_plugin = before.count(binary.path) == 0;
        const bool is_known =
            binary.name.compare(0, 25, "libautoschedule_adams2019") == 0 ||
            binary.name.compare(0, 28, "libautoschedule_anderson2021") == 0;
        if (binary.base != probe && (is_plugin || (everything && binary.path.empty())) &&
            !is_known && may_look_around(binary)) {
            return true;
        }
    }
    return false;
}

void report_binaries(const std::set<std::string> &before, bool everything,
                     const Messages &report)
{
    const std::vector<Binary> binaries = loaded_binaries();
    const void *halide = base_of(address_in_halide());
    const void *probe = base_of(reinterpret_cast<const void *>(&loaded_files));
    const void *take = dlsym(RTLD_DEFAULT, TRACE_TAKE);
    const void *tracer = take != nullptr ? base_of(take) : nullptr;
    Closure counts(binaries);
    Closure of_program(binaries);
    std::set<size_t> providers;
    for (size_t i = 0; i < binaries.size(); i++) {
        const Binary &binary = binaries[i];
        const bool is_program = binary.path.empty();
        const bool is_plugin =
            !is_program && binary.base != probe && before.count(binary.path) == 0;
        if (is_program) {
            of_program.add(i);
        }
        if (binary.base == halide || is_plugin || (everything && is_program)) {
            counts.add(i);
        }
        if (binary.base == halide) {
            providers = providers_of(binary, binaries);
        }
    }
    // The order counts: it decides whose symbols are taken. But the tracer, when it is
    // there, has what it needs itself loaded earlier, and must not make another key. So
    // what the program needs is listed in the program's own order.
    std::vector<size_t> order;
    for (size_t i = 0; i < binaries.size(); i++) {
        if (!of_program.has(i)) {
            order.push_back(i);
        }
    }
    order.insert(order.end(), of_program.order().begin(), of_program.order().end());
    for (const size_t i : order) {
        const Binary &binary = binaries[i];
        if (binary.base == probe || (tracer != nullptr && binary.base == tracer)) {
            continue;
        }
        if (before.count(binary.path) == 0) {
            report.send(PROBE_PLUGIN, binary.path);
        } else if (counts.has(i) || providers.count(i) != 0 || !of_program.has(i)) {
            report.send(PROBE_BINARY, binary.path);
        }
    }
}

} // namespace halidecache
