// SPDX-License-Identifier: MIT
// The dynamic linker's list of libraries, /etc/ld.so.cache.

#ifndef HALIDECACHE_TRACER_LIBRARY_CACHE_H
#define HALIDECACHE_TRACER_LIBRARY_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#define LIBRARY_CACHE_PATH "/etc/ld.so.cache"

struct library_cache {
    const unsigned char *file; // NULL: not there, or not readable
    size_t file_size;
    const unsigned char *table; // NULL: of no format that we know
    size_t size;
    size_t count;
};

struct library_cache library_cache_open(void);
void library_cache_close(struct library_cache *cache);

/** Does it lead from a library's name to `path`, or, if that is NULL, to anything? */
bool library_cache_has(const struct library_cache *cache, const char *name,
                       const char *path);

#endif
