// SPDX-License-Identifier: MIT

#include "image.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

static const void *address_in(const struct image *image, ElfW(Addr) value)
{
    // glibc turns the offsets in the dynamic section into addresses, but not where it
    // cannot write.
    return (const void *)(value < image->base ? value + image->base : value);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

uint32_t image_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++) {
        hash = hash * 33 + (unsigned char)*name;
    }
    return hash;
}

static void read_tables(struct image *image)
{
    for (const ElfW(Dyn) *entry = image->dynamic; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB) {
            image->strings = address_in(image, entry->d_un.d_ptr);
        } else if (entry->d_tag == DT_SYMTAB) {
            image->symbols = address_in(image, entry->d_un.d_ptr);
        } else if (entry->d_tag == DT_GNU_HASH) {
            image->gnu_hash = address_in(image, entry->d_un.d_ptr);
        }
    }
}

static void read_strings(struct image *image)
{
    const char *rpath = NULL;
    for (const ElfW(Dyn) *entry = image->dynamic; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SONAME) {
            image->soname = image->strings + entry->d_un.d_val;
        } else if (entry->d_tag == DT_RPATH) {
            rpath = image->strings + entry->d_un.d_val;
        } else if (entry->d_tag == DT_RUNPATH) {
            image->search = image->strings + entry->d_un.d_val;
        }
    }
    if (image->search == NULL) {
        image->search = rpath;
    }
}

struct image image_make(uintptr_t base, const char *path, const ElfW(Dyn) * dynamic)
{
    struct image image = {.base = base, .path = path, .dynamic = dynamic};
    image.file_name = last_part(path);
    image.file_name_hash = image_hash(image.file_name);
    if (dynamic != NULL) {
        read_tables(&image);
        if (image.strings != NULL) {
            read_strings(&image);
        }
    }
    image.soname_hash = image.soname == NULL ? 0 : image_hash(image.soname);
    return image;
}

const char *image_next_need(const struct image *image, size_t *at)
{
    if (image->dynamic == NULL || image->strings == NULL) {
        return NULL;
    }
    while (image->dynamic[*at].d_tag != DT_NULL) {
        const ElfW(Dyn) *entry = &image->dynamic[(*at)++];
        if (entry->d_tag == DT_NEEDED) {
            return image->strings + entry->d_un.d_val;
        }
    }
    return NULL;
}

bool image_is_called(const struct image *image, const char *name, uint32_t hash)
{
    return (image->file_name_hash == hash && strcmp(image->file_name, name) == 0) ||
           (image->soname != NULL && image->soname_hash == hash &&
            strcmp(image->soname, name) == 0);
}

// The table: number of buckets, index of the first symbol in it, number and shift of the
// bloom filter's words, then these words, the buckets, and a hash for every symbol, whose
// last bit marks the end of a chain.
static const ElfW(Sym) * find_defined(const struct image *image, const char *name)
{
    const uint32_t *table = image->gnu_hash;
    if (table == NULL || image->symbols == NULL || image->strings == NULL) {
        return NULL;
    }
    const uint32_t hash = image_hash(name);
    const uint32_t buckets = table[0];
    const uint32_t first = table[1];
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(const void *)(table + 4);
    const uint32_t *bucket = (const uint32_t *)(const void *)(bloom + table[2]);
    const uint32_t *hashes = bucket + buckets;
    enum { BITS = 8 * sizeof(ElfW(Addr)) };
    const ElfW(Addr) word = table[2] == 0 ? 0 : bloom[hash / BITS % table[2]];
    if (buckets == 0 ||
        (word >> hash % BITS & word >> (hash >> table[3]) % BITS & 1) == 0) {
        return NULL;
    }
    for (uint32_t i = bucket[hash % buckets]; i >= first; i++) {
        const ElfW(Sym) *symbol = &image->symbols[i];
        if ((hashes[i - first] | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
            strcmp(image->strings + symbol->st_name, name) == 0) {
            return symbol;
        }
        if ((hashes[i - first] & 1) != 0) {
            break;
        }
    }
    return NULL;
}

void *image_symbol(const struct image *image, const char *name)
{
    const ElfW(Sym) *symbol = find_defined(image, name);
    if (symbol == NULL) {
        return NULL;
    }
    const uintptr_t address = image->base + symbol->st_value;
    // An indirect function is one that finds the real one.
    if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC) {
        return NULL;
    }
    return (void *)address;
}

bool image_uses(const struct image *image, const char *name)
{
    if (image->symbols == NULL || image->strings == NULL) {
        return false; // it is linked with nothing
    }
    if (image->gnu_hash == NULL) {
        return true;
    }
    // Other objects' symbols stand in front of those in the table. A program can also
    // have a copy of another object's variable, which then is its own.
    for (uint32_t i = 1; i < image->gnu_hash[1]; i++) {
        if (strcmp(image->strings + image->symbols[i].st_name, name) == 0) {
            return true;
        }
    }
    return find_defined(image, name) != NULL;
}

bool image_is_kernel(const char *path)
{
    return strncmp(path, "linux-vdso", 10) == 0 || strncmp(path, "linux-gate", 10) == 0;
}
