// SPDX-License-Identifier: MIT
// What the tests of binary formats share: the index files of binaries/CMakeLists.txt, and
// a way to damage a file in every way. Include it after scratch.h.

#ifndef HALIDECACHE_TESTS_BINARIES_H
#define HALIDECACHE_TESTS_BINARIES_H

#include "scratch.h"

#include <fcntl.h>

/** Calls `check` for every line of <folder>/index.txt, which is "<expected> <name>";
 * skips the test when there is no such file. Returns the number of lines. */
static inline size_t check_index(const char *folder,
                                 void (*check)(const char *expected, const char *path))
{
    char *index = scratch_path(folder, "index.txt");
    struct buffer text = {0};
    const bool found = os_read_file(index, &text, NULL, NULL);
    free(index);
    if (!found) {
        (void)printf("no toolchain made %s\n", folder);
        skip();
    }
    buffer_append_u8(&text, 0);
    size_t count = 0;
    char *rest = (char *)text.data;
    for (char *line = NULL; (line = strtok_r(rest, "\n", &rest)) != NULL; count++) {
        char *name = strchr(line, ' ');
        assert_non_null(name);
        *name = '\0';
        char *path = scratch_path(folder, name + 1);
        check(line, path);
        free(path);
    }
    buffer_release(&text);
    return count;
}

static inline void overwrite(int fd, size_t offset, const void *data, size_t size)
{
    assert_int_equal(pwrite(fd, data, size, (off_t)offset), size);
}

/** Calls `check` with a file in the folder that holds the original, cut off at every
 *  length, and with words overwritten by the numbers that are worst for a reader. */
static inline void check_damaged(const char *folder, const struct buffer *original,
                                 void (*check)(const char *path))
{
    static const unsigned char words[][4] = {{0x00, 0x00, 0x00, 0x00},
                                             {0xff, 0xff, 0xff, 0x7f},
                                             {0x7f, 0xff, 0xff, 0xff},
                                             {0x00, 0x00, 0x00, 0x80},
                                             {0xff, 0xff, 0xff, 0xff}};
    char *path = scratch_path(folder, "damaged");
    assert_true(os_write_file(path, original->data, original->size, NULL));
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    // All of the headers, and samples of what follows.
    for (size_t at = 0; at + 4 <= original->size; at += at < 4096 ? 4 : 52) {
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            overwrite(fd, at, words[i], 4);
            check(path);
        }
        overwrite(fd, at, original->data + at, 4);
    }
    for (size_t size = original->size; size > 0; size -= size > 4096 ? 13 : 1) {
        assert_int_equal(ftruncate(fd, (off_t)size), 0);
        check(path);
    }
    assert_int_equal(ftruncate(fd, 0), 0);
    check(path);
    assert_int_equal(close(fd), 0);
    free(path);
}

#endif
