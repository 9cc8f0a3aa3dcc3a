// SPDX-License-Identifier: MIT

#include "binaries.h"

#include "../tracer/trace.h"
#include "fingerprint.h"
#include "loaded.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <vector>

namespace halidecache {

namespace {

// The start of the binary that has this address; null when there is none.
const void *base_of(const void *address)
{
    Dl_info info = {};
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

const void *base_of_halide()
{
    return base_of(address_in_halide());
}

const void *base_of_probe()
{
    return base_of(reinterpret_cast<const void *>(&loaded_files));
}

// The tracer's functions stand in front of others, and change nothing.
class Tracer {
public:
    Tracer()
        : real_(reinterpret_cast<trace_real_function *>(dlsym(RTLD_DEFAULT, TRACE_REAL))),
          base_(real_ != nullptr ? base_of(reinterpret_cast<const void *>(real_))
                                 : nullptr)
    {
    }
    bool is(const Binary &binary) const
    {
        return base_ != nullptr && binary.base == base_;
    }
    /** What the process calls by this name. Null when there is nothing. */
    const void *find(const char *symbol) const
    {
        const void *address = dlsym(RTLD_DEFAULT, symbol);
        return base_ != nullptr && address != nullptr && base_of(address) == base_
                   ? reinterpret_cast<const void *>(real_(symbol))
                   : address;
    }

private:
    trace_real_function *real_;
    const void *base_;
};

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
// that. Does anybody but the `known` ones provide what the binary takes from others?
// Allocators are what many programs replace, and change no result; C++ has many copies of
// its templates, and they are equal by its rules.
bool others_provide(const Binary &binary, const Closure &known, const Tracer &tracer,
                    const std::vector<Binary> &binaries)
{
    static const std::set<std::string> allocators = {
        "aligned_alloc", "calloc",         "free",    "malloc",  "malloc_usable_size",
        "memalign",      "posix_memalign", "pvalloc", "realloc", "valloc"};
    if (!first_binary_provides()) {
        return false;
    }
    for (const char *symbol : symbols_from_others(binary)) {
        const bool counts =
            strncmp(symbol, "_Z", 2) != 0 && allocators.count(symbol) == 0;
        const void *address = counts ? tracer.find(symbol) : nullptr;
        for (size_t i = 0; address != nullptr && i < binaries.size(); i++) {
            if (!known.has(i) && !tracer.is(binaries[i]) &&
                has_address(binaries[i], address)) {
                return true;
            }
        }
    }
    return false;
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
    for (const char *symbol : symbols_from_others(binary)) {
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
    return entry != nullptr && base_of(entry) == base_of_halide();
}

bool program_may_trace_pipelines()
{
    const std::vector<Binary> binaries = loaded_binaries();
    const void *halide = base_of_halide();
    const void *probe = base_of_probe();
    Closure of_halide(binaries);
    for (size_t i = 0; i < binaries.size(); i++) {
        if (binaries[i].base == halide) {
            // Calls inside one binary need no symbol.
            if (binaries[i].path.empty()) {
                return true;
            }
            of_halide.add(i);
        }
    }
    for (size_t i = 0; i < binaries.size(); i++) {
        if (!of_halide.has(i) && binaries[i].base != probe) {
            const std::vector<const char *> used = symbols_from_others(binaries[i]);
            if (std::any_of(used.begin(), used.end(), [](const char *symbol) {
                    return strcmp(symbol, "_ZN6Halide8Pipeline14trace_pipelineEv") == 0;
                })) {
                return true;
            }
        }
    }
    return false;
}

MemoryRange zeroed_memory_of_halide()
{
    const void *halide = base_of_halide();
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
    const void *probe = base_of_probe();
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
    const void *halide = base_of_halide();
    const void *probe = base_of_probe();
    const Tracer tracer;
    Closure counts(binaries);
    Closure of_program(binaries);
    Closure of_halide(binaries);
    size_t halide_index = 0;
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
            of_halide.add(i);
            halide_index = i;
        }
    }
    // Who replaces something can work with everything else that is there; so can who was
    // loaded by somebody else than the program.
    const bool others_count =
        others_provide(binaries[halide_index], of_halide, tracer, binaries);
    for (size_t i = 0; i < binaries.size(); i++) {
        if ((others_count || !of_program.has(i)) && binaries[i].base != probe &&
            !tracer.is(binaries[i])) {
            counts.add(i);
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
        if (binary.base == probe || tracer.is(binary)) {
            continue;
        }
        if (before.count(binary.path) == 0) {
            report.send(PROBE_PLUGIN, binary.path);
        } else if (counts.has(i)) {
            report.send(PROBE_BINARY, binary.path);
        }
    }
}

} // namespace halidecache
