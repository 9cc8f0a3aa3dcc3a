// SPDX-License-Identifier: MIT
// os.h for POSIX systems: folders and paths.

#define _GNU_SOURCE // realpath with C11 and no extensions

#include "os.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// ---- Folders ------------------------------------------------------------------------

bool os_make_directories(const char *path, struct error *error)
{
    struct file_status status;
    // EEXIST for a file is a failure, for a folder that another process made it is not.
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && os_stat(path, &status) && status.kind == FILE_DIRECTORY)) {
        return true;
    }
    const char *slash = strrchr(path, '/');
    if (errno != ENOENT || slash == NULL || slash == path) {
        return error_set_errno(error, "cannot create the folder %s", path);
    }
    char *parent = mem_strndup(path, (size_t)(slash - path));
    const bool ok = os_make_directories(parent, error);
    free(parent);
    if (!ok) {
        return false;
    }
    if (slash[1] == '\0' || mkdir(path, 0777) == 0 || errno == EEXIST) {
        return true;
    }
    return error_set_errno(error, "cannot create the folder %s", path);
}

bool os_list_directory(const char *path, bool (*visit)(void *, const char *name),
                       void *context, struct error *error)
{
    DIR *directory = opendir(path);
    if (directory == NULL) {
        return errno == ENOENT ||
               error_set_errno(error, "cannot list the folder %s", path);
    }
    const struct dirent *entry = NULL;
    while (errno = 0, (entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !visit(context, entry->d_name)) {
            errno = 0;
            break;
        }
    }
    const bool ok =
        errno == 0 || error_set_errno(error, "cannot list the folder %s", path);
    (void)closedir(directory);
    return ok;
}

bool os_remove_folder(const char *path)
{
    return rmdir(path) == 0 || errno == ENOENT;
}

bool os_free_space(const char *path, uint64_t *bytes)
{
    struct statvfs status;
    if (statvfs(path, &status) != 0) {
        return false;
    }
    *bytes = (uint64_t)status.f_bavail * (uint64_t)status.f_frsize;
    return true;
}

bool os_can_write_directory(const char *path)
{
    return access(path, W_OK | X_OK) == 0;
}

const char *os_temporary_directory(void)
{
    const char *folder = getenv("TMPDIR");
    return folder != NULL && folder[0] != '\0' ? folder : "/tmp";
}

// ---- Paths --------------------------------------------------------------------------

char *os_find_program(const char *name)
{
    if (strchr(name, '/') != NULL) {
        return mem_strdup(name);
    }
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        const size_t length = strcspn(path, ":");
        char *candidate = mem_printf("%.*s/%s", length == 0 ? 1 : (int)length,
                                     length == 0 ? "." : path, name);
        struct file_status status;
        if (os_stat(candidate, &status) && status.kind == FILE_REGULAR &&
            access(candidate, X_OK) == 0) {
            return candidate;
        }
        free(candidate);
        path += length + (path[length] == ':');
    }
    return NULL;
}

char *os_absolute_path(const char *path)
{
    char *resolved = realpath(path, NULL);
    char *copy = resolved == NULL ? NULL : mem_strdup(resolved);
    free(resolved);
    return copy;
}

char *os_own_folder(void)
{
#ifdef __linux__
    char *path = os_absolute_path("/proc/self/exe");
    char *slash = path == NULL ? NULL : strrchr(path, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    return path;
#else
    return NULL;
#endif
}

char *os_current_folder(void)
{
    struct buffer path = {0};
    const char *result = NULL;
    size_t room = 256;
    do {
        room *= 2;
        result = getcwd((char *)buffer_reserve(&path, room), room);
    } while (result == NULL && errno == ERANGE);
    char *copy = result == NULL ? NULL : mem_strdup(result);
    buffer_release(&path);
    return copy;
}
