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

bool has_address(const Binary &binary, const void *address)
{
    const auto *at = static_cast<const char *>(address);
    return std::any_of(binary.segments.begin(), binary.segments.end(),
                       [at](const MemoryRange &segment) {
                           return at >= segment.start && at < segment.end;
                       });
}

// dladdr() would tell as well, after a look at all of a binary's symbols.
size_t find_owner(const std::vector<Binary> &binaries, const void *address)
{
    size_t i = 0;
    while (i < binaries.size() && !has_address(binaries[i], address)) {
        i++;
    }
    return i;
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

bool takes_one_of(const Binary &binary, const std::set<std::string> &names)
{
    const std::vector<const char *> used = symbols_from_others(binary);
    return std::any_of(used.begin(), used.end(),
                       [&names](const char *symbol) { return names.count(symbol) != 0; });
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

// By itself, or by way of the C library.
bool may_call_exit(const Binary &binary)
{
    return takes_one_of(binary, {"dlsym", "dlvsym", "err", "error", "errx", "exit",
                                 "error_at_line", "verr", "verrx"});
}

} // namespace

Binaries::Binaries()
    : all_(loaded_binaries()), halide_(find_owner(all_, address_in_halide())),
      probe_(find_owner(all_, reinterpret_cast<const void *>(&find_owner))),
      tracer_real_(
          reinterpret_cast<trace_real_function *>(dlsym(RTLD_DEFAULT, TRACE_REAL))),
      tracer_(find_owner(all_, reinterpret_cast<const void *>(tracer_real_)))
{
}

std::set<std::string> Binaries::files() const
{
    std::set<std::string> files;
    for (const Binary &binary : all_) {
        files.insert(binary.path);
    }
    return files;
}

bool Binaries::program_uses_this_halide() const
{
    const void *entry =
        dlsym(RTLD_DEFAULT, "_ZN6Halide8Internal20generate_filter_mainEiPPc");
    return halide_ < all_.size() && has_address(all_[halide_], entry);
}

bool Binaries::program_may_trace_pipelines() const
{
    // Calls inside one binary need no symbol.
    if (all_[halide_].path.empty()) {
        return true;
    }
    Closure of_halide(all_);
    of_halide.add(halide_);
    for (size_t i = 0; i < all_.size(); i++) {
        if (!of_halide.has(i) && i != probe_ &&
            takes_one_of(all_[i], {"_ZN6Halide8Pipeline14trace_pipelineEv"})) {
            return true;
        }
    }
    return false;
}

bool Binaries::only_halide_is_left() const
{
#ifdef __GLIBC__
    // Those of the program have run: it comes first. Another library may come before or
    // after the probe.
    Closure of_halide(all_);
    of_halide.add(halide_);
    for (size_t i = 0; i < all_.size(); i++) {
        const bool is_program = all_[i].path.empty();
        if (is_program ? may_call_exit(all_[i])
                       : !of_halide.has(i) && i != probe_ && i != tracer_) {
            return false;
        }
    }
    return true;
#else
    return false;
#endif
}

MemoryRange Binaries::zeroed_memory_of_halide() const
{
    return all_[halide_].zeroed;
}

// The kernel shows where a mapped file is now: elsewhere, or nowhere, when another one
// has taken its place.
std::string Binaries::find_replaced() const
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
    for (const Binary &binary : all_) {
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

bool Binaries::autoschedulers_may_look_around(const std::set<std::string> &before,
                                              bool everything) const
{
    for (size_t i = 0; i < all_.size(); i++) {
        const Binary &binary = all_[i];
        const bool is_plugin = before.count(binary.path) == 0;
        const bool is_known =
            binary.name.compare(0, 25, "libautoschedule_adams2019") == 0 ||
            binary.name.compare(0, 28, "libautoschedule_anderson2021") == 0;
        if (i != probe_ && (is_plugin || (everything && binary.path.empty())) &&
            !is_known && may_look_around(binary)) {
            return true;
        }
    }
    return false;
}

// What the process calls by this name, seen past the tracer, whose functions stand in
// front of others and change nothing.
const void *Binaries::find_called(const char *symbol) const
{
    const void *address = dlsym(RTLD_DEFAULT, symbol);
    return tracer_ < all_.size() && has_address(all_[tracer_], address)
               ? reinterpret_cast<const void *>(tracer_real_(symbol))
               : address;
}

// Symbols of the program and its libraries come before those of the C library, for
// libHalide too: a program with an exp() of its own makes lowering fold constants by
// that. Allocators are what many programs replace, and change no result; C++ has many
// copies of its templates, and they are equal by its rules.
bool Binaries::others_provide_for_halide() const
{
    static const std::set<std::string> allocators = {
        "aligned_alloc", "calloc",         "free",    "malloc",  "malloc_usable_size",
        "memalign",      "posix_memalign", "pvalloc", "realloc", "valloc"};
    if (!first_binary_provides()) {
        return false;
    }
    Closure of_halide(all_);
    of_halide.add(halide_);
    for (const char *symbol : symbols_from_others(all_[halide_])) {
        if (strncmp(symbol, "_Z", 2) != 0 && allocators.count(symbol) == 0) {
            const size_t owner = find_owner(all_, find_called(symbol));
            if (owner < all_.size() && owner != tracer_ && !of_halide.has(owner)) {
                return true;
            }
        }
    }
    return false;
}

void Binaries::report(const std::set<std::string> &before, bool everything,
                      const Messages &report) const
{
    // Who replaces something can work with everything else that is there; so can who was
    // loaded by somebody else than the program.
    const bool others_count = others_provide_for_halide();
    Closure of_program(all_);
    Closure counts(all_);
    for (size_t i = 0; i < all_.size(); i++) {
        const bool is_program = all_[i].path.empty();
        const bool is_ours = i == probe_ || i == tracer_;
        const bool is_plugin = !is_program && !is_ours && before.count(all_[i].path) == 0;
        if (is_program) {
            of_program.add(i);
        }
        if (i == halide_ || is_plugin || (everything && is_program)) {
            counts.add(i);
        }
        if ((others_count || !of_program.has(i)) && !is_ours) {
            counts.add(i);
        }
    }
    // The order counts: it decides whose symbols are taken. But the tracer, when it is
    // there, has what it needs itself loaded earlier, and must not make another key. So
    // what the program needs is listed in the program's own order.
    std::vector<size_t> order;
    for (size_t i = 0; i < all_.size(); i++) {
        if (!of_program.has(i)) {
            order.push_back(i);
        }
    }
    order.insert(order.end(), of_program.order().begin(), of_program.order().end());
    for (const size_t i : order) {
        const std::string &path = all_[i].path;
        if (i == probe_ || i == tracer_) {
            continue;
        }
        if (before.count(path) == 0) {
            report.send(PROBE_PLUGIN, path);
        } else if (counts.has(i)) {
            report.send(PROBE_BINARY, path);
        }
    }
}

} // namespace halidecache
