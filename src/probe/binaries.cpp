// SPDX-License-Identifier: MIT

#include "binaries.h"

#include "../tracer/trace.h"
#include "fingerprint.h"

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
    std::string path;  // empty: the program
    std::string name;  // what others need it by
    std::vector<std::string> needs;
    const void *base = nullptr;
};

#ifdef __APPLE__

std::vector<Binary> loaded_binaries() {
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

// DT_NEEDED and DT_SONAME, from the loaded image (System V gABI, "Dynamic Section").
void read_dynamic_section(const ElfW(Dyn) * dynamic, ElfW(Addr) base, Binary *binary) {
    const char *strings = nullptr;
    for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB) {
            // glibc replaces the offset by the address, musl does not.
            const ElfW(Addr) address = entry->d_un.d_ptr;
            strings = reinterpret_cast<const char *>(address < base ? address + base : address);
        }
    }
    for (const ElfW(Dyn) *entry = dynamic; strings != nullptr && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_NEEDED) {
            binary->needs.push_back(strings + entry->d_un.d_val);
        } else if (entry->d_tag == DT_SONAME) {
            binary->name = strings + entry->d_un.d_val;
        }
    }
}

int add_binary(struct dl_phdr_info *info, size_t, void *list) {
    auto *binaries = static_cast<std::vector<Binary> *>(list);
    Binary binary;
    binary.path = info->dlpi_name != nullptr ? info->dlpi_name : "";
    const size_t slash = binary.path.rfind('/');
    binary.name = slash == std::string::npos ? binary.path : binary.path.substr(slash + 1);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) &header = info->dlpi_phdr[i];
        const char *address = reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr);
        if (header.p_type == PT_DYNAMIC) {
            read_dynamic_section(reinterpret_cast<const ElfW(Dyn) *>(address), info->dlpi_addr,
                                 &binary);
        } else if (header.p_type == PT_LOAD && header.p_offset == 0) {
            binary.base = address;
        }
    }
    // The kernel's own object has no file.
    if (binary.path.compare(0, 10, "linux-vdso") != 0 && binary.path.compare(0, 10, "linux-gate") != 0) {
        binaries->push_back(binary);
    }
    return 0;
}

std::vector<Binary> loaded_binaries() {
    std::vector<Binary> binaries;
    dl_iterate_phdr(add_binary, &binaries);
    return binaries;
}

#endif

const void *base_of(const void *address) {
    Dl_info info = {};
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

class Closure {
public:
    explicit Closure(const std::vector<Binary> &binaries) : binaries_(binaries) {
        for (size_t i = 0; i < binaries.size(); i++) {
            by_name_.emplace(binaries[i].name, i);
        }
    }
    void add(size_t index) {
        if (members_.insert(index).second) {
            for (const std::string &need : binaries_[index].needs) {
                const auto found = by_name_.find(need);
                if (found != by_name_.end()) {
                    add(found->second);
                }
            }
        }
    }
    bool has(size_t index) const {
        return members_.count(index) != 0;
    }

private:
    const std::vector<Binary> &binaries_;
    std::map<std::string, size_t> by_name_;
    std::set<size_t> members_;
};

}  // namespace

std::set<std::string> loaded_files() {
    std::set<std::string> files;
    for (const Binary &binary : loaded_binaries()) {
        files.insert(binary.path);
    }
    return files;
}

bool program_uses_this_halide() {
    const void *entry = dlsym(RTLD_DEFAULT, "_ZN6Halide8Internal20generate_filter_mainEiPPc");
    return entry != nullptr && base_of(entry) == base_of(address_in_halide());
}

void report_binaries(const std::set<std::string> &before, bool everything, const Messages &report) {
    const std::vector<Binary> binaries = loaded_binaries();
    const void *halide = base_of(address_in_halide());
    const void *probe = base_of(reinterpret_cast<const void *>(&loaded_files));
    const void *take = dlsym(RTLD_DEFAULT, TRACE_TAKE);
    const void *tracer = take != nullptr ? base_of(take) : nullptr;
    Closure counts(binaries);
    Closure of_program(binaries);
    for (size_t i = 0; i < binaries.size(); i++) {
        const Binary &binary = binaries[i];
        const bool is_program = binary.path.empty();
        const bool is_plugin = !is_program && binary.base != probe && before.count(binary.path) == 0;
        if (is_program) {
            of_program.add(i);
        }
        if (binary.base == halide || is_plugin || (everything && is_program)) {
            counts.add(i);
        }
    }
    for (size_t i = 0; i < binaries.size(); i++) {
        const Binary &binary = binaries[i];
        if (binary.base == probe || (tracer != nullptr && binary.base == tracer)) {
            continue;
        }
        if (before.count(binary.path) == 0) {
            report.send(PROBE_PLUGIN, binary.path);
        } else if (counts.has(i) || !of_program.has(i)) {
            report.send(PROBE_BINARY, binary.path);
        }
    }
}

}  // namespace halidecache
