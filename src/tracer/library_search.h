// SPDX-License-Identifier: MIT
// Where the dynamic linker looks for a library that is asked for by a name without a
// slash. A file that appears earlier on that way would be loaded instead: so what is not
// there yet goes on record. One thread at a time.

#ifndef HALIDECACHE_TRACER_LIBRARY_SEARCH_H
#define HALIDECACHE_TRACER_LIBRARY_SEARCH_H

#include "image.h"

#include <link.h>
#include <stdbool.h>

/** Looks at the search path that an object has. To be done for all objects before
 *  library_search_note. */
void library_search_add_path(struct link_map *map, const struct image *image);

/** Records the way from `loader` to a library. `found` is the path it was found at; NULL
 *  when it is only going to be looked for. Returns what it will be known by then: a path,
 *  valid until the next call, or `name`, when the cache knows; NULL when there is none.
 */
const char *library_search_note(struct link_map *loader, const char *name,
                                const char *found);

/** To be called when done for now: lets go of what is read for it. */
void library_search_pause(void);

#endif
