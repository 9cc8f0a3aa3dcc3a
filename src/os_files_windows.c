// SPDX-License-Identifier: MIT
// os.h for Windows: files.

#include "os.h"
#include "os_windows.h"

#include <errno.h>
#include <io.h>
#include <stdlib.h>

// ---- Status -------------------------------------------------------------------------

static bool is_link(HANDLE file)
{
    FILE_ATTRIBUTE_TAG_INFO info;
    return GetFileInformationByHandleEx(file, FileAttributeTagInfo, &info, sizeof info) &&
           (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
           IsReparseTagNameSurrogate(info.ReparseTag);
}

static bool status_of(HANDLE file, struct file_status *status)
{
    *status = (struct file_status){.kind = FILE_OTHER};
    if (GetFileType(file) != FILE_TYPE_DISK) {
        return true; // a console, a pipe, NUL
    }
    BY_HANDLE_FILE_INFORMATION info;
    FILE_BASIC_INFO times;
    if (!GetFileInformationByHandle(file, &info) ||
        !GetFileInformationByHandleEx(file, FileBasicInfo, &times, sizeof times)) {
        return windows_failed();
    }
    status->kind = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0
                       ? FILE_DIRECTORY
                       : FILE_REGULAR;
    status->device = info.dwVolumeSerialNumber;
    status->inode = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
    status->size = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow;
    status->mtime_ns = windows_time_to_ns(times.LastWriteTime.QuadPart);
    status->ctime_ns = windows_time_to_ns(times.ChangeTime.QuadPart);
    return true;
}

bool os_stat(const char *path, struct file_status *status)
{
    HANDLE file = windows_open(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS);
    const bool ok = file != INVALID_HANDLE_VALUE && status_of(file, status);
    windows_close(file);
    return ok;
}

bool os_stat_link(const char *path, struct file_status *status)
{
    HANDLE file = windows_open(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    const bool ok = file != INVALID_HANDLE_VALUE && status_of(file, status);
    if (ok && is_link(file)) {
        status->kind = FILE_OTHER;
    }
    windows_close(file);
    return ok;
}

char *os_read_link(const char *path)
{
    (void)path; // only direct mode asks, which takes the tracer
    return NULL;
}

int os_access(const char *path)
{
    static const struct {
        DWORD access;
        int bit;
    } rights[] = {{FILE_READ_DATA, 4}, {FILE_WRITE_DATA, 2}, {FILE_EXECUTE, 1}};
    struct file_status status;
    if (!os_stat(path, &status)) {
        return -1;
    }
    int granted = 0;
    for (size_t i = 0; i < sizeof rights / sizeof rights[0]; i++) {
        HANDLE file = windows_open(path, rights[i].access, OPEN_EXISTING,
                                   FILE_FLAG_BACKUP_SEMANTICS);
        granted |= file == INVALID_HANDLE_VALUE ? 0 : rights[i].bit;
        windows_close(file);
    }
    return granted;
}

bool os_set_mtime(const char *path, int64_t mtime_ns)
{
    HANDLE file = windows_open(path, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS);
    if (file == INVALID_HANDLE_VALUE) {
        return false;
    }
    const int64_t ticks =
        windows_time_from_ns(mtime_ns < 0 ? os_wall_clock_ns() : mtime_ns);
    const FILETIME time = {.dwLowDateTime = (DWORD)(ticks & UINT32_MAX),
                           .dwHighDateTime = (DWORD)(ticks >> 32)};
    const bool ok = SetFileTime(file, NULL, NULL, &time) || windows_failed();
    windows_close(file);
    return ok;
}

// ---- Reading ------------------------------------------------------------------------

int os_open_reading(const char *path, struct file_status *status, struct error *error)
{
    HANDLE file = windows_open(path, GENERIC_READ, OPEN_EXISTING, 0);
    if (file == INVALID_HANDLE_VALUE) {
        error_set_errno(error, "cannot open %s", path);
        return -1;
    }
    if (!status_of(file, status)) {
        error_set_errno(error, "cannot examine %s", path);
        windows_close(file);
        return -1;
    }
    const int number = windows_number_of(file);
    if (number < 0) {
        error_set_errno(error, "cannot open %s", path);
    }
    return number;
}

// How many bytes; 0 at the end, -1 with errno. `at` may be NULL: what comes next.
static int64_t read_some(HANDLE file, void *to, size_t size, OVERLAPPED *at)
{
    enum { PIECE = 1 << 30 }; // what a DWORD can count
    DWORD got = 0;
    if (ReadFile(file, to, size < PIECE ? (DWORD)size : PIECE, &got, at)) {
        return got;
    }
    const DWORD reason = GetLastError();
    if (reason == ERROR_HANDLE_EOF || reason == ERROR_BROKEN_PIPE) {
        return 0;
    }
    (void)windows_failed();
    return -1;
}

int64_t os_read_next(int handle, void *to, size_t size)
{
    return read_some(windows_handle_of(handle), to, size, NULL);
}

bool os_read_at(int handle, uint64_t offset, void *to, size_t size)
{
    unsigned char *next = to;
    while (size > 0) {
        OVERLAPPED at = {.Offset = (DWORD)(offset & UINT32_MAX),
                         .OffsetHigh = (DWORD)(offset >> 32)};
        const int64_t got = offset > INT64_MAX
                                ? 0
                                : read_some(windows_handle_of(handle), next, size, &at);
        if (got <= 0) {
            errno = got == 0 ? 0 : errno;
            return false;
        }
        next += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

void os_close_reading(int handle)
{
    const int saved = errno;
    if (handle >= 0) {
        (void)_close(handle);
    }
    errno = saved;
}

// ---- Writing ------------------------------------------------------------------------

bool os_write_file(const char *path, const void *data, size_t size, struct error *error)
{
    HANDLE file = windows_open(path, GENERIC_WRITE, CREATE_ALWAYS, 0);
    if (file == INVALID_HANDLE_VALUE) {
        return error_set_errno(error, "cannot create %s", path);
    }
    const bool ok = windows_write_all(file, data, size);
    windows_close(file);
    if (!ok) {
        error_set_errno(error, "cannot write %s", path);
        const int saved = errno;
        (void)os_remove_file(path, NULL);
        errno = saved;
    }
    return ok;
}

// A file with a name of its own beside `path`; INVALID_HANDLE_VALUE with errno.
static HANDLE create_beside(const char *path, char **name)
{
    HANDLE file = INVALID_HANDLE_VALUE;
    int64_t number = os_monotonic_ns();
    for (int attempt = 0; attempt < 100 && file == INVALID_HANDLE_VALUE; attempt++) {
        free(*name);
        *name = mem_printf("%s%s%lx-%llx", path, OS_TEMPORARY_MARK, GetCurrentProcessId(),
                           (unsigned long long)number++);
        file = windows_open(*name, GENERIC_WRITE, CREATE_NEW, 0);
        if (file == INVALID_HANDLE_VALUE && errno != EEXIST) {
            break;
        }
    }
    return file;
}

static bool is_folder(const wchar_t *path)
{
    const DWORD attributes = GetFileAttributesW(path);
    return attributes != INVALID_FILE_ATTRIBUTES &&
           (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

// A file that another process has open cannot be renamed over, not even where it shares
// everything. Readers have ours for an instant; so do indexers and virus scanners.
static bool rename_over(const wchar_t *from, const wchar_t *to)
{
    enum { WAIT_MS = 500, POLL_MS = 5 };
    for (unsigned waited_ms = 0;; waited_ms += POLL_MS) {
        if (MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING)) {
            return true;
        }
        const DWORD reason = GetLastError();
        const bool in_use =
            reason == ERROR_SHARING_VIOLATION || reason == ERROR_ACCESS_DENIED;
        if (!in_use || waited_ms >= WAIT_MS || is_folder(to)) {
            SetLastError(reason);
            return windows_failed();
        }
        Sleep(POLL_MS);
    }
}

static bool rename_path(const char *from, const char *to)
{
    wchar_t *wide_from = windows_path(from);
    wchar_t *wide_to = windows_path(to);
    const bool ok =
        wide_from != NULL && wide_to != NULL && rename_over(wide_from, wide_to);
    const int saved = errno;
    free(wide_from);
    free(wide_to);
    errno = saved;
    return ok;
}

bool os_replace_file(const char *path, const void *data, size_t size, struct error *error)
{
    char *temporary = NULL;
    HANDLE file = create_beside(path, &temporary);
    if (file == INVALID_HANDLE_VALUE) {
        error_set_errno(error, "cannot create a file beside %s", path);
        free(temporary);
        return false;
    }
    bool ok = windows_write_all(file, data, size);
    windows_close(file);
    if (!ok || !rename_path(temporary, path)) {
        error_set_errno(error, "cannot write %s", path);
        const int saved = errno;
        (void)os_remove_file(temporary, NULL);
        errno = saved;
        ok = false;
    }
    free(temporary);
    return ok;
}

bool os_append_file(const char *path, const void *data, size_t size, struct error *error)
{
    // With this right alone, every write goes to the end that the file has then.
    HANDLE file = windows_open(path, FILE_APPEND_DATA, OPEN_ALWAYS, 0);
    if (file == INVALID_HANDLE_VALUE) {
        return error_set_errno(error, "cannot open %s", path);
    }
    DWORD written = 0;
    bool ok = size <= UINT32_MAX;
    if (!ok) {
        errno = EINVAL;
    } else {
        ok = WriteFile(file, data, (DWORD)size, &written, NULL) || windows_failed();
    }
    if (ok && written != size) {
        errno = ENOSPC;
        ok = false;
    }
    if (!ok) {
        error_set_errno(error, "cannot append to %s", path);
    }
    windows_close(file);
    return ok;
}

// ---- Removing and renaming ----------------------------------------------------------

static bool remove_path(const wchar_t *path)
{
    if (DeleteFileW(path)) {
        return true;
    }
    const DWORD reason = GetLastError();
    if (reason == ERROR_FILE_NOT_FOUND || reason == ERROR_PATH_NOT_FOUND) {
        return true;
    }
    // A link to a folder is one too, and goes alone.
    const DWORD attributes = GetFileAttributesW(path);
    if (attributes != INVALID_FILE_ATTRIBUTES &&
        (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 &&
        (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && RemoveDirectoryW(path)) {
        return true;
    }
    SetLastError(reason);
    return windows_failed();
}

bool os_remove_file(const char *path, struct error *error)
{
    wchar_t *wide = windows_path(path);
    const bool ok = wide != NULL && remove_path(wide);
    free(wide);
    return ok || error_set_errno(error, "cannot remove %s", path);
}

bool os_rename(const char *from, const char *to, struct error *error)
{
    return rename_path(from, to) ||
           error_set_errno(error, "cannot rename %s to %s", from, to);
}
