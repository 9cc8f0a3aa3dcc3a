// SPDX-License-Identifier: MIT
// os.h for Windows: time, and what the other files share.

#include "os_windows.h"

#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>

// ---- Errors -------------------------------------------------------------------------

bool windows_failed(void)
{
    static const struct {
        DWORD system;
        int number;
    } table[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_BAD_NET_NAME, ENOENT},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_LOCK_VIOLATION, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_INVALID_NAME, EINVAL},
        {ERROR_INVALID_PARAMETER, EINVAL},
        {ERROR_NO_UNICODE_TRANSLATION, EILSEQ},
        {ERROR_BAD_EXE_FORMAT, ENOEXEC},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
    };
    const DWORD reason = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].system == reason) {
            errno = table[i].number;
        }
    }
    return false;
}

// ---- Text ---------------------------------------------------------------------------

wchar_t *windows_wide(const char *text)
{
    const int size =
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    if (size <= 0) {
        (void)windows_failed();
        return NULL;
    }
    wchar_t *wide = mem_new((size_t)size, sizeof *wide);
    (void)MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, size);
    return wide;
}

char *windows_narrow(const wchar_t *text)
{
    const int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = mem_new(size > 0 ? (size_t)size : 1, 1);
    (void)WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, size, NULL, NULL);
    return narrow;
}

wchar_t *windows_path(const char *path)
{
    enum {
        SHORT_ENOUGH = 240
    }; // MAX_PATH is 260, and a folder has to leave room for 8.3
    static const wchar_t prefix[] = L"\\\\?\\";
    static const wchar_t share[] = L"\\\\?\\UNC\\";
    wchar_t *wide = windows_wide(path);
    const DWORD size = wide == NULL ? 0 : GetFullPathNameW(wide, 0, NULL, NULL);
    if (size <= SHORT_ENOUGH) {
        return wide; // also an empty one, which the functions refuse
    }
    wchar_t *full = mem_new(size, sizeof *full);
    const DWORD length = GetFullPathNameW(wide, size, full, NULL);
    const bool is_share = wcsncmp(full, L"\\\\", 2) == 0;
    if (length == 0 || length >= size || wcsncmp(full, L"\\\\?\\", 4) == 0 ||
        wcsncmp(full, L"\\\\.\\", 4) == 0) {
        free(full);
        return wide;
    }
    free(wide);
    wide = mem_new(size + sizeof share / sizeof share[0], sizeof *wide);
    (void)wcscpy(wide, is_share ? share : prefix);
    (void)wcscat(wide, is_share ? full + 2 : full);
    free(full);
    return wide;
}

// ---- Handles ------------------------------------------------------------------------

HANDLE windows_open(const char *path, DWORD access, DWORD creation, DWORD flags)
{
    wchar_t *wide = windows_path(path);
    if (wide == NULL) {
        return INVALID_HANDLE_VALUE;
    }
    const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE file = CreateFileW(wide, access, share, NULL, creation,
                              FILE_ATTRIBUTE_NORMAL | flags, NULL);
    if (file == INVALID_HANDLE_VALUE) {
        (void)windows_failed();
    }
    free(wide);
    return file;
}

bool windows_write_all(HANDLE file, const void *data, size_t size)
{
    enum { PIECE = 1 << 30 }; // what a DWORD can count
    const char *from = data;
    while (size > 0) {
        DWORD written = 0;
        if (!WriteFile(file, from, size < PIECE ? (DWORD)size : PIECE, &written, NULL)) {
            return windows_failed();
        }
        from += written;
        size -= written;
    }
    return true;
}

void windows_close(HANDLE handle)
{
    if (handle != INVALID_HANDLE_VALUE) {
        (void)CloseHandle(handle); // does not touch errno
    }
}

// The numbers are file descriptors of the C library, which has the table that it takes.
int windows_number_of(HANDLE handle)
{
    const int number = _open_osfhandle((intptr_t)handle, _O_BINARY);
    if (number < 0) {
        windows_close(handle);
    }
    return number;
}

HANDLE windows_handle_of(int number)
{
    return (HANDLE)_get_osfhandle(number);
}

// ---- Time ---------------------------------------------------------------------------

static const int64_t epoch_ticks = INT64_C(116444736000000000); // from 1601 to 1970

int64_t windows_time_to_ns(int64_t ticks)
{
    const int64_t since_1970 = ticks - epoch_ticks; // ticks are never negative
    if (since_1970 > INT64_MAX / 100) {
        return INT64_MAX;
    }
    return since_1970 < INT64_MIN / 100 ? INT64_MIN : since_1970 * 100;
}

int64_t windows_time_from_ns(int64_t ns)
{
    return ns / 100 + epoch_ticks;
}

int64_t os_wall_clock_ns(void)
{
    FILETIME now;
    GetSystemTimePreciseAsFileTime(&now);
    const uint64_t ticks = (uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime;
    return windows_time_to_ns((int64_t)ticks);
}

int64_t os_monotonic_ns(void)
{
    LARGE_INTEGER count;
    LARGE_INTEGER per_second; // neither call can fail since Windows XP
    (void)QueryPerformanceCounter(&count);
    (void)QueryPerformanceFrequency(&per_second);
    const int64_t seconds = count.QuadPart / per_second.QuadPart;
    const int64_t rest = count.QuadPart % per_second.QuadPart;
    return seconds * 1000000000 + rest * 1000000000 / per_second.QuadPart;
}

void os_sleep_ms(unsigned milliseconds)
{
    Sleep(milliseconds);
}

bool os_loader_lists_libraries(void)
{
    return false;
}
