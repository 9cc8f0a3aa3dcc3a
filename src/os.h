// SPDX-License-Identifier: MIT
// Everything that differs between POSIX and Windows, except the running of generators
// (generator.h). Functions that fail keep errno.
//
// Paths, arguments and variables are narrow strings without a NUL inside: on POSIX the
// bytes that the system has, on Windows UTF-8, whatever the code page is. There they are
// converted to and from UTF-16 here, and the rest of the program must get them from here
// too: by os_arguments, os_variable and os_environment, not from the C library. Paths are
// joined with "/", which Windows takes as well as "\"; long ones work everywhere.

#ifndef HALIDECACHE_OS_H
#define HALIDECACHE_OS_H

#include "buffer.h"
#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- Time ---------------------------------------------------------------------------

/** Wall clock in nanoseconds since 1970, to compare with file times. */
int64_t os_wall_clock_ns(void);

/** A clock that never goes back, in nanoseconds, to measure durations. */
int64_t os_monotonic_ns(void);

void os_sleep_ms(unsigned milliseconds);

// ---- Files --------------------------------------------------------------------------

enum file_kind { FILE_REGULAR, FILE_DIRECTORY, FILE_OTHER };

struct file_status {
    enum file_kind kind;
    uint64_t device;
    uint64_t inode; // 0 where the file system has no stable number
    uint64_t size;  // bytes
    int64_t mtime_ns;
    int64_t ctime_ns;
};

/** Follows symbolic links. False with errno ENOENT when there is no such file. */
bool os_stat(const char *path, struct file_status *status);

/** The same, of a symbolic link itself. Where it leads to a folder, its kind is
 *  FILE_OTHER all the same. */
bool os_stat_link(const char *path, struct file_status *status);

/** Where a symbolic link leads, as a new string; NULL when it is none, and on Windows. */
char *os_read_link(const char *path);

/** What of reading (4), writing (2) and executing (1) this user may do with the file; -1
 *  when there is none. */
int os_access(const char *path);

/** The same file with the same content as far as its status tells. */
bool file_status_equal(const struct file_status *a, const struct file_status *b);

/** Appends the whole file to `content`. On failure `content` holds what it held. If
 *  `status` is not NULL it receives the status of the very file that was read. */
bool os_read_file(const char *path, struct buffer *content, struct file_status *status,
                  struct error *error);

/** Hands the file to `use` in pieces, so that a large one needs no memory of its size.
 *  Stops when `use` returns false. */
bool os_read_pieces(const char *path, bool (*use)(void *, const void *, size_t),
                    void *context, struct file_status *status, struct error *error);

/** Opens a file to read parts of it; -1 on failure. `status` receives the status of the
 *  very file that was opened. */
int os_open_reading(const char *path, struct file_status *status, struct error *error);

/** Reads what comes next, at most `size` bytes. How many; 0 at the end, -1 with errno. */
int64_t os_read_next(int handle, void *to, size_t size);

/** Reads `size` bytes at `offset`. False with errno when that fails, and with errno 0
 *  when the file ends before. */
bool os_read_at(int handle, uint64_t offset, void *to, size_t size);

/** Closes what os_open_reading opened; keeps errno. */
void os_close_reading(int handle);

/** Creates or truncates `path` and writes it in place, as a generator would. A partial
 *  file is removed again. */
bool os_write_file(const char *path, const void *data, size_t size, struct error *error);

/** Writes a new file beside `path` and renames it: readers see the old bytes or the new
 *  ones, never a part. Nothing is left behind on failure. */
bool os_replace_file(const char *path, const void *data, size_t size,
                     struct error *error);

/** Appends in one write, creating the file; concurrent appends do not mix. */
bool os_append_file(const char *path, const void *data, size_t size, struct error *error);

#define OS_TEMPORARY_MARK ".halide-cache-tmp."

/** Is it one of the temporary names that os_replace_file uses? (file name, no folder) */
bool os_is_temporary_name(const char *name);

/** Removes a file, or a link to whatever; true also when it was not there. */
bool os_remove_file(const char *path, struct error *error);

/** Renames over an existing file. */
bool os_rename(const char *from, const char *to, struct error *error);

/** Sets the modification time; a negative value means now. */
bool os_set_mtime(const char *path, int64_t mtime_ns);

/** Creates the folder and its parents; true when it is there already. */
bool os_make_directories(const char *path, struct error *error);

/** Calls `visit` with every name in the folder but "." and ".."; stops when it returns
 *  false. A folder that does not exist has no names. */
bool os_list_directory(const char *path, bool (*visit)(void *, const char *name),
                       void *context, struct error *error);

/** Removes an empty folder; true also when it was not there. */
bool os_remove_folder(const char *path);

/** Removes a folder and all below it, following no links; true when it is not there.
 *  Files that vanish meanwhile are no failure. */
bool os_remove_tree(const char *path, struct error *error);

/** How many bytes this user may still write to the file system that the path lies on;
 *  false when that cannot be told. */
bool os_free_space(const char *path, uint64_t *bytes);

/** Can this user create files in the folder? */
bool os_can_write_directory(const char *path);

/** The absolute path of a program as the system would find it: as it is when it has a
 *  slash, else along PATH. A new string; NULL when there is none. */
char *os_find_program(const char *name);

/** A folder for short-lived files of this user. */
const char *os_temporary_directory(void);

/** Something that is the same for all commands of one login session and user, for
 *  messages that are to be said once. */
uint64_t os_session_id(void);

// ---- Locks --------------------------------------------------------------------------

enum lock_result {
    LOCK_TAKEN,
    LOCK_BUSY,       // another process holds it
    LOCK_UNAVAILABLE // the file or its file system cannot be locked
};

/** Tries to lock the file exclusively, creating it; never waits. The lock goes with the
 *  process, however that ends. `*handle` is valid after LOCK_TAKEN only. */
enum lock_result os_lock_try(const char *path, int *handle);

/** Reads the first bytes of the locked file, at most `size`; returns how many. */
size_t os_lock_read(int handle, void *data, size_t size);

/** Writes the first bytes of the locked file; what is behind them stays. */
bool os_lock_write(int handle, const void *data, size_t size);

/** Releases the lock. With `remove`, the file goes too; a process that waits on the old
 *  file notices (os_lock_try only takes the lock of the file that has the name). Without,
 *  `path` may be NULL. */
void os_lock_release(int handle, const char *path, bool remove);

// ---- Processes ----------------------------------------------------------------------

/** The arguments of main() in the form that this program uses; `*argc` with them. They
 *  live as long as the process. */
char **os_arguments(int *argc, char **argv);

/** This process's environment, NULL-terminated "NAME=value" strings. Removing strings
 *  from the array removes them from the environment, and from that of programs which are
 *  started later. */
char **os_environment(void);

/** The value of a variable, or NULL, as getenv would. */
const char *os_variable(const char *name);

/** Does a string of os_environment() begin with `start`? On Windows, case is ignored. */
bool os_variable_begins_with(const char *variable, const char *start);

/** Opens the null device on standard streams that were closed, so that no file of ours
 *  gets their number. */
void os_open_missing_streams(void);

/** Runs a program without input, appends its standard output to `out`, drops its
 *  standard error, and waits for it. `variable`, if not NULL, is a "NAME=value" for its
 *  environment. False unless it ended with status 0. */
bool os_run(char *const argv[], const char *variable, struct buffer *out,
            struct error *error);

/** Does the dynamic loader list a program's libraries, and not run it, when
 *  LD_TRACE_LOADED_OBJECTS is set? */
bool os_loader_lists_libraries(void);

/** The folder of this program's file as a new string; NULL when it cannot be told. */
char *os_own_folder(void);

/** The current folder as a new string; NULL when it cannot be told. */
char *os_current_folder(void);

/** Appends what the system says about the processor's features. */
void os_describe_cpu(struct buffer *to);

/** Appends who this process is run by: what decides about its rights to files. */
void os_describe_user(struct buffer *to);

/** The absolute path, without links, of a file that exists, as a new string; NULL when
 *  there is none. */
char *os_absolute_path(const char *path);

/** Becomes `argv` (searched along PATH). Where a process cannot become another one it
 *  runs it and exits with its status. Returns only on failure, with errno. */
void os_become(char *const argv[]);

#endif
