// SPDX-License-Identifier: MIT

#include "real.h"

#include "image.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

// Fails like a system call that the kernel does not have. In a function's place this does
// whatever its parameters are.
static long real_is_missing(void)
{
    errno = ENOSYS;
    return -1;
}

struct search {
    const char *name;
    void *found;
};

static int look_into(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            const struct image image = image_make(
                info->dlpi_addr, "",
                (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
            void *found = image_symbol(&image, search->name);
            // Not ourselves: that is what would be found first.
            if (found != NULL && found != dlsym(RTLD_DEFAULT, search->name)) {
                search->found = found;
            }
        }
    }
    return search->found != NULL;
}

// A library that was loaded with RTLD_LOCAL has its own dependencies in view, which
// dlsym(RTLD_NEXT) does not see from here. But it calls us by their names.
static void *find_anywhere(const char *name)
{
    struct search search = {.name = name};
    (void)dl_iterate_phdr(look_into, &search);
    return search.found;
}

real_function *real_find(const char *name)
{
    union {
        void *object;
        real_function *function;
        long (*missing)(void);
    } found;
    const int saved = errno;
    found.object = dlsym(RTLD_NEXT, name);
    if (found.object == NULL) {
        (void)dlerror();
        found.object = find_anywhere(name);
    }
    if (found.object == NULL) {
        found.missing = real_is_missing;
    }
    errno = saved;
    return found.function;
}
