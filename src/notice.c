// SPDX-License-Identifier: MIT

#include "notice.h"

#include "buffer.h"
#include "os.h"
#include "sha256.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t quiet_ns = INT64_C(60) * 1000000000;

// One line, whatever is in it: file names may hold control characters.
static char *make_line(const char *prefix, const char *format, va_list args)
{
    char text[2048];
    if (vsnprintf(text, sizeof text, format, args) < 0) {
        text[0] = '\0';
    }
    for (char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 127) {
            *c = '?';
        }
    }
    return mem_printf("%s%s\n", prefix, text);
}

static void print_line(const char *line)
{
    (void)fputs(line, stderr);
    (void)fflush(stderr);
}

void notice_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *line = make_line("halide-cache: error: ", format, args);
    va_end(args);
    print_line(line);
    free(line);
}

// A file in the temporary folder whose time is that of the last command with this
// message. Whoever holds its lock prints; who finds it locked has nothing to add.
static bool was_said(const char *line)
{
    struct digest digest;
    if (!sha256_of(line, strlen(line), &digest)) {
        return false;
    }
    char hex[SHA256_HEX_SIZE];
    digest_to_hex(&digest, hex);
    char *path = mem_printf("%s/halide-cache-said-%llx-%.16s", os_temporary_directory(),
                            (unsigned long long)os_session_id(), hex);
    int lock = -1;
    bool said = true;
    switch (os_lock_try(path, &lock)) {
    case LOCK_BUSY:
        break;
    case LOCK_UNAVAILABLE:
        said = false;
        break;
    case LOCK_TAKEN: {
        struct file_status status;
        const bool known = os_stat(path, &status);
        // A file that was just created by our lock is empty.
        said =
            known && status.size > 0 && os_wall_clock_ns() - status.mtime_ns < quiet_ns;
        if (known && status.size == 0) {
            (void)os_lock_write(lock, "x", 1);
        } else {
            (void)os_set_mtime(path, -1);
        }
        os_lock_release(lock, path, false);
        break;
    }
    }
    free(path);
    return said;
}

void notice_warn_once(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *line = make_line("halide-cache: warning: ", format, args);
    va_end(args);
    if (!was_said(line)) {
        print_line(line);
    }
    free(line);
}

void notice_log(const char *format, ...)
{
    const char *path = os_variable("HALIDE_CACHE_LOG");
    if (path == NULL || path[0] == '\0') {
        return;
    }
    va_list args;
    va_start(args, format);
    char *line = make_line("", format, args);
    va_end(args);
    (void)os_append_file(path, line, strlen(line), NULL);
    free(line);
}
