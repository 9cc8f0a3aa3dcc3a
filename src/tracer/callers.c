// SPDX-License-Identifier: MIT
//
// What is known about the loaded objects is kept as a sorted table of address ranges.
// Readers take no lock: the version is odd while the table is being written and another
// one afterwards, and who meets that reads again.

#include "callers.h"

#include "image.h"
#include "spin.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MAX_OBJECTS = 512 };

struct range {
    atomic_uintptr_t start;
    atomic_uintptr_t end;
    _Atomic(const char *) path;
    atomic_int kind;
};

static struct range ranges[MAX_OBJECTS];
static atomic_uint range_count;
static atomic_uint version;
static atomic_bool stale = true;
static struct spin lock = {.bit = SPIN_CALLERS};

// ---- Making the table, with the lock ------------------------------------------------

struct object {
    uintptr_t start;
    uintptr_t end;
    enum caller_kind kind;
    struct image image;
};

static struct object objects[MAX_OBJECTS];

struct collection {
    unsigned count;
    bool too_many;
};

#if !__GLIBC_PREREQ(2, 35)
// The dynamic linker's counts of what it loaded and unloaded, when the table was made.
static atomic_ullong loaded_and_unloaded;

static unsigned long long count_of(const struct dl_phdr_info *info)
{
    return info->dlpi_adds * 65536 + info->dlpi_subs;
}
#endif

static int collect(struct dl_phdr_info *info, size_t size, void *context)
{
    struct collection *collection = context;
    (void)size;
    if (collection->count == MAX_OBJECTS) {
        collection->too_many = true;
        return 1;
    }
    struct object *object = &objects[collection->count];
    const ElfW(Dyn) *dynamic = NULL;
    uintptr_t start = UINTPTR_MAX;
    uintptr_t end = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const uintptr_t at = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_DYNAMIC) {
            dynamic = (const ElfW(Dyn) *)at;
        } else if (header->p_type == PT_LOAD) {
            start = at < start ? at : start;
            end = at + header->p_memsz > end ? at + header->p_memsz : end;
        }
    }
    if (start < end) {
        object->start = start;
        object->end = end;
        object->kind = CALLER_OWN;
        object->image = image_make(
            info->dlpi_addr, info->dlpi_name == NULL ? "" : info->dlpi_name, dynamic);
        collection->count++;
    }
#if !__GLIBC_PREREQ(2, 35)
    atomic_store_explicit(&loaded_and_unloaded, count_of(info), memory_order_relaxed);
#endif
    return 0;
}

static bool is_system(const char *file_name)
{
    static const char *const names[] = {"ld-linux",      "libc.so",  "libdl.so",
                                        "libgcc_s.so",   "libm.so",  "libmvec.so",
                                        "libpthread.so", "librt.so", "libstdc++.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(file_name, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void mark_halide_and_needs(unsigned count, struct object *object)
{
    const char *need = NULL;
    object->kind = CALLER_HALIDE;
    for (size_t at = 0; (need = image_next_need(&object->image, &at)) != NULL;) {
        const uint32_t hash = image_hash(need);
        for (unsigned i = 0; i < count; i++) {
            if (objects[i].kind == CALLER_OWN &&
                image_is_called(&objects[i].image, need, hash)) {
                mark_halide_and_needs(count, &objects[i]);
            }
        }
    }
}

static void classify(unsigned count)
{
    static const char entry[] = "_ZN6Halide8Internal20generate_filter_mainEiPPc";
    const uintptr_t here = (uintptr_t)&lock;
    for (unsigned i = 0; i < count; i++) {
        struct object *object = &objects[i];
        if ((object->start <= here && here < object->end) ||
            strncmp(object->image.file_name, "halide-cache-probe", 18) == 0) {
            object->kind = CALLER_IGNORED;
        } else if (is_system(object->image.file_name) ||
                   image_is_kernel(object->image.path)) {
            object->kind = CALLER_SYSTEM;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        // A program that holds Halide is one object: its own code is not told from
        // Halide's.
        if (objects[i].kind == CALLER_OWN && objects[i].image.path[0] != '\0' &&
            image_symbol(&objects[i].image, entry) != NULL) {
            mark_halide_and_needs(count, &objects[i]);
        }
    }
}

static void sort(unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        const struct object object = objects[i];
        unsigned to = i;
        for (; to > 0 && objects[to - 1].start > object.start; to--) {
            objects[to] = objects[to - 1];
        }
        objects[to] = object;
    }
}

// A copy of a path that stays, however the object goes. With the lock.
static const char *keep_path(const char *path)
{
    static char paths[64 * 1024]; // each with its NUL
    static size_t used;
    const size_t size = strlen(path) + 1;
    for (size_t at = 0; at < used; at += strlen(paths + at) + 1) {
        if (strcmp(paths + at, path) == 0) {
            return paths + at;
        }
    }
    if (size > sizeof paths - used) {
        return "?";
    }
    memcpy(paths + used, path, size);
    used += size;
    return paths + used - size;
}

static void publish(unsigned count)
{
    const unsigned next = atomic_load_explicit(&version, memory_order_relaxed) + 1;
    atomic_store_explicit(&version, next, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    for (unsigned i = 0; i < count; i++) {
        const struct object *object = &objects[i];
        atomic_store_explicit(&ranges[i].start, object->start, memory_order_relaxed);
        atomic_store_explicit(&ranges[i].end, object->end, memory_order_relaxed);
        atomic_store_explicit(&ranges[i].path, keep_path(object->image.path),
                              memory_order_relaxed);
        atomic_store_explicit(&ranges[i].kind, (int)object->kind, memory_order_relaxed);
    }
    atomic_store_explicit(&range_count, count, memory_order_relaxed);
    atomic_store_explicit(&version, next + 1, memory_order_release);
}

static bool refresh(void)
{
    if (!spin_lock(&lock)) {
        return false;
    }
    struct collection collection = {0};
    atomic_store_explicit(&stale, false, memory_order_relaxed);
    (void)dl_iterate_phdr(collect, &collection);
    classify(collection.count);
    sort(collection.count);
    publish(collection.too_many ? 0 : collection.count);
    spin_unlock(&lock);
    return !collection.too_many;
}

// ---- Looking up ---------------------------------------------------------------------

static struct caller unknown_at(const void *address)
{
    return (struct caller){CALLER_OWN, "?", address};
}

static bool search(uintptr_t address, struct caller *caller)
{
    unsigned low = 0;
    unsigned high = atomic_load_explicit(&range_count, memory_order_relaxed);
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        const struct range *range = &ranges[middle];
        if (address < atomic_load_explicit(&range->start, memory_order_relaxed)) {
            high = middle;
        } else if (address >= atomic_load_explicit(&range->end, memory_order_relaxed)) {
            low = middle + 1;
        } else {
            caller->kind = (enum caller_kind)atomic_load_explicit(&range->kind,
                                                                  memory_order_relaxed);
            caller->object = atomic_load_explicit(&range->path, memory_order_relaxed);
            return true;
        }
    }
    return false;
}

static bool search_undisturbed(uintptr_t address, struct caller *caller)
{
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES; i++) {
        const unsigned before = atomic_load_explicit(&version, memory_order_acquire);
        const bool found = search(address, caller);
        atomic_thread_fence(memory_order_acquire);
        if ((before & 1) == 0 &&
            before == atomic_load_explicit(&version, memory_order_relaxed)) {
            return found;
        }
    }
    *caller = unknown_at(caller->address);
    return true;
}

// Is there an object that the table does not have yet?
#if __GLIBC_PREREQ(2, 35)
static bool is_in_object(const void *address)
{
    // Without a lock, unlike dl_iterate_phdr(): a forked copy can have it taken for ever.
    struct dl_find_object found;
    return _dl_find_object((void *)(uintptr_t)address, &found) == 0;
}
#else
static int compare_count(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(bool *)context = count_of(info) !=
                       atomic_load_explicit(&loaded_and_unloaded, memory_order_relaxed);
    return 1; // the first object says it for all of them
}

static bool is_in_object(const void *address)
{
    bool changed = true;
    (void)address;
    (void)dl_iterate_phdr(compare_count, &changed);
    return changed;
}
#endif

struct caller callers_find(const void *address)
{
    const uintptr_t at = (uintptr_t)address;
    struct caller caller = {CALLER_NOBODY, "", address};
    if (!atomic_load_explicit(&stale, memory_order_relaxed) &&
        (search_undisturbed(at, &caller) || !is_in_object(address))) {
        return caller;
    }
    if (!refresh()) {
        return unknown_at(address);
    }
    (void)search_undisturbed(at, &caller);
    return caller;
}

void callers_forget(void)
{
    atomic_store_explicit(&stale, true, memory_order_relaxed);
}
