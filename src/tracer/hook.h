// SPDX-License-Identifier: MIT
// Functions of which the result counts. Each calls the real one and then says what came
// of it:
//
//   HOOKED(int, unlink, (const char *path))
//   {
//       const int result = REAL(unlink, int (*)(const char *))(path);
//       hook_note_changed(CALLER, AT_FDCWD, path, result == 0);
//       return result;
//   }
//
// What the real function left in errno stays there.
//
// The headers that declare these functions are not included where they can be avoided:
// depending on the compiler's flags they do so under other names, or with a body.

#ifndef HALIDECACHE_TRACER_HOOK_H
#define HALIDECACHE_TRACER_HOOK_H

#include "real.h"
#include "trace.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Starts the definition of a function that other objects see. */
#define HOOKED(result, name, parameters)                                                 \
    __attribute__((visibility("default"))) result name parameters;                       \
    result name parameters

/** The code that called the function which this stands in. */
#define CALLER __builtin_return_address(0)

struct real {
    const char *name;
    _Atomic(real_function *) function;
};

real_function *hook_real(struct real *real);

/** The real function of this name, as a pointer of type `type`. A GNU expression, because
 *  each needs a place to remember it. */
#define REAL(symbol, type)                                                               \
    (__extension__({                                                                     \
        static struct real real_##symbol = {.name = #symbol};                            \
        (type) hook_real(&real_##symbol);                                                \
    }))

/** Does what this caller does count? */
bool hook_sees(const void *caller);

/** Is it the generator's own code? */
bool hook_sees_own(const void *caller);

/** `tag` (with `number`, and the sum where it has one) when the call succeeded, else how
 *  it failed. `folder` and `path` are as for openat(). */
void hook_note_path(const void *caller, enum trace_tag tag, uint32_t number, int folder,
                    const char *path, bool ok);

/** The same for the path of an open file; nothing when the call failed. */
void hook_note_fd(const void *caller, enum trace_tag tag, uint32_t number, int fd,
                  bool ok);

/** Something was created, changed or removed. */
void hook_note_changed(const void *caller, int folder, const char *path, bool ok);
void hook_note_changed_fd(const void *caller, int fd, bool ok);

/** How an attempt failed: TRACE_MISSING or TRACE_FAILED. Only where hook_sees the
 *  caller. */
void hook_note_failure(int error, uint32_t number, int folder, const char *path);

#endif
