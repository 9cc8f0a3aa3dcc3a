// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "hooks.h"

#include "failure.h"
#include "identity.h"
#include "os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void hook_make_folder(const struct world *world, const char *name)
{
    struct error error = {{0}};
    char *path = world_path(world, name);
    if (!os_make_directories(path, &error)) {
        fail("%s", error.text);
    }
    free(path);
}

void hook_remove_folder(const struct world *world, const char *name)
{
    struct error error = {{0}};
    char *path = world_path(world, name);
    if (!os_remove_tree(path, &error)) {
        fail("%s", error.text);
    }
    free(path);
}

void hook_build_stopper(struct world *world)
{
    char *text = world_source(world, "libraries/stopper.cpp");
    world_compile_library(world, text, "halide-cache-probe-stopper.so");
    free(text);
}

// ---- Files --------------------------------------------------------------------------

void hook_must(bool ok, const char *what)
{
    if (!ok) {
        fail("%s: %s", what, strerror(errno));
    }
}

void hook_make_link(const struct world *world, const char *target, const char *name)
{
    char *path = world_path(world, name);
    (void)unlink(path);
    hook_must(symlink(target, path) == 0, path);
    free(path);
}

void hook_set_mode(const struct world *world, const char *name, mode_t mode)
{
    char *path = world_path(world, name);
    hook_must(chmod(path, mode) == 0, path);
    free(path);
}

void hook_set_mtime(const struct world *world, const char *name, int64_t mtime_ns)
{
    char *path = world_path(world, name);
    hook_must(os_set_mtime(path, mtime_ns), path);
    free(path);
}

// ---- What is stored -----------------------------------------------------------------

struct stored_search {
    const char *folder;
    const char *end;
    char *found;
};

static bool look_at_name(void *context, const char *name)
{
    struct stored_search *search = context;
    const size_t length = strlen(name);
    const size_t end = strlen(search->end);
    if (length == 2) { // of a folder, which is named by the first byte of the keys in it
        char *folder = mem_printf("%s/%s", search->folder, name);
        struct stored_search inner = {.folder = folder, .end = search->end};
        (void)os_list_directory(folder, look_at_name, &inner, NULL);
        search->found = inner.found != NULL ? inner.found : search->found;
        free(folder);
    } else if (length > end && strcmp(name + length - end, search->end) == 0) {
        search->found = mem_printf("%s/%s", search->folder, name);
    }
    return search->found == NULL;
}

char *hook_find_stored(const struct world *world, const char *end)
{
    char *cache = world_path(world, world_cache(world));
    struct stored_search search = {.folder = cache, .end = end};
    (void)os_list_directory(cache, look_at_name, &search, NULL);
    if (search.found == NULL) {
        fail("there is no *%s in %s", end, cache);
    }
    free(cache);
    return search.found;
}

// ---- libHalide ----------------------------------------------------------------------

void hook_copy_halide(const struct world *world, const char *folder)
{
    char *from = mem_printf("%s/lib64/libHalide.so", world->tools->halide);
    char *name = mem_printf("%s/libHalide.so", folder);
    hook_make_folder(world, folder);
    world_copy(world, from, name);
    free(name);
    free(from);
}

// The bytes of the build ID of the Halide in use.
static size_t read_build_id(const struct world *world, unsigned char *id, size_t capacity)
{
    struct error error = {{0}};
    char *path = mem_printf("%s/lib64/libHalide.so", world->tools->halide);
    char *identity = identity_of_file(path, NULL, &error);
    if (identity == NULL || strncmp(identity, "elf:", 4) != 0) {
        fail("%s has no build ID: %s", path, error.text);
    }
    size_t size = 0;
    for (const char *hex = identity + 4; hex[0] != '\0' && size < capacity; hex += 2) {
        char digits[3] = {hex[0], hex[1], '\0'};
        id[size++] = (unsigned char)strtoul(digits, NULL, 16);
    }
    free(identity);
    free(path);
    return size;
}

void hook_patch_build_id(const struct world *world, const char *library, long distance)
{
    unsigned char id[64];
    const size_t size = read_build_id(world, id, sizeof id);
    char *path = world_path(world, library);
    FILE *file = fopen(path, "r+");
    static unsigned char start[64 * 1024];
    const size_t got = file == NULL ? 0 : fread(start, 1, sizeof start, file);
    const unsigned char *found = memmem(start, got, id, size);
    if (file == NULL || found == NULL) {
        fail("%s does not begin with its build ID", path);
    }
    const long at = found - start + distance;
    if (fseek(file, at, SEEK_SET) != 0 || fputc(start[at] ^ 1, file) == EOF ||
        fclose(file) != 0) {
        fail("cannot write %s", path);
    }
    free(path);
}

// ---- Weights ------------------------------------------------------------------------

// The parts of the cost model and their dimensions.
static const struct {
    const char *file;
    uint32_t extents[3]; // 0: no more dimensions
} parts[] = {
    {"head1_conv1_weight.data", {8, 40, 7}}, {"head1_conv1_bias.data", {8}},
    {"head2_conv1_weight.data", {24, 39}},   {"head2_conv1_bias.data", {24}},
    {"trunk_conv1_weight.data", {32, 32}},   {"trunk_conv1_bias.data", {32}},
};

static void append_numbers(struct buffer *to, const uint32_t extents[3], uint8_t byte)
{
    size_t size = 4;
    for (size_t i = 0; i < 3 && extents[i] != 0; i++) {
        size *= extents[i];
    }
    for (size_t i = 0; i < size; i++) {
        buffer_append_u8(to, byte);
    }
}

static void write_bytes(const struct world *world, const char *name,
                        struct buffer *content)
{
    struct error error = {{0}};
    char *path = world_path(world, name);
    if (!os_replace_file(path, content->data, content->size, &error)) {
        fail("%s", error.text);
    }
    buffer_release(content);
    free(path);
}

static void append_part(struct buffer *all, const uint32_t extents[3],
                        const struct buffer *numbers)
{
    uint32_t dimensions = 0;
    while (dimensions < 3 && extents[dimensions] != 0) {
        dimensions++;
    }
    buffer_append_u32(all, dimensions);
    for (size_t i = 0; i < dimensions; i++) {
        buffer_append_u32(all, extents[i]);
    }
    buffer_append(all, numbers->data, numbers->size);
}

void hook_write_weights(const struct world *world, uint8_t byte)
{
    enum { PARTS = sizeof parts / sizeof parts[0] };
    // A magic number, two versions, and how many parts there are.
    const uint32_t header[4] = {0x68776631, 3, 3, PARTS};
    struct buffer all = {0};
    hook_make_folder(world, "weights");
    for (size_t i = 0; i < 4; i++) {
        buffer_append_u32(&all, header[i]);
    }
    for (size_t i = 0; i < PARTS; i++) {
        struct buffer numbers = {0};
        append_numbers(&numbers, parts[i].extents, byte);
        append_part(&all, parts[i].extents, &numbers);
        char *name = mem_printf("weights/%s", parts[i].file);
        write_bytes(world, name, &numbers);
        free(name);
    }
    write_bytes(world, "all.weights", &all);
}
