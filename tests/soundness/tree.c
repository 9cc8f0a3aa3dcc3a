// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "tree.h"

#include "failure.h"
#include "os.h"
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static bool note_name(void *context, const char *name)
{
    words_add(context, mem_strdup(name));
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_names(const char *folder, struct words *names)
{
    struct error error = {{0}};
    if (!os_list_directory(folder, note_name, names, &error)) {
        fail("%s", error.text);
    }
    if (names->count > 1) {
        qsort(names->list, names->count, sizeof *names->list, compare_names);
    }
}

static void note_difference(struct buffer *differences, const char *path,
                            const char *what)
{
    char *line = mem_printf("  %s: %s\n", path, what);
    buffer_append_string(differences, line);
    free(line);
}

static void compare_bytes(const char *a, const char *b, struct buffer *differences)
{
    struct buffer bytes_a = {0};
    struct buffer bytes_b = {0};
    struct error error = {{0}};
    if (!os_read_file(a, &bytes_a, NULL, &error) ||
        !os_read_file(b, &bytes_b, NULL, &error)) {
        fail("%s", error.text);
    }
    size_t at = 0;
    while (at < bytes_a.size && at < bytes_b.size &&
           bytes_a.data[at] == bytes_b.data[at]) {
        at++;
    }
    if (at != bytes_a.size || at != bytes_b.size) {
        char *what = mem_printf("%zu and %zu bytes, different from byte %zu on",
                                bytes_a.size, bytes_b.size, at);
        note_difference(differences, a, what);
        free(what);
    }
    buffer_release(&bytes_a);
    buffer_release(&bytes_b);
}

static void compare_one(const char *a, const char *b, struct buffer *differences)
{
    struct stat status_a;
    struct stat status_b;
    const bool has_a = lstat(a, &status_a) == 0;
    const bool has_b = lstat(b, &status_b) == 0;
    if (!has_a || !has_b) {
        note_difference(differences, has_a ? a : b, "not in the other folder");
    } else if (status_a.st_mode != status_b.st_mode) {
        char *what = mem_printf("mode %o and %o", status_a.st_mode, status_b.st_mode);
        note_difference(differences, a, what);
        free(what);
    } else if (S_ISDIR(status_a.st_mode)) {
        tree_compare(a, b, differences);
    } else if (S_ISREG(status_a.st_mode)) {
        compare_bytes(a, b, differences);
    }
}

void tree_compare(const char *a, const char *b, struct buffer *differences)
{
    struct words names_a = {0};
    struct words names_b = {0};
    list_names(a, &names_a);
    list_names(b, &names_b);
    size_t i = 0;
    size_t j = 0;
    while (i < names_a.count || j < names_b.count) {
        const int order = i == names_a.count   ? 1
                          : j == names_b.count ? -1
                                               : strcmp(names_a.list[i], names_b.list[j]);
        const char *name = order <= 0 ? names_a.list[i] : names_b.list[j];
        char *path_a = mem_printf("%s/%s", a, name);
        char *path_b = mem_printf("%s/%s", b, name);
        compare_one(path_a, path_b, differences);
        free(path_a);
        free(path_b);
        i += order <= 0;
        j += order >= 0;
    }
    words_release(&names_a);
    words_release(&names_b);
}

void tree_copy_file(const char *from, const char *to)
{
    struct stat status;
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0 || fstat(in, &status) != 0) {
        fail("cannot read %s: %s", from, strerror(errno));
    }
    (void)unlink(to);
    const int out =
        open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777);
    off_t left = status.st_size;
    while (out >= 0 && left > 0) {
        const ssize_t copied = sendfile(out, in, NULL, (size_t)left);
        if (copied <= 0) {
            break;
        }
        left -= copied;
    }
    if (out < 0 || left > 0 || fchmod(out, status.st_mode & 0777) != 0 ||
        close(out) != 0) {
        fail("cannot copy %s to %s: %s", from, to, strerror(errno));
    }
    (void)close(in);
}

void tree_copy(const char *from, const char *to)
{
    struct words names = {0};
    struct stat status;
    if (lstat(from, &status) != 0 || mkdir(to, status.st_mode & 0777) != 0) {
        fail("cannot copy %s to %s: %s", from, to, strerror(errno));
    }
    list_names(from, &names);
    for (size_t i = 0; i < names.count; i++) {
        char *source = mem_printf("%s/%s", from, names.list[i]);
        char *target = mem_printf("%s/%s", to, names.list[i]);
        if (lstat(source, &status) == 0 && S_ISDIR(status.st_mode)) {
            tree_copy(source, target);
        } else {
            tree_copy_file(source, target);
        }
        free(source);
        free(target);
    }
    words_release(&names);
}
