// SPDX-License-Identifier: MIT
// The parts of os.h that are the same on every system.

#include "os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { READ_PIECE = 256 * 1024 };

bool file_status_equal(const struct file_status *a, const struct file_status *b)
{
    return a->kind == b->kind && a->device == b->device && a->inode == b->inode &&
           a->size == b->size && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

bool os_is_temporary_name(const char *name)
{
    return strstr(name, OS_TEMPORARY_MARK) != NULL;
}

// ---- Reading ------------------------------------------------------------------------

bool os_read_file(const char *path, struct buffer *content, struct file_status *status,
                  struct error *error)
{
    struct file_status own;
    if (status == NULL) {
        status = &own;
    }
    const int handle = os_open_reading(path, status, error);
    if (handle < 0) {
        return false;
    }
    const size_t before = content->size;
    // One byte more than the file's size, so that the end shows without another read.
    size_t room = status->kind == FILE_REGULAR ? (size_t)status->size + 1 : READ_PIECE;
    for (;;) {
        unsigned char *to = buffer_reserve(content, room);
        const int64_t got = os_read_next(handle, to, room);
        if (got < 0) {
            error_set_errno(error, "cannot read %s", path);
            os_close_reading(handle);
            content->size = before;
            return false;
        }
        content->size += (size_t)got;
        if (got == 0 ||
            (status->kind == FILE_REGULAR && content->size - before == status->size)) {
            break;
        }
        room = READ_PIECE;
    }
    os_close_reading(handle);
    return true;
}

bool os_read_pieces(const char *path, bool (*use)(void *, const void *, size_t),
                    void *context, struct file_status *status, struct error *error)
{
    struct file_status own;
    const int handle = os_open_reading(path, status == NULL ? &own : status, error);
    if (handle < 0) {
        return false;
    }
    unsigned char *piece = mem_new(1, READ_PIECE);
    int64_t got = 0;
    bool ok = true;
    while (ok && (got = os_read_next(handle, piece, READ_PIECE)) > 0) {
        ok = use(context, piece, (size_t)got);
    }
    if (got < 0) {
        ok = error_set_errno(error, "cannot read %s", path);
    }
    free(piece);
    os_close_reading(handle);
    return ok;
}

// ---- Removing a tree ----------------------------------------------------------------

struct removal {
    const char *folder;
    struct error *error;
    bool ok;
};

static bool remove_one(void *context, const char *name)
{
    struct removal *removal = context;
    char *path = mem_printf("%s/%s", removal->folder, name);
    struct error why;
    struct file_status status;
    // As a file first: a link to a folder must not lead us there.
    if (!os_remove_file(path, &why)) {
        if (os_stat_link(path, &status) && status.kind == FILE_DIRECTORY) {
            removal->ok = os_remove_tree(path, removal->error) && removal->ok;
        } else {
            removal->ok = error_set(removal->error, "%s", why.text);
        }
    }
    free(path);
    return true;
}

bool os_remove_tree(const char *path, struct error *error)
{
    // A running build may add files while we remove them: a few rounds settle that.
    for (int round = 0;; round++) {
        struct removal removal = {.folder = path, .error = error, .ok = true};
        if (!os_list_directory(path, remove_one, &removal, error) || !removal.ok) {
            return false;
        }
        if (os_remove_folder(path)) {
            return true;
        }
        if ((errno != ENOTEMPTY && errno != EEXIST) || round == 9) {
            return error_set_errno(error, "cannot remove the folder %s", path);
        }
    }
}
