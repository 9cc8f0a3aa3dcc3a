// SPDX-License-Identifier: MIT
// os.h for Windows: locks.
//
// The open file is the lock: it is opened for writing, and shared for reading and
// removing only. So nobody else can open it that way, while everybody can read it, and
// remove it, which makes room for another file of that name with a lock of its own. The
// system closes it, whatever becomes of the process. Unlike LockFileEx, this bars no
// reader of the file and needs no second look at whether the file still has the name.

#include "os.h"
#include "os_windows.h"

#include <stdlib.h>

static enum lock_result try_once(const wchar_t *path, int *handle)
{
    HANDLE file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE | DELETE,
                              FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_ALWAYS,
                              FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE) {
        return GetLastError() == ERROR_SHARING_VIOLATION ? LOCK_BUSY : LOCK_UNAVAILABLE;
    }
    *handle = windows_number_of(file);
    return *handle < 0 ? LOCK_UNAVAILABLE : LOCK_TAKEN;
}

enum lock_result os_lock_try(const char *path, int *handle)
{
    wchar_t *wide = windows_path(path);
    if (wide == NULL) {
        return LOCK_UNAVAILABLE;
    }
    enum lock_result result = try_once(wide, handle);
    // Between its removal and the end of the last handle to it, a file can neither be
    // opened nor made, which looks like a lack of rights. It passes in no time.
    for (int attempt = 0; attempt < 10 && result == LOCK_UNAVAILABLE &&
                          GetLastError() == ERROR_ACCESS_DENIED;
         attempt++) {
        Sleep(1);
        result = try_once(wide, handle);
    }
    free(wide);
    return result;
}

size_t os_lock_read(int handle, void *data, size_t size)
{
    OVERLAPPED start = {0};
    DWORD got = 0;
    const DWORD most = size > UINT32_MAX ? UINT32_MAX : (DWORD)size;
    return ReadFile(windows_handle_of(handle), data, most, &got, &start) ? got : 0;
}

bool os_lock_write(int handle, const void *data, size_t size)
{
    OVERLAPPED start = {0};
    DWORD written = 0;
    if (size > UINT32_MAX) {
        return false;
    }
    return WriteFile(windows_handle_of(handle), data, (DWORD)size, &written, &start) &&
           written == size;
}

void os_lock_release(int handle, const char *path, bool remove)
{
    (void)path; // it may be that of another file by now; the handle never is
    if (remove) {
        FILE_DISPOSITION_INFO gone = {.DeleteFile = TRUE};
        (void)SetFileInformationByHandle(windows_handle_of(handle), FileDispositionInfo,
                                         &gone, sizeof gone);
    }
    os_close_reading(handle);
}
