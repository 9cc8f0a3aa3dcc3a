// SPDX-License-Identifier: MIT
// A loaded program or library, read from memory: its name, what it needs, which symbols
// it has (System V gABI, "Dynamic Section"; GNU hash table). No locks, no allocation.

#ifndef HALIDECACHE_TRACER_IMAGE_H
#define HALIDECACHE_TRACER_IMAGE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct image {
    uintptr_t base;
    const char *path;          // as the dynamic linker has it; empty: the program
    const char *file_name;     // the last part of it
    const char *soname;        // NULL: none
    const char *search;        // DT_RUNPATH, or else DT_RPATH; NULL: none
    const ElfW(Dyn) * dynamic; // NULL: none
    const char *strings;
    const ElfW(Sym) * symbols;
    const uint32_t *gnu_hash; // NULL: none
    uint32_t file_name_hash;
    uint32_t soname_hash;
};

struct image image_make(uintptr_t base, const char *path, const ElfW(Dyn) * dynamic);

/** What image.*_hash is made with. */
uint32_t image_hash(const char *name);

/** The next name that the object needs, or NULL. Start with `*at` = 0. */
const char *image_next_need(const struct image *image, size_t *at);

/** Is this what another object calls `name`, whose image_hash is `hash`? */
bool image_is_called(const struct image *image, const char *name, uint32_t hash);

/** The address of a function or variable that this object itself defines, or NULL. */
void *image_symbol(const struct image *image, const char *name);

/** Does it use `name`, be it another object's or its own? Yes, when that cannot be told.
 */
bool image_uses(const struct image *image, const char *name);

/** Is `name` a part of the kernel's own object, which has no file? */
bool image_is_kernel(const char *path);

#endif
