// SPDX-License-Identifier: MIT

#include "probe_file.h"

#include "buffer.h"
#include "identity.h"
#include "os.h"
#include "probe/protocol.h"

#include <stdlib.h>
#include <string.h>

enum { BUILD_WAIT_MS = 120000, BUILD_POLL_MS = 100 };

static bool is_file(const char *path)
{
    struct file_status status;
    return os_stat(path, &status) && status.kind == FILE_REGULAR;
}

// Cuts the last component off; false when there is none left.
static bool to_parent(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path) {
        return false;
    }
    *slash = '\0';
    return true;
}

// ---- In the build tree --------------------------------------------------------------

// Where cmake/HalideCacheProbe.cmake puts it, below the top of the build tree.
static char *find_in_build_tree(const char *program)
{
    char *folder = os_absolute_path(program);
    char *found = NULL;
    while (folder != NULL && found == NULL && to_parent(folder)) {
        char *probe = mem_printf("%s/" HALIDECACHE_PROBE_IN_BUILD_TREE, folder);
        if (is_file(probe)) {
            found = probe;
        } else {
            free(probe);
        }
    }
    free(folder);
    return found;
}

// ---- In the cache folder ------------------------------------------------------------

// The dynamic loader itself tells what it would load.
static char *find_halide(const char *program, struct error *error)
{
    if (!os_loader_lists_libraries()) {
        error_set(error, "no --probe, and no way to find its libHalide on this system");
        return NULL;
    }
    struct buffer listing = {0};
    char *const command[] = {mem_strdup(program), NULL};
    char *library = NULL;
    if (os_run(command, "LD_TRACE_LOADED_OBJECTS=1", &listing, error)) {
        buffer_append_u8(&listing, '\0');
        // "<tab>libHalide.so.21 => /prefix/lib/libHalide.so.21 (0x...)"
        const char *line = strstr((const char *)listing.data, "libHalide.so");
        const char *path = line == NULL ? NULL : strstr(line, "=> /");
        const char *end = path == NULL ? NULL : strstr(path, " (0x");
        if (end != NULL) {
            library = mem_strndup(path + 3, (size_t)(end - path - 3));
        } else {
            error_set(error, "%s loads no shared libHalide", program);
        }
    }
    free(command[0]);
    buffer_release(&listing);
    return library;
}

// The folder of Halide.h that belongs to a library: beside it in a prefix.
static char *find_headers(const char *library)
{
    char *folder = os_absolute_path(library);
    while (folder != NULL && to_parent(folder)) {
        char *header = mem_printf("%s/include/Halide.h", folder);
        const bool found = is_file(header);
        free(header);
        if (found) {
            char *include = mem_printf("%s/include", folder);
            free(folder);
            return include;
        }
    }
    free(folder);
    return NULL;
}

static char *find_sources(void)
{
    char *own = os_own_folder();
    char *installed =
        mem_printf("%s/../share/halidecache/src/probe", own == NULL ? "" : own);
    char *main_source = mem_printf("%s/all.cpp", installed);
    if (!is_file(main_source)) {
        free(installed);
        installed = mem_strdup(HALIDECACHE_PROBE_SOURCES);
    }
    free(main_source);
    free(own);
    return installed;
}

static bool compile(const char *library, const char *probe, struct error *error)
{
    char *include = find_headers(library);
    if (include == NULL) {
        return error_set(error, "no include/Halide.h beside %s", library);
    }
    const char *compiler = os_variable("CXX");
    char *folder = find_sources();
    char *unfinished = mem_printf("%s.%s", probe, "part");
    char *libraries = mem_strdup(library);
    (void)to_parent(libraries);
    char *source = mem_printf("%s/all.cpp", folder);
    char *search = mem_printf("-I%s", include);
    char *rpath = mem_printf("-Wl,-rpath,%s", libraries);
    char *program =
        mem_strdup(compiler != NULL && compiler[0] != '\0' ? compiler : "c++");
    char *const command[] = {program,
                             source,
                             "-std=c++17",
                             "-O1",
                             "-w",
                             "-fPIC",
                             "-shared",
                             "-fvisibility=hidden",
                             "-fno-sanitize=all",
                             search,
                             (char *)library,
                             rpath,
                             "-ldl",
                             "-o",
                             unfinished,
                             NULL};
    struct buffer ignored = {0};
    const bool ok =
        os_run(command, NULL, &ignored, error) && os_rename(unfinished, probe, error);
    buffer_release(&ignored);
    free(program);
    free(rpath);
    free(search);
    free(source);
    free(libraries);
    free(unfinished);
    free(folder);
    free(include);
    return ok;
}

// One process compiles, others that want the same probe wait for it.
static bool compile_once(const char *library, const char *probe, struct error *error)
{
    char *lock_path = mem_printf("%s.lock", probe);
    int lock = -1;
    enum lock_result result = os_lock_try(lock_path, &lock);
    for (int waited = 0; result == LOCK_BUSY && waited < BUILD_WAIT_MS;
         waited += BUILD_POLL_MS) {
        os_sleep_ms(BUILD_POLL_MS);
        result = os_lock_try(lock_path, &lock);
    }
    bool ok = is_file(probe);
    if (!ok && result == LOCK_TAKEN) {
        ok = compile(library, probe, error);
    } else if (!ok) {
        error_set(error, "cannot lock %s", lock_path);
    }
    if (result == LOCK_TAKEN) {
        os_lock_release(lock, lock_path, true);
    }
    free(lock_path);
    return ok;
}

static char *find_in_cache(const char *program, const char *folder, struct error *error)
{
    char *library = find_halide(program, error);
    char *identity = library == NULL ? NULL : identity_of_file(library, NULL, error);
    char *probe = NULL;
    struct digest digest;
    if (identity != NULL && sha256_of(identity, strlen(identity), &digest)) {
        char hex[SHA256_HEX_SIZE];
        digest_to_hex(&digest, hex);
        char *probes = mem_printf("%s/.probes", folder);
        char *resolved =
            os_make_directories(probes, error) ? os_absolute_path(probes) : NULL;
        if (resolved != NULL) {
            probe = mem_printf("%s/halide-cache-probe-%d-%.32s.so", resolved,
                               PROBE_VERSION, hex);
            if (!is_file(probe) && !compile_once(library, probe, error)) {
                free(probe);
                probe = NULL;
            }
        }
        free(resolved);
        free(probes);
    }
    free(identity);
    free(library);
    return probe;
}

char *probe_file_find(const char *given, const char *program, const char *folder,
                      struct error *error)
{
    if (given != NULL) {
        char *absolute = os_absolute_path(given);
        if (absolute == NULL) {
            error_set(error, "there is no probe %s", given);
        }
        return absolute;
    }
    char *in_build_tree = find_in_build_tree(program);
    return in_build_tree != NULL ? in_build_tree : find_in_cache(program, folder, error);
}
