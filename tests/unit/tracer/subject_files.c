// SPDX-License-Identifier: MIT
// Acts with files. The folder has file, folder/inner, link -> file, loop -> loop.

#define _GNU_SOURCE

#include "subject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

// ---- Opening ------------------------------------------------------------------------

static void act_open(void)
{
    char text[5] = "";
    const int fd = open("file", O_RDONLY);
    CHECK(fd >= 0 && read(fd, text, 4) == 4 && strcmp(text, "text") == 0);
    CHECK(close(fd) == 0);
    CHECK(open("file", O_RDONLY) == fd); // a second time, the same record
}

static void act_open_absolute(void)
{
    CHECK(open("/etc/passwd", O_RDONLY) >= 0);
}

static void act_open_missing(void)
{
    CHECK(open("nothing", O_RDONLY) == -1 && errno == ENOENT);
    CHECK(open("file/nothing", O_RDONLY) == -1 && errno == ENOTDIR);
    CHECK(open("./folder/../nothing", O_RDONLY) == -1);
    CHECK(open("", O_RDONLY) == -1 && errno == ENOENT);
}

static void act_open_failed(void)
{
    CHECK(open("loop", O_RDONLY) == -1 && errno == ELOOP);
    CHECK(open("folder", O_WRONLY) == -1 && errno == EISDIR);
}

static void act_open_bad_pointer(void)
{
    // From a volatile, so that no compiler says what is wrong with it.
    const char *volatile bad = (const char *)16;
    CHECK(open(bad, O_RDONLY) == -1 && errno == EFAULT);
    CHECK(access(bad, F_OK) == -1 && errno == EFAULT);
}

static void act_open_write(void)
{
    struct stat status;
    (void)umask(0);
    int fd = open("new", O_WRONLY | O_CREAT | O_TRUNC, 0640);
    CHECK(fd >= 0 && fstat(fd, &status) == 0 && (status.st_mode & 0777) == 0640);
    fd = open("new2", O_RDWR | O_CREAT | O_EXCL, 0604);
    CHECK(fd >= 0 && fstat(fd, &status) == 0 && (status.st_mode & 0777) == 0604);
    CHECK(open("new2", O_RDWR | O_CREAT | O_EXCL, 0604) == -1 && errno == EEXIST);
    CHECK(creat("new3", 0600) >= 0);
}

static void act_open_update(void)
{
    CHECK(open("file", O_RDWR) >= 0);
    CHECK(open("log", O_WRONLY | O_CREAT | O_APPEND, 0644) >= 0);
}

static void act_openat(void)
{
    const int folder = open("folder", O_RDONLY | O_DIRECTORY);
    CHECK(folder >= 0);
    CHECK(openat(folder, "inner", O_RDONLY) >= 0);
    CHECK(openat(folder, "nothing", O_RDONLY) == -1);
    CHECK(openat(AT_FDCWD, "file", O_RDONLY) >= 0);
    CHECK(openat(-5, "file", O_RDONLY) == -1 && errno == EBADF);
    CHECK(openat(-5, "/etc/passwd", O_RDONLY) >= 0);
}

static void act_open_special(void)
{
    CHECK(open("/dev/null", O_RDWR) >= 0);
    CHECK(open("/dev/urandom", O_RDONLY) >= 0);
    CHECK(open("/proc/self/status", O_RDONLY) >= 0);
    CHECK(open("/proc/cpuinfo", O_RDONLY) >= 0);
}

static void act_fopen(void)
{
    FILE *file = fopen("file", "r");
    char text[8];
    CHECK(file != NULL && fgets(text, sizeof text, file) != NULL && fclose(file) == 0);
    CHECK(fopen("nothing", "rb") == NULL && errno == ENOENT);
    file = fopen("new", "w");
    CHECK(file != NULL && fputs("text", file) >= 0 && fclose(file) == 0);
    file = fopen("folder/inner", "r+");
    CHECK(file != NULL);
    file = freopen("log", "a", file);
    CHECK(file != NULL && fclose(file) == 0);
    CHECK(fopen("new", "wx") == NULL && errno == EEXIST);
}

static void act_temporary(void)
{
    char name[] = "temporaryXXXXXX";
    char folder[] = "foldersXXXXXX";
    CHECK(mkstemp(name) >= 0);
    CHECK(mkdtemp(folder) == folder);
}

// ---- Status -------------------------------------------------------------------------

static void act_stat(void)
{
    struct stat status;
    CHECK(stat("file", &status) == 0 && status.st_size == 4);
    CHECK(stat("nothing", &status) == -1 && errno == ENOENT);
    CHECK(lstat("link", &status) == 0 && S_ISLNK(status.st_mode));
    CHECK(lstat("nothing", &status) == -1);
    CHECK(stat("loop", &status) == -1 && errno == ELOOP);
}

static void act_fstat(void)
{
    struct stat status;
    const int fd = open("file", O_RDONLY);
    CHECK(fstat(fd, &status) == 0 && status.st_size == 4);
    CHECK(fstat(1, &status) == 0); // a standard stream: whoever starts it decides
    CHECK(fstat(1000, &status) == -1 && errno == EBADF);
}

static void act_fstatat(void)
{
    struct stat status;
    const int folder = open("folder", O_RDONLY | O_DIRECTORY);
    CHECK(fstatat(folder, "inner", &status, 0) == 0);
    CHECK(fstatat(folder, "nothing", &status, 0) == -1);
    CHECK(fstatat(AT_FDCWD, "link", &status, AT_SYMLINK_NOFOLLOW) == 0);
    CHECK(fstatat(folder, "", &status, AT_EMPTY_PATH) == 0);
}

static void act_statx(void)
{
    struct statx status;
    CHECK(statx(AT_FDCWD, "file", 0, STATX_SIZE, &status) == 0 && status.stx_size == 4);
    CHECK(statx(AT_FDCWD, "nothing", 0, STATX_SIZE, &status) == -1);
    CHECK(statx(AT_FDCWD, "link", AT_SYMLINK_NOFOLLOW, STATX_SIZE, &status) == 0);
}

// What programs call that were built before glibc 2.33.
int __xstat(int kind, const char *path, struct stat *status);
int __lxstat(int kind, const char *path, struct stat *status);
int __fxstat(int kind, int fd, struct stat *status);
int __fxstatat(int kind, int folder, const char *path, struct stat *status, int flags);

static void act_old_stat(void)
{
#ifdef __x86_64__
    enum { KIND = 1 };
#else
    enum { KIND = 0 };
#endif
    struct stat status;
    CHECK(__xstat(KIND, "file", &status) == 0 && status.st_size == 4);
    CHECK(__xstat(KIND, "nothing", &status) == -1 && errno == ENOENT);
    CHECK(__lxstat(KIND, "link", &status) == 0 && S_ISLNK(status.st_mode));
    const int fd = open("folder/inner", O_RDONLY);
    CHECK(__fxstat(KIND, fd, &status) == 0);
    CHECK(__fxstatat(KIND, AT_FDCWD, "folder", &status, 0) == 0);
}

static void act_access(void)
{
    CHECK(access("file", R_OK) == 0);
    CHECK(access("file", F_OK) == 0);
    CHECK(access("nothing", F_OK) == -1 && errno == ENOENT);
    CHECK(faccessat(AT_FDCWD, "folder", X_OK, 0) == 0);
    CHECK(euidaccess("folder/inner", F_OK) == 0);
}

static void act_readlink(void)
{
    char target[100];
    CHECK(readlink("link", target, sizeof target) == 4);
    CHECK(readlink("link", target, 2) == 2); // cut; on record is all of it
    CHECK(readlink("file", target, sizeof target) == -1 && errno == EINVAL);
    CHECK(readlink("nothing", target, sizeof target) == -1);
    CHECK(readlinkat(AT_FDCWD, "loop", target, sizeof target) == 4);
    CHECK(readlink("/proc/self/exe", target, sizeof target) > 0);
}

static void act_realpath(void)
{
    char *path = realpath("link", NULL);
    CHECK(path != NULL);
    free(path);
    CHECK(realpath("folder/nothing", NULL) == NULL);
    path = canonicalize_file_name("folder/../file");
    CHECK(path != NULL);
    free(path);
}

// ---- Folders ------------------------------------------------------------------------

static void act_opendir(void)
{
    DIR *folder = opendir("folder");
    CHECK(folder != NULL && readdir(folder) != NULL && closedir(folder) == 0);
    CHECK(opendir("nothing") == NULL);
}

static void act_fdopendir(void)
{
    DIR *folder = fdopendir(open("folder", O_RDONLY | O_DIRECTORY));
    CHECK(folder != NULL && closedir(folder) == 0);
}

static void act_scandir(void)
{
    struct dirent **names = NULL;
    CHECK(scandir("folder", &names, NULL, alphasort) == 3);
}

static void act_glob(void)
{
    glob_t found;
    CHECK(glob("f*", 0, NULL, &found) == 0 && found.gl_pathc == 2);
    CHECK(glob("/etc/pass*", 0, NULL, &found) == 0);
    CHECK(glob("*/inner", 0, NULL, &found) == 0 && found.gl_pathc == 1);
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)path;
    (void)status;
    (void)kind;
    (void)where;
    return 0;
}

static void act_walk(void)
{
    char folder[] = "folder";
    char *const folders[] = {folder, NULL};
    CHECK(nftw("folder", visit, 4, 0) == 0);
    CHECK(fts_open(folders, FTS_PHYSICAL, NULL) != NULL);
}

// ---- Changes ------------------------------------------------------------------------

static void act_change(void)
{
    CHECK(mkdir("made", 0755) == 0);
    CHECK(mkdir("made", 0755) == -1 && errno == EEXIST);
    CHECK(rmdir("made") == 0);
    CHECK(symlink("file", "made_link") == 0);
    CHECK(unlink("made_link") == 0);
    CHECK(unlink("nothing") == -1 && errno == ENOENT);
    CHECK(rename("folder/inner", "moved") == 0);
    CHECK(link("file", "linked") == 0);
    CHECK(remove("linked") == 0);
    CHECK(chmod("moved", 0600) == 0);
    CHECK(truncate("moved", 1) == 0);
}

static void act_change_open(void)
{
    const struct timeval times[2] = {{1, 0}, {1, 0}};
    const int fd = open("file", O_RDONLY);
    CHECK(fchmod(fd, 0600) == 0);
    CHECK(futimes(fd, times) == 0);
    CHECK(utimes("folder", times) == 0);
}

// ---- All else -----------------------------------------------------------------------

static void act_errno(void)
{
    struct stat status;
    errno = 77;
    CHECK(open("file", O_RDONLY) >= 0 && errno == 77);
    CHECK(stat("file", &status) == 0 && errno == 77);
    CHECK(access("file", F_OK) == 0 && errno == 77);
    CHECK(getenv("HOME") == getenv("HOME") && errno == 77);
    CHECK(open("nothing", O_RDONLY) == -1 && errno == ENOENT);
}

static void act_close_all(void)
{
    for (int fd = 3; fd < 1024; fd++) {
        (void)close(fd);
    }
    CHECK(open("file", O_RDONLY) >= 0);
    CHECK(open("folder/inner", O_RDONLY) >= 0);
}

static void open_many(unsigned count)
{
    char name[40];
    for (unsigned i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "/nothing/%u", i);
        CHECK(open(name, O_RDONLY) == -1);
    }
}

static void act_many(void)
{
    open_many(5000);
    open_many(5000);
}

static void act_too_many(void)
{
    open_many(50000);
    write_batch();
}

static void act_two_batches(void)
{
    CHECK(open("file", O_RDONLY) >= 0);
    write_batch();
    CHECK(open("file", O_RDONLY) >= 0);
    CHECK(open("folder/inner", O_RDONLY) >= 0);
}

static void act_standard_input(void)
{
    char byte = 0;
    CHECK(read(0, &byte, 1) >= 0);
}

static void act_buffered_input(void)
{
    (void)getchar();
}

const struct act file_acts[] = {
    {"open", act_open},
    {"open_absolute", act_open_absolute},
    {"open_missing", act_open_missing},
    {"open_failed", act_open_failed},
    {"open_bad_pointer", act_open_bad_pointer},
    {"open_write", act_open_write},
    {"open_update", act_open_update},
    {"openat", act_openat},
    {"open_special", act_open_special},
    {"fopen", act_fopen},
    {"temporary", act_temporary},
    {"stat", act_stat},
    {"fstat", act_fstat},
    {"fstatat", act_fstatat},
    {"statx", act_statx},
    {"old_stat", act_old_stat},
    {"access", act_access},
    {"readlink", act_readlink},
    {"realpath", act_realpath},
    {"opendir", act_opendir},
    {"fdopendir", act_fdopendir},
    {"scandir", act_scandir},
    {"glob", act_glob},
    {"walk", act_walk},
    {"change", act_change},
    {"change_open", act_change_open},
    {"errno", act_errno},
    {"close_all", act_close_all},
    {"many", act_many},
    {"too_many", act_too_many},
    {"two_batches", act_two_batches},
    {"standard_input", act_standard_input},
    {"buffered_input", act_buffered_input},
    {NULL, NULL},
};
