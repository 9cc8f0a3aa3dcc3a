// SPDX-License-Identifier: MIT

#include "sweep.h"

#include <stdlib.h>
#include <string.h>

enum {
    STALE_S = 3600,
    MOST_NAMES = 4096, // looked at in one folder, at one time
};

static const int64_t second_ns = 1000000000;

static bool is_lock_name(const char *name)
{
    static const char suffix[] = ".lock";
    const size_t length = strlen(name);
    const size_t suffix_length = sizeof suffix - 1;
    return length > suffix_length && strcmp(name + length - suffix_length, suffix) == 0;
}

static void remove_unless_held(const char *lock)
{
    int handle = -1;
    if (os_lock_try(lock, &handle) == LOCK_TAKEN) {
        os_lock_release(handle, lock, true);
    }
}

static bool is_older(const char *path, const struct file_status *status, int64_t now_ns,
                     int64_t age_s)
{
    if (status->mtime_ns > now_ns) {
        // A clock was wrong; from now on it grows old.
        (void)os_set_mtime(path, now_ns);
        return false;
    }
    return now_ns - status->mtime_ns > age_s * second_ns;
}

void sweep_file(const char *name, const char *path, const struct file_status *status,
                int64_t now_ns)
{
    const bool temporary = os_is_temporary_name(name);
    if ((!temporary && !is_lock_name(name)) || !is_older(path, status, now_ns, STALE_S)) {
        return;
    }
    if (temporary) {
        (void)os_remove_file(path, NULL);
    } else {
        remove_unless_held(path);
    }
}

struct side_folder {
    const char *name;
    bool holds_locks; // whatever they are called
    int64_t keep_s;
};

static const struct side_folder side_folders[] = {
    {".flights", true, STALE_S},            // see flight.h
    {".digests", false, 30 * 24 * 60 * 60}, // see file_digest.h; it can be made again
};

struct sweeping {
    const struct side_folder *side;
    const char *folder;
    int64_t now_ns;
    unsigned names;
};

static bool sweep_one(void *context, const char *name)
{
    struct sweeping *sweeping = context;
    const struct side_folder *side = sweeping->side;
    const int64_t now_ns = sweeping->now_ns;
    char *path = mem_printf("%s/%s", sweeping->folder, name);
    struct file_status status;
    if (os_stat(path, &status) && status.kind == FILE_REGULAR) {
        if (os_is_temporary_name(name)) {
            sweep_file(name, path, &status, now_ns);
        } else if (!is_older(path, &status, now_ns, side->keep_s)) {
            // It may be in use.
        } else if (side->holds_locks) {
            remove_unless_held(path);
        } else {
            (void)os_remove_file(path, NULL);
        }
    }
    free(path);
    sweeping->names++;
    return sweeping->names < MOST_NAMES;
}

void sweep_side_folders(const char *store, int64_t now_ns)
{
    for (size_t i = 0; i < sizeof side_folders / sizeof side_folders[0]; i++) {
        char *folder = mem_printf("%s/%s", store, side_folders[i].name);
        struct sweeping sweeping = {
            .side = &side_folders[i], .folder = folder, .now_ns = now_ns};
        (void)os_list_directory(folder, sweep_one, &sweeping, NULL);
        free(folder);
    }
}
