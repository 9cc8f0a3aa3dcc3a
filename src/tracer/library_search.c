// SPDX-License-Identifier: MIT
//
// The order (ld.so(8)): DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache, the linker's
// own folders. dlinfo() lists all of these folders in order, but not where the cache
// stands, and not those of a path none of whose folders existed.
//
// In each folder subfolders for kinds of processors come first: glibc-hwcaps, and before
// glibc 2.37 combinations of others, each of which starts with one of a few names. Where
// one exists, it would take the linker's own tests of the processor to tell what happens.
//
// The buffers are static, because the stack may be small.

#include "library_search.h"

#include "library_cache.h"
#include "raw_call.h"
#include "records.h"
#include "tracer.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 8192, FOLDERS_SIZE = 32 * 1024 };

static char path[PATH_SIZE];

static union {
    Dl_serinfo info;
    char bytes[FOLDERS_SIZE];
} folders;

// Only open while it is being used.
static struct library_cache cache;
static bool cache_is_open;

// One of the linker's own folders is also named in a search path: then it cannot be told
// by its name which of the two it is.
static bool names_system_folder;

// ---- Folders ------------------------------------------------------------------------

#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
static const char *const old_subfolders[] = {"tls", "haswell", "xeon_phi", "avx512_1",
                                             "x86_64"};
#else
#define MULTIARCH "aarch64-linux-gnu"
static const char *const old_subfolders[] = {"tls", "atomics", "aarch64"};
#endif

static bool is_system_folder(const char *name)
{
    static const char *const names[] = {
        "/lib/" MULTIARCH, "/usr/lib/" MULTIARCH, "/lib", "/usr/lib",
        "/lib64",          "/usr/lib64"};
    size_t size = strlen(name);
    while (size > 1 && name[size - 1] == '/') {
        size--;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i]) == size && memcmp(name, names[i], size) == 0) {
            return true;
        }
    }
    return false;
}

// "<folder>/<name>" in `path`; false when that is too long.
static bool join(const char *folder, const char *name)
{
    const size_t folder_size = strlen(folder);
    const size_t name_size = strlen(name);
    if (folder_size + name_size + 2 > sizeof path) {
        records_lose();
        return false;
    }
    memcpy(path, folder, folder_size);
    path[folder_size] = '/';
    memcpy(path + folder_size + 1, name, name_size + 1);
    return true;
}

static void note_subfolder(const char *folder, const char *name)
{
    if (!join(folder, name) || records_have(TRACE_MISSING, 0, path)) {
        return;
    }
    if (raw_exists(path)) {
        records_add_opaque("libraries are chosen by processor", path, NULL);
    } else {
        records_add_path(TRACE_MISSING, 0, AT_FDCWD, path, NULL);
    }
}

static bool has_old_subfolders(void)
{
    const char *version = gnu_get_libc_version();
    return strncmp(version, "2.", 2) != 0 || atoi(version + 2) < 37;
}

static void note_subfolders(const char *folder)
{
    note_subfolder(folder, "glibc-hwcaps");
    if (has_old_subfolders()) {
        for (size_t i = 0; i < sizeof old_subfolders / sizeof old_subfolders[0]; i++) {
            note_subfolder(folder, old_subfolders[i]);
        }
    }
}

// Does the search end in this folder?
static bool note_folder(const char *folder, const char *name, const char *found)
{
    if (records_have(TRACE_MISSING, 0, folder)) {
        return false;
    }
    if (!raw_exists(folder)) {
        records_add_path(TRACE_MISSING, 0, AT_FDCWD, folder, NULL);
        return false;
    }
    note_subfolders(folder);
    if (!join(folder, name)) {
        return false;
    }
    if (found != NULL && strcmp(path, found) == 0) {
        return true;
    }
    if (!raw_exists(path)) {
        records_add_path(TRACE_MISSING, 0, AT_FDCWD, path, NULL);
        return false;
    }
    if (found != NULL) {
        // The linker passed over it: it is not for this kind of machine.
        records_add_path(TRACE_READ, 0, AT_FDCWD, path, NULL);
    }
    return found == NULL;
}

// ---- Search paths -------------------------------------------------------------------

static bool is_origin(const char *at, size_t *size)
{
    static const char *const forms[] = {"$ORIGIN", "${ORIGIN}"};
    for (size_t i = 0; i < 2; i++) {
        *size = strlen(forms[i]);
        if (strncmp(at, forms[i], *size) == 0) {
            return true;
        }
    }
    return false;
}

// One folder of a search path, with $ORIGIN replaced, in `path`. False when it has other
// such names, which only the linker knows, or is too long.
static bool expand(struct link_map *map, const char *from, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < size;) {
        size_t token = 0;
        if (length + 1 >= sizeof path) {
            return false;
        }
        if (from[i] != '$') {
            path[length++] = from[i++];
            continue;
        }
        // dlinfo() knows no size: a path of the system's greatest length must fit.
        if (map == NULL || length > sizeof path / 2 || !is_origin(from + i, &token) ||
            dlinfo(map, RTLD_DI_ORIGIN, path + length) != 0) {
            return false;
        }
        length += strlen(path + length);
        i += token;
    }
    path[length] = '\0';
    return true;
}

// Records the folders that do not exist, because the linker forgets about them.
static void add_folders(struct link_map *map, const char *list, const char *separators)
{
    for (const char *at = list; at != NULL && *at != '\0';) {
        const size_t size = strcspn(at, separators);
        if (size == 0) {
            // The current folder, which exists.
        } else if (!expand(map, at, size)) {
            records_add_opaque("cannot follow a search path for libraries", list, NULL);
        } else {
            names_system_folder = names_system_folder || is_system_folder(path);
            if (!raw_exists(path)) {
                records_add_path(TRACE_MISSING, 0, AT_FDCWD, path, NULL);
            }
        }
        at += size;
        at += *at != '\0';
    }
}

void library_search_add_path(struct link_map *map, const struct image *image)
{
    static bool has_variable;
    if (!has_variable) {
        has_variable = true;
        add_folders(NULL, tracer_start_value("LD_LIBRARY_PATH"), ":;");
    }
    add_folders(map, image->search, ":");
}

// ---- The search ---------------------------------------------------------------------

static bool read_folders(struct link_map *loader)
{
    Dl_serinfo needed = {0};
    if (dlinfo(loader, RTLD_DI_SERINFOSIZE, &needed) != 0 ||
        needed.dls_size > sizeof folders) {
        return false;
    }
    folders.info = needed;
    return dlinfo(loader, RTLD_DI_SERINFO, &folders.info) == 0;
}

static const char *folder_at(unsigned index)
{
    // The array is declared with one element and has dls_cnt.
    const Dl_serpath *all = folders.info.dls_serpath;
    return all[index].dls_name;
}

static bool is_listed_from(unsigned index, const char *folder)
{
    for (; index < folders.info.dls_cnt; index++) {
        if (strcmp(folder_at(index), folder) == 0) {
            return true;
        }
    }
    return false;
}

// Where the linker's own folders start: they are the last ones, and no two are the same.
static unsigned first_system_folder(void)
{
    unsigned first = folders.info.dls_cnt;
    while (!names_system_folder && first > 0 && is_system_folder(folder_at(first - 1)) &&
           !is_listed_from(first, folder_at(first - 1))) {
        first--;
    }
    return first;
}

static bool is_in_cache(const char *name, const char *found)
{
    if (!cache_is_open) {
        cache_is_open = true;
        cache = library_cache_open();
    }
    return library_cache_has(&cache, name, found);
}

const char *library_search_note(struct link_map *loader, const char *name,
                                const char *found)
{
    if (!read_folders(loader)) {
        records_add_opaque("cannot follow the search for a library", name, NULL);
        return name;
    }
    const unsigned system = first_system_folder();
    for (unsigned i = 0; i < system; i++) {
        if (note_folder(folder_at(i), name, found)) {
            return path;
        }
    }
    if (is_in_cache(name, found)) {
        return name;
    }
    for (unsigned i = system; i < folders.info.dls_cnt; i++) {
        if (note_folder(folder_at(i), name, found)) {
            return path;
        }
    }
    if (found != NULL) {
        records_add_opaque("cannot follow the search for a library", found, NULL);
    }
    return NULL;
}

void library_search_pause(void)
{
    if (cache_is_open) {
        library_cache_close(&cache);
        cache_is_open = false;
    }
}
