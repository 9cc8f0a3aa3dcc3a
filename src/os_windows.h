// SPDX-License-Identifier: MIT
// What the files that implement os.h for Windows share. The build defines _WIN32_WINNT.

#ifndef HALIDECACHE_OS_WINDOWS_H
#define HALIDECACHE_OS_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>
#include <windows.h>

/** Sets errno to what the last error of the system (GetLastError) comes closest to.
 *  Returns false. */
bool windows_failed(void);

/** UTF-8 as UTF-16 in new memory; NULL with errno when it is no UTF-8. */
wchar_t *windows_wide(const char *text);

/** UTF-16 as UTF-8 in new memory. Half a surrogate pair becomes U+FFFD. */
char *windows_narrow(const wchar_t *text);

/** A path for the W functions, in new memory; NULL with errno when it is no UTF-8. One
 *  that is too long for them as it is gets the form that is not. */
wchar_t *windows_path(const char *path);

/** Calls CreateFileW so that others may do whatever they like with the file meanwhile;
 *  INVALID_HANDLE_VALUE with errno. FILE_FLAG_BACKUP_SEMANTICS opens folders too. */
HANDLE windows_open(const char *path, DWORD access, DWORD creation, DWORD flags);

/** Writes all of it; false with errno. */
bool windows_write_all(HANDLE file, const void *data, size_t size);

/** Closes a handle unless it is INVALID_HANDLE_VALUE; keeps errno. */
void windows_close(HANDLE handle);

/** The number that os.h speaks of for a handle, which it then owns; -1 with errno. */
int windows_number_of(HANDLE handle);

/** And the handle behind such a number. */
HANDLE windows_handle_of(int number);

/** The times of files are counted in 100 nanoseconds since 1601; here in nanoseconds
 *  since 1970. What does not fit becomes the first or the last that does. */
int64_t windows_time_to_ns(int64_t ticks);
int64_t windows_time_from_ns(int64_t ns);

#endif
