// SPDX-License-Identifier: MIT

#include "hook.h"

#include "callers.h"
#include "records.h"
#include "status_sum.h"
#include "tracer.h"

#include <errno.h>

real_function *hook_real(struct real *real)
{
    real_function *function = atomic_load_explicit(&real->function, memory_order_relaxed);
    if (function == NULL) {
        function = real_find(real->name);
        atomic_store_explicit(&real->function, function, memory_order_relaxed);
    }
    return function;
}

bool hook_sees(const void *caller)
{
    return tracer_is_active() && callers_find(caller).kind != CALLER_IGNORED;
}

bool hook_sees_own(const void *caller)
{
    return tracer_is_active() && callers_find(caller).kind == CALLER_OWN;
}

void hook_note_failure(int error, uint32_t number, int folder, const char *path)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        records_add_path(TRACE_MISSING, number & TRACE_LINK_ITSELF, folder, path, NULL);
        break;
    case EFAULT: // then the path cannot be looked at
    case EBADF:  // a mistake in the program, the same every time
        break;
    default:
        records_add_path(TRACE_FAILED, (uint32_t)error, folder, path, NULL);
        break;
    }
}

// Halide only asks whether there is a folder. Others may make something of its times.
static uint32_t sum_for(const void *caller, enum trace_tag tag, uint32_t number,
                        int folder, const char *path)
{
    const int flags = (number & TRACE_LINK_ITSELF) != 0 && tag == TRACE_STATUS
                          ? AT_SYMLINK_NOFOLLOW
                          : 0;
    switch (tag) {
    case TRACE_READ:
        return status_sum_at(folder, path, flags, false);
    case TRACE_LISTED:
        return status_sum_at(folder, path, flags, true) & ~(uint32_t)TRACE_FLAGS;
    case TRACE_STATUS:
        return status_sum_at(folder, path, flags,
                             callers_find(caller).kind != CALLER_HALIDE);
    default:
        return 0;
    }
}

void hook_note_path(const void *caller, enum trace_tag tag, uint32_t number, int folder,
                    const char *path, bool ok)
{
    const int saved = errno;
    // Without a path it is a mistake that always fails, or about an open file.
    if (hook_sees(caller) && path != NULL && (ok || saved != EFAULT) && path[0] != '\0') {
        if (ok) {
            records_add_path(tag, number | sum_for(caller, tag, number, folder, path),
                             folder, path, NULL);
        } else if (tag == TRACE_WRITTEN) {
            hook_note_failure(saved, TRACE_LINK_ITSELF, folder, path);
        } else {
            hook_note_failure(saved, tag == TRACE_ACCESS ? 0 : number, folder, path);
        }
    }
    errno = saved;
}

void hook_note_fd(const void *caller, enum trace_tag tag, uint32_t number, int fd,
                  bool ok)
{
    const int saved = errno;
    if (ok && hook_sees(caller)) {
        records_add_fd(tag, number | sum_for(caller, tag, number, fd, ""), fd);
    }
    errno = saved;
}

void hook_note_changed(const void *caller, int folder, const char *path, bool ok)
{
    hook_note_path(caller, TRACE_WRITTEN, 0, folder, path, ok);
}

void hook_note_changed_fd(const void *caller, int fd, bool ok)
{
    hook_note_fd(caller, TRACE_WRITTEN, 0, fd, ok);
}
