// SPDX-License-Identifier: MIT
// os.h for Windows: folders and paths.

#include "os.h"
#include "os_windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- Folders ------------------------------------------------------------------------

static bool is_folder(const char *path)
{
    struct file_status status;
    return os_stat(path, &status) && status.kind == FILE_DIRECTORY;
}

static bool make_folder(const char *path)
{
    wchar_t *wide = windows_path(path);
    const bool ok = wide != NULL && (CreateDirectoryW(wide, NULL) || windows_failed());
    free(wide);
    if (ok) {
        return true;
    }
    // There already, as a folder that another process made, or a drive, which has reasons
    // of its own for not being created.
    const int saved = errno;
    const bool there = is_folder(path);
    errno = saved;
    return there;
}

// The length of the path without its last component; 0 when there is nothing else.
static size_t parent_length(const char *path)
{
    static const char separators[] = "/\\";
    size_t length = strlen(path);
    while (length > 0 && strchr(separators, path[length - 1]) != NULL) {
        length--;
    }
    while (length > 0 && strchr(separators, path[length - 1]) == NULL) {
        length--;
    }
    while (length > 0 && strchr(separators, path[length - 1]) != NULL) {
        length--;
    }
    return length;
}

bool os_make_directories(const char *path, struct error *error)
{
    if (make_folder(path)) {
        return true;
    }
    const size_t length = parent_length(path);
    if (errno != ENOENT || length == 0) {
        return error_set_errno(error, "cannot create the folder %s", path);
    }
    char *parent = mem_strndup(path, length);
    const bool ok = os_make_directories(parent, error);
    free(parent);
    return ok && (make_folder(path) ||
                  error_set_errno(error, "cannot create the folder %s", path));
}

// Visits one name after the other; false with errno when they cannot be read on.
static bool visit_names(HANDLE search, WIN32_FIND_DATAW *found,
                        bool (*visit)(void *, const char *name), void *context)
{
    bool more = true;
    while (more) {
        if (wcscmp(found->cFileName, L".") != 0 && wcscmp(found->cFileName, L"..") != 0) {
            char *name = windows_narrow(found->cFileName);
            more = visit(context, name);
            free(name);
        }
        if (more && !FindNextFileW(search, found)) {
            return GetLastError() == ERROR_NO_MORE_FILES || windows_failed();
        }
    }
    return true;
}

bool os_list_directory(const char *path, bool (*visit)(void *, const char *name),
                       void *context, struct error *error)
{
    char *pattern = mem_printf("%s/*", path);
    wchar_t *wide = windows_path(pattern);
    free(pattern);
    WIN32_FIND_DATAW found;
    HANDLE search = INVALID_HANDLE_VALUE;
    if (wide != NULL) {
        search = FindFirstFileExW(wide, FindExInfoBasic, &found, FindExSearchNameMatch,
                                  NULL, 0);
        if (search == INVALID_HANDLE_VALUE) {
            (void)windows_failed();
        }
    }
    free(wide);
    if (search != INVALID_HANDLE_VALUE) {
        const bool ok = visit_names(search, &found, visit, context) ||
                        error_set_errno(error, "cannot list the folder %s", path);
        (void)FindClose(search);
        return ok;
    }
    // The system says that there are no such names also when this is a file, or a drive
    // with nothing on it, not even ".".
    struct file_status status;
    if (errno == ENOENT && os_stat(path, &status) && status.kind != FILE_DIRECTORY) {
        errno = ENOTDIR;
    } else if (errno == ENOENT) {
        return true;
    }
    return error_set_errno(error, "cannot list the folder %s", path);
}

bool os_remove_folder(const char *path)
{
    wchar_t *wide = windows_path(path);
    const bool ok = wide != NULL && (RemoveDirectoryW(wide) || windows_failed());
    free(wide);
    return ok || errno == ENOENT;
}

bool os_free_space(const char *path, uint64_t *bytes)
{
    wchar_t *wide = windows_path(path);
    if (wide == NULL) {
        return false;
    }
    const size_t room = wcslen(wide) + MAX_PATH; // longer than any part of it
    wchar_t *volume = mem_new(room, sizeof *volume);
    ULARGE_INTEGER available = {0};
    const bool ok = (GetVolumePathNameW(wide, volume, (DWORD)room) &&
                     GetDiskFreeSpaceExW(volume, &available, NULL, NULL)) ||
                    windows_failed();
    if (ok) {
        *bytes = available.QuadPart;
    }
    free(volume);
    free(wide);
    return ok;
}

bool os_can_write_directory(const char *path)
{
    HANDLE folder =
        windows_open(path, FILE_ADD_FILE, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    windows_close(folder);
    return folder != INVALID_HANDLE_VALUE;
}

const char *os_temporary_directory(void)
{
    static char *folder; // the caller does not free it
    wchar_t path[MAX_PATH + 1];
    if (folder == NULL) {
        const DWORD length = GetTempPathW(MAX_PATH + 1, path);
        folder =
            length == 0 || length > MAX_PATH ? mem_strdup(".") : windows_narrow(path);
    }
    return folder;
}

// ---- Paths --------------------------------------------------------------------------

static bool is_file(const char *path)
{
    struct file_status status;
    return os_stat(path, &status) && status.kind == FILE_REGULAR;
}

// The file that a program's name without its .exe means, or with it; NULL when there is
// none.
static char *find_program_in(const char *folder, const char *name)
{
    char *path = mem_printf("%s%s%s.exe", folder, folder[0] == '\0' ? "" : "\\", name);
    if (is_file(path)) {
        return path;
    }
    path[strlen(path) - strlen(".exe")] = '\0';
    if (is_file(path)) {
        return path;
    }
    free(path);
    return NULL;
}

char *os_find_program(const char *name)
{
    // The current folder comes first, as when the system looks for a program.
    char *found = find_program_in("", name);
    if (found != NULL || strpbrk(name, "/\\:") != NULL) {
        return found != NULL ? found : mem_strdup(name);
    }
    const char *path = os_variable("PATH");
    while (path != NULL && *path != '\0' && found == NULL) {
        const size_t length = strcspn(path, ";");
        char *folder = mem_strndup(path, length);
        found = length == 0 ? NULL : find_program_in(folder, name);
        free(folder);
        path += length + (path[length] == ';');
    }
    return found;
}

// Without the prefix that only the W functions understand, see windows_path.
static char *narrow_without_prefix(const wchar_t *path)
{
    if (wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0) {
        char *rest = windows_narrow(path + 8);
        char *share = mem_printf("\\\\%s", rest);
        free(rest);
        return share;
    }
    return windows_narrow(wcsncmp(path, L"\\\\?\\", 4) == 0 ? path + 4 : path);
}

char *os_absolute_path(const char *path)
{
    HANDLE file = windows_open(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS);
    if (file == INVALID_HANDLE_VALUE) {
        return NULL;
    }
    const DWORD size = GetFinalPathNameByHandleW(file, NULL, 0, 0);
    wchar_t *full = mem_new((size_t)size + 1, sizeof *full);
    const DWORD length = GetFinalPathNameByHandleW(file, full, size + 1, 0);
    char *result = NULL;
    if (length > 0 && length <= size) {
        result = narrow_without_prefix(full);
    } else {
        (void)windows_failed();
    }
    free(full);
    windows_close(file);
    return result;
}

char *os_own_folder(void)
{
    enum { LONGEST = 32768 }; // of any path
    wchar_t *path = mem_new(LONGEST, sizeof *path);
    const DWORD length = GetModuleFileNameW(NULL, path, LONGEST);
    wchar_t *last = wcsrchr(path, L'\\');
    char *folder = NULL;
    if (length > 0 && length < LONGEST && last != NULL) {
        *last = L'\0';
        folder = narrow_without_prefix(path);
    }
    free(path);
    return folder;
}

char *os_current_folder(void)
{
    const DWORD size = GetCurrentDirectoryW(0, NULL);
    wchar_t *path = mem_new((size_t)size + 1, sizeof *path);
    const DWORD length = GetCurrentDirectoryW(size, path);
    char *folder = length > 0 && length < size ? windows_narrow(path) : NULL;
    free(path);
    return folder;
}
