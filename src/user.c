// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "user.h"

#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

void user_describe(struct buffer *to)
{
    buffer_append_u64(to, geteuid());
    buffer_append_u64(to, getegid());
    int count = getgroups(0, NULL);
    gid_t *groups = count > 0 ? mem_new((size_t)count, sizeof *groups) : NULL;
    count = count > 0 ? getgroups(count, groups) : count;
    for (int i = 0; i < count; i++) {
        buffer_append_u64(to, groups[i]);
    }
    free(groups);
}
