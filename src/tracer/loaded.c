// SPDX-License-Identifier: MIT
//
// The dynamic linker loads what the program needs, then what these libraries need, and so
// on in this order, and looks for each name only once. Going through its list, which is
// in the order of loading, the same way shows who looked for which library. What dlopen()
// loads is seen when that is called; the libraries of LD_PRELOAD and those that libc
// loads for itself remain.

#include "loaded.h"

#include "before.h"
#include "image.h"
#include "library_cache.h"
#include "library_search.h"
#include "raw_call.h"
#include "records.h"
#include "spin.h"
#include "status_sum.h"
#include "tracer.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_MEMBERS = 512, PATH_SIZE = 4096, PENDING_SIZE = 16 * 1024 };

struct member {
    struct link_map *map;
    struct image image;
    bool ignored; // the kernel's, the probe, and us
    bool handled; // on record since an earlier call
    bool reached; // it is known how it came to be loaded
};

// One thread at a time, all of it.
static struct spin lock = {.bit = SPIN_LOADED};
static struct member members[MAX_MEMBERS];
static unsigned member_count;
static char pending[PENDING_SIZE]; // names given to dlopen(), each with its NUL
static size_t pending_size;

// ---- What is loaded -----------------------------------------------------------------

static bool is_ignored(const struct link_map *map)
{
    return map->l_ld == _DYNAMIC || image_is_kernel(map->l_name) ||
           callers_find(map->l_ld).kind == CALLER_IGNORED;
}

// Libraries of which the way is on record since an earlier call. A link_map that was
// freed may be used again, so the name has to be the same too.
static struct {
    const struct link_map *map;
    uint32_t name_hash;
} handled[MAX_MEMBERS];
static unsigned handled_count;

static bool is_handled(const struct link_map *map, unsigned index)
{
    const uint32_t hash = image_hash(map->l_name);
    // Nearly always it is where it was.
    if (index < handled_count && handled[index].map == map) {
        return handled[index].name_hash == hash;
    }
    for (unsigned i = 0; i < handled_count; i++) {
        if (handled[i].map == map) {
            return handled[i].name_hash == hash;
        }
    }
    return false;
}

static void remember_handled(void)
{
    for (unsigned i = 0; i < member_count; i++) {
        handled[i].map = members[i].map;
        handled[i].name_hash = image_hash(members[i].map->l_name);
    }
    handled_count = member_count;
}

static void collect_members(void)
{
    member_count = 0;
    for (struct link_map *map = _r_debug.r_map; map != NULL; map = map->l_next) {
        if (member_count == MAX_MEMBERS) {
            records_lose();
            return;
        }
        members[member_count] =
            (struct member){.map = map,
                            .image = image_make(map->l_addr, map->l_name, map->l_ld),
                            .ignored = is_ignored(map),
                            .handled = is_handled(map, member_count)};
        member_count++;
    }
}

static bool is_program(const struct member *member)
{
    return member->map == _r_debug.r_map;
}

static void note_program(void)
{
    static char path[PATH_SIZE];
    const long size = raw_readlinkat(AT_FDCWD, "/proc/self/exe", path, sizeof path - 1);
    if (size <= 0) {
        records_lose();
        return;
    }
    path[size] = '\0';
    records_add(TRACE_LOADED, status_sum_at(AT_FDCWD, path, 0, false), path, NULL);
}

// Any of its names will do: the program need not use getenv() then.
static void note_environment(const struct member *member)
{
    static const char *const names[] = {"environ", "__environ", "_environ"};
    if (callers_find(member->map->l_ld).kind != CALLER_OWN) {
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (image_uses(&member->image, names[i])) {
            records_add(TRACE_ENVIRONMENT, 0, member->image.path, NULL);
            return;
        }
    }
}

static void note_members(void)
{
    for (unsigned i = 0; i < member_count; i++) {
        const struct member *member = &members[i];
        if (member->ignored || member->handled) {
            continue;
        }
        if (is_program(member)) {
            note_program();
        } else {
            const char *path = member->map->l_name;
            records_add_path(TRACE_LOADED, status_sum_at(AT_FDCWD, path, 0, false),
                             AT_FDCWD, path, NULL);
        }
        note_environment(member);
        library_search_add_path(member->map, &member->image);
    }
}

// ---- How it was found ---------------------------------------------------------------

static struct member *find_member(const char *name)
{
    const uint32_t hash = image_hash(name);
    for (unsigned i = 0; i < member_count; i++) {
        if (image_is_called(&members[i].image, name, hash)) {
            return &members[i];
        }
    }
    return NULL;
}

static void note_needs(const struct member *loader)
{
    const char *need = NULL;
    for (size_t at = 0; (need = image_next_need(&loader->image, &at)) != NULL;) {
        struct member *member = strchr(need, '/') == NULL ? find_member(need) : NULL;
        if (member != NULL && !member->reached) {
            member->reached = true;
            (void)library_search_note(loader->map, need, member->map->l_name);
        }
    }
}

static bool is_preloaded_by_path(const char *path)
{
    const char *list = tracer_start_value("LD_PRELOAD");
    return list != NULL && strchr(path, '/') != NULL && strstr(list, path) != NULL;
}

// The linker itself is not looked for: the program says its path.
static bool is_linker(const struct member *member)
{
    static const char start[] = "ld-linux";
    return strncmp(member->image.file_name, start, sizeof start - 1) == 0;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat status[2];
    return raw_call(SYS_newfstatat, AT_FDCWD, (long)a, (long)&status[0], 0, 0, 0) == 0 &&
           raw_call(SYS_newfstatat, AT_FDCWD, (long)b, (long)&status[1], 0, 0, 0) == 0 &&
           status[0].st_dev == status[1].st_dev && status[0].st_ino == status[1].st_ino;
}

// What dlopen(name) gives, if that is loaded.
static struct member *find_opened(const char *name)
{
    if (strchr(name, '/') == NULL) {
        return find_member(name);
    }
    for (unsigned i = 0; i < member_count; i++) {
        if (strcmp(members[i].map->l_name, name) == 0) {
            return &members[i];
        }
    }
    for (unsigned i = 0; i < member_count; i++) {
        if (!is_program(&members[i]) && is_same_file(members[i].map->l_name, name)) {
            return &members[i];
        }
    }
    return NULL;
}

static void note_opened(void)
{
    for (size_t at = 0; at < pending_size; at += strlen(pending + at) + 1) {
        struct member *member = find_opened(pending + at);
        if (member != NULL) {
            member->reached = true;
        } else {
            // It was there. Why it could not be loaded is not known.
            records_add_opaque("could not load a library", pending + at, NULL);
        }
    }
    pending_size = 0;
}

static void note_ways(void)
{
    for (unsigned i = 0; i < member_count; i++) {
        struct member *member = &members[i];
        member->reached = member->ignored || member->handled || is_program(member) ||
                          is_linker(member) || is_preloaded_by_path(member->map->l_name);
    }
    note_opened();
    for (unsigned i = 0; i < member_count; i++) {
        if (!members[i].ignored && !members[i].handled) {
            note_needs(&members[i]);
        }
    }
    for (unsigned i = 0; i < member_count; i++) {
        if (!members[i].reached) {
            (void)library_search_note(_r_debug.r_map, members[i].image.file_name,
                                      members[i].map->l_name);
        }
    }
    remember_handled();
}

void loaded_note(void)
{
    if (!spin_lock(&lock)) {
        records_lose();
        return;
    }
    collect_members();
    note_members();
    note_ways();
    library_search_pause();
    if (!records_have(TRACE_READ, 0, LIBRARY_CACHE_PATH)) {
        records_add_file(LIBRARY_CACHE_PATH);
        records_add_file("/etc/ld.so.preload");
    }
    spin_unlock(&lock);
}

// ---- dlopen -------------------------------------------------------------------------

static void add_pending(const char *name)
{
    const size_t size = strlen(name) + 1;
    if (size > sizeof pending - pending_size) {
        records_lose();
        return;
    }
    memcpy(pending + pending_size, name, size);
    pending_size += size;
}

// With the lock, before the library is looked for.
static void note_search(const char *name, const struct caller *caller)
{
    Dl_info info;
    struct link_map *loader = NULL;
    if (dladdr1(caller->address, &info, (void **)&loader, RTLD_DL_LINKMAP) == 0 ||
        loader == NULL) {
        loader = _r_debug.r_map;
    }
    for (unsigned i = 0; i < member_count; i++) {
        if (!members[i].ignored && !members[i].handled) {
            library_search_add_path(members[i].map, &members[i].image);
        }
    }
    const char *found = library_search_note(loader, name, NULL);
    if (found != NULL) {
        add_pending(found);
    }
    library_search_pause();
}

static void note_open(const char *name, const struct caller *caller)
{
    if (!spin_lock(&lock)) {
        records_lose();
        return;
    }
    collect_members();
    if (find_opened(name) != NULL) {
        // Nothing is going to be looked for.
    } else if (strchr(name, '/') == NULL) {
        note_search(name, caller);
    } else if (raw_exists(name)) {
        add_pending(name);
    } else {
        records_add_path(TRACE_MISSING, 0, AT_FDCWD, name, NULL);
    }
    spin_unlock(&lock);
}

static void note_dlopen(const struct before *before, const uintptr_t *arguments,
                        const struct caller *caller)
{
    const char *name = (const char *)arguments[0];
    const int mode = (int)arguments[1];
    if (name == NULL || name[0] == '\0') {
        return; // the program
    }
    if ((mode & RTLD_DEEPBIND) != 0 || strchr(name, '$') != NULL) {
        // It does not call our functions then; or only the linker knows its path.
        before_note_opaque(before, arguments, caller);
    }
    note_open(name, caller);
    callers_forget();
}

static void note_dlclose(const struct before *before, const uintptr_t *arguments,
                         const struct caller *caller)
{
    (void)before;
    (void)arguments;
    (void)caller;
    loaded_note();
    callers_forget();
}

BEFORE(dlopen, note_dlopen, FROM_ALL, "loads a library");
BEFORE(dlmopen, before_note_opaque, FROM_ALL, "loads a library apart from the others");
BEFORE(dlclose, note_dlclose, FROM_ALL, "");
