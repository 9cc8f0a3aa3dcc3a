// SPDX-License-Identifier: MIT
// What the unit tests share: a folder of its own for every test, files in it, keys.
// Include it last; the test defines _GNU_SOURCE.

#ifndef HALIDECACHE_TESTS_SCRATCH_H
#define HALIDECACHE_TESTS_SCRATCH_H

#include "buffer.h"
#include "os.h"
#include "sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/** A test with `*state` set to the path of an empty folder, which is removed after it. */
#define scratch_test(test)                                                               \
    cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

static inline int scratch_setup(void **state)
{
    char *path = mem_printf("%s/halidecache-test-XXXXXX", os_temporary_directory());
    if (mkdtemp(path) == NULL || chmod(path, 0755) != 0) {
        free(path);
        return -1;
    }
    *state = path;
    return 0;
}

static inline int scratch_teardown(void **state)
{
    struct error error = {""};
    const bool ok = os_remove_tree(*state, &error);
    if (!ok) {
        (void)fprintf(stderr, "%s\n", error.text);
    }
    free(*state);
    return ok ? 0 : -1;
}

/** "<folder>/<name>" as a new string. */
static inline char *scratch_path(const char *folder, const char *name)
{
    return mem_printf("%s/%s", folder, name);
}

static inline void scratch_write(const char *path, const char *text)
{
    assert_true(os_write_file(path, text, strlen(text), NULL));
}

static inline bool scratch_exists(const char *path)
{
    struct file_status status;
    return os_stat(path, &status);
}

static inline bool count_name(void *context, const char *name)
{
    (void)name;
    ++*(size_t *)context;
    return true;
}

/** The number of names in a folder. */
static inline size_t scratch_count(const char *folder)
{
    size_t count = 0;
    assert_true(os_list_directory(folder, count_name, &count, NULL));
    return count;
}

/** A key that is as good as random, the same for the same number. */
static inline struct digest scratch_key(unsigned number)
{
    struct digest key;
    assert_true(sha256_of(&number, sizeof number, &key));
    return key;
}

/** Waits for a child; its exit status, or -1 if it did not exit. */
static inline int scratch_wait(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/** Runs `check` in a child for whom permissions count, even where the tests run as root;
 *  true when it returned true. It must not use cmocka. */
static inline bool scratch_run_without_privileges(bool (*check)(const char *folder),
                                                  const char *folder)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool dropped = geteuid() != 0 || (setgroups(0, NULL) == 0 &&
                                                setgid(65534) == 0 && setuid(65534) == 0);
        _exit(dropped && check(folder) ? 0 : 1);
    }
    return scratch_wait(child) == 0;
}

#endif
