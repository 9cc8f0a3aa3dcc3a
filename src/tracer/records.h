// SPDX-License-Identifier: MIT
// Where the tracer keeps what it saw (trace.h): a piece of memory of a fixed size, and a
// table of what is in it, so that nothing is there twice. Nothing here allocates, waits
// without a limit, touches errno, or needs much of a stack; all may be called in signal
// handlers.

#ifndef HALIDECACHE_TRACER_RECORDS_H
#define HALIDECACHE_TRACER_RECORDS_H

#include "trace.h"

#include <stdbool.h>
#include <stdint.h>

/** `second` may be NULL: empty. */
void records_add(enum trace_tag tag, uint32_t number, const char *text,
                 const char *second);

/** The text is what stands at `text` and ends before `size` bytes. */
void records_add_cut(enum trace_tag tag, uint32_t number, const char *text, size_t size);

/** A path as a system call takes it: relative to the open folder `folder`, or AT_FDCWD.
 */
void records_add_path(enum trace_tag tag, uint32_t number, int folder, const char *path,
                      const char *second);

/** TRACE_READ or TRACE_MISSING, for a file that somebody else is about to open. */
void records_add_file(const char *path);

/** A symbolic link, and where it leads now. */
void records_add_link(int folder, const char *path);

/** The path that the open file `fd` has; nothing when it has none (a pipe, a socket). */
void records_add_fd(enum trace_tag tag, uint32_t number, int fd);

/** The current folder, as TRACE_FOLDER. */
void records_add_current_folder(void);

/** TRACE_OPAQUE "<reason> (<what>)". `object` may be NULL: the program. */
void records_add_opaque(const char *reason, const char *what, const char *object);

/** Has this record been added? */
bool records_have(enum trace_tag tag, uint32_t number, const char *text);

/** Something was seen and could not be recorded: it goes on record that this is so. */
void records_lose(void);

/** Hands over a batch; see trace_take_function. */
void records_take(const void **records, size_t *size);

#endif
