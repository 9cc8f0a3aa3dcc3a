// SPDX-License-Identifier: MIT

#include "store.h"

#include "folder.h"
#include "os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct store {
    char *folder;
};

// A folder that vanishes is made again, but not for ever.
enum { WRITE_ATTEMPTS = 3 };

static const char tag_text[] =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This file is a cache directory tag created by HalideCache.\n"
    "# For information about cache directory tags see https://bford.info/cachedir/\n";

static void error_clear(struct error *error)
{
    if (error != NULL) {
        error->text[0] = '\0';
    }
}

// ---- The folder ---------------------------------------------------------------------

static bool is_private_name(const char *name)
{
    static const char *const names[] = {".digests", ".events",     ".events.lock",
                                        ".flights", ".last_prune", ".lock",
                                        ".probes",  ".totals"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    static const char events[] = ".events."; // and a number, see stats.c
    const size_t length = sizeof events - 1;
    return os_is_temporary_name(name) ||
           (strncmp(name, events, length) == 0 && name[length] != '\0' &&
            strspn(name + length, "0123456789") == strlen(name + length));
}

static bool note_strange_name(void *context, const char *name)
{
    bool *strange = context;
    *strange = !is_private_name(name);
    return !*strange;
}

static bool holds_nothing_strange(const char *folder)
{
    bool strange = false;
    return os_list_directory(folder, note_strange_name, &strange, NULL) && !strange;
}

static bool has_our_tag(const char *folder)
{
    struct buffer bytes = {0};
    char *path = mem_printf("%s/CACHEDIR.TAG", folder);
    const bool ok = os_read_file(path, &bytes, NULL, NULL) &&
                    bytes.size >= sizeof tag_text - 1 &&
                    memcmp(bytes.data, tag_text, sizeof tag_text - 1) == 0;
    free(path);
    buffer_release(&bytes);
    return ok;
}

bool store_is_ours(const char *folder)
{
    return has_our_tag(folder) || holds_nothing_strange(folder);
}

// The tag says that all below is ours to remove, so it is written before anything else is
// there. One stat, where the folder has it.
static bool ensure_folder(const char *folder, struct error *error)
{
    struct file_status status;
    char *tag = mem_printf("%s/CACHEDIR.TAG", folder);
    const bool tagged = os_stat(tag, &status);
    const bool ok = tagged || os_make_directories(folder, error);
    if (ok && !tagged && holds_nothing_strange(folder)) {
        // The store works without it.
        (void)os_replace_file(tag, tag_text, sizeof tag_text - 1, NULL);
    }
    free(tag);
    return ok;
}

static struct store *store_new(const char *folder)
{
    struct store *store = mem_new(1, sizeof *store);
    store->folder = mem_strdup(folder);
    return store;
}

struct store *store_open(const char *folder, struct error *error)
{
    if (folder[0] == '\0') {
        error_set(error, "the name of the cache folder is empty");
        return NULL;
    }
    return ensure_folder(folder, error) ? store_new(folder) : NULL;
}

struct store *store_open_existing(const char *folder, struct error *error)
{
    struct file_status status;
    error_clear(error);
    if (!os_stat(folder, &status)) {
        if (errno != ENOENT) {
            error_set_errno(error, "cannot open the cache folder %s", folder);
        }
        return NULL;
    }
    if (status.kind != FILE_DIRECTORY) {
        error_set(error, "%s is not a folder", folder);
        return NULL;
    }
    return store_new(folder);
}

void store_close(struct store *store)
{
    if (store != NULL) {
        free(store->folder);
        free(store);
    }
}

const char *store_folder(const struct store *store)
{
    return store->folder;
}

// ---- Files --------------------------------------------------------------------------

bool store_read(struct store *store, enum store_kind kind, const struct digest *key,
                struct buffer *content, struct error *error)
{
    char *path = folder_file_path(store->folder, kind, key);
    error_clear(error);
    const bool ok = os_read_file(path, content, NULL, error);
    if (ok) {
        (void)os_set_mtime(path, -1); // fails where the store can only be read
    } else if (errno == ENOENT) {
        error_clear(error);
    }
    free(path);
    return ok;
}

static bool write_file(const char *folder, const char *path, enum store_kind kind,
                       const void *data, size_t size, struct error *error)
{
    struct folder_change change;
    folder_change_begin(&change, folder);
    struct file_status before;
    const bool replaces = os_stat(path, &before);
    const bool ok = os_replace_file(path, data, size, error);
    if (ok) {
        if (replaces) {
            folder_change_subtract(&change, kind, before.size);
        }
        folder_change_add(&change, kind, size, os_wall_clock_ns());
    }
    folder_change_end(&change);
    return ok;
}

bool store_write(struct store *store, enum store_kind kind, const struct digest *key,
                 const void *data, size_t size, struct error *error)
{
    char *path = folder_file_path(store->folder, kind, key);
    char *folder = folder_path(store->folder, key->bytes[0]);
    bool ok = false;
    for (int attempt = 0; !ok && attempt < WRITE_ATTEMPTS; attempt++) {
        ok = write_file(folder, path, kind, data, size, error);
        struct file_status status;
        if (!ok && (os_stat(folder, &status) || !ensure_folder(store->folder, error) ||
                    !os_make_directories(folder, error))) {
            break; // not for want of a folder, or there can be none
        }
    }
    if (ok) {
        error_clear(error); // of an attempt that failed
    }
    free(folder);
    free(path);
    return ok;
}

bool store_remove(struct store *store, enum store_kind kind, const struct digest *key,
                  struct error *error)
{
    char *path = folder_file_path(store->folder, kind, key);
    struct file_status before;
    bool ok = true;
    if (os_stat(path, &before)) {
        char *folder = folder_path(store->folder, key->bytes[0]);
        struct folder_change change;
        folder_change_begin(&change, folder);
        const bool there = os_stat(path, &before);
        ok = os_remove_file(path, error);
        if (ok && there) {
            folder_change_subtract(&change, kind, before.size);
        }
        folder_change_end(&change);
        free(folder);
    }
    free(path);
    return ok;
}

// ---- The whole ----------------------------------------------------------------------

static bool note_number(void *context, const char *name)
{
    bool *present = context;
    unsigned number = 0;
    if (folder_parse_number(name, &number)) {
        present[number] = true;
    }
    return true;
}

bool store_usage(struct store *store, struct store_usage *usage, struct error *error)
{
    *usage = (struct store_usage){0};
    bool present[STORE_FOLDERS] = {false};
    if (!os_list_directory(store->folder, note_number, present, error)) {
        return false;
    }
    for (unsigned i = 0; i < STORE_FOLDERS; i++) {
        if (!present[i]) {
            continue;
        }
        char *folder = folder_path(store->folder, i);
        struct folder_size size;
        const bool ok = folder_size_get(folder, &size, error);
        free(folder);
        if (!ok) {
            return false;
        }
        usage->files += size.files;
        usage->entries += size.entries;
        usage->bytes += size.bytes;
    }
    return true;
}

struct clearing {
    const char *folder;
    struct error *error;
    bool ok;
};

static bool clear_one(void *context, const char *name)
{
    struct clearing *clearing = context;
    if (strcmp(name, "CACHEDIR.TAG") == 0 || strcmp(name, ".lock") == 0) {
        return true;
    }
    // As a file first: a link to a folder must not lead us there.
    char *path = mem_printf("%s/%s", clearing->folder, name);
    struct error why;
    struct file_status status;
    if (!os_remove_file(path, &why)) {
        if (os_stat(path, &status) && status.kind == FILE_DIRECTORY) {
            clearing->ok = os_remove_tree(path, clearing->error) && clearing->ok;
        } else {
            clearing->ok = error_set(clearing->error, "%s", why.text);
        }
    }
    free(path);
    return true;
}

bool store_clear(struct store *store, struct error *error)
{
    // A prune that runs now does no harm, nor do we to it.
    int handle = -1;
    char *lock = mem_printf("%s/.lock", store->folder);
    const bool locked = os_lock_try(lock, &handle) == LOCK_TAKEN;
    struct clearing clearing = {.folder = store->folder, .error = error, .ok = true};
    const bool listed = os_list_directory(store->folder, clear_one, &clearing, error);
    if (locked) {
        os_lock_release(handle, lock, true);
    }
    free(lock);
    return listed && clearing.ok;
}
