// SPDX-License-Identifier: MIT

#include "output_files.h"

#include "buffer.h"
#include "os.h"

#include <stdlib.h>
#include <string.h>

struct file_before {
    bool existed;
    struct file_status status;
    struct buffer content;
};

struct output_state {
    size_t count;
    struct file_before *before;
    struct buffer *after; // what output_files_collect read
    struct entry_output *outputs;
};

struct output_state *output_state_take(const struct outputs *outputs)
{
    struct output_state *state = mem_new(1, sizeof *state);
    state->count = outputs->count;
    state->before = mem_new(outputs->count, sizeof *state->before);
    state->after = mem_new(outputs->count, sizeof *state->after);
    state->outputs = mem_new(outputs->count, sizeof *state->outputs);
    for (size_t i = 0; i < outputs->count; i++) {
        struct file_before *before = &state->before[i];
        before->existed = os_read_file(outputs->list[i].path, &before->content,
                                       &before->status, NULL) ||
                          os_stat(outputs->list[i].path, &before->status);
    }
    return state;
}

void output_state_free(struct output_state *state)
{
    if (state != NULL) {
        for (size_t i = 0; i < state->count; i++) {
            buffer_release(&state->before[i].content);
            buffer_release(&state->after[i]);
        }
        free(state->before);
        free(state->after);
        free(state->outputs);
        free(state);
    }
}

// Halide writes several kinds of files without looking whether that works: on a full disk
// it leaves a part of them, and succeeds. The file's size says nothing, so the space that
// is left has to be plenty.
static bool had_space(const struct output *output, size_t size, struct error *error)
{
    enum { PLENTY = 1024 * 1024 };
    uint64_t left = 0;
    return !os_free_space(output->path, &left) || left >= size + PLENTY ||
           error_set(error, "the disk is full where %s lies", output->path);
}

// A header that was cut off, for whatever reason, lacks its last line.
static bool is_whole(const struct output *output, const struct buffer *content,
                     struct error *error)
{
    static const char end[] = "#endif\n";
    const size_t length = sizeof end - 1;
    const size_t name = strlen(output->path);
    if (name < 2 || strcmp(output->path + name - 2, ".h") != 0 ||
        strcmp(output->role, "c_header") != 0) {
        return true;
    }
    return (content->size >= length &&
            memcmp(content->data + content->size - length, end, length) == 0) ||
           error_set(error, "%s is cut off", output->path);
}

bool output_files_collect(const struct outputs *outputs, struct output_state *state,
                          struct entry *entry, struct error *error)
{
    for (size_t i = 0; i < outputs->count; i++) {
        const char *path = outputs->list[i].path;
        struct file_status status;
        if (!os_read_file(path, &state->after[i], &status, error)) {
            return false;
        }
        if (status.kind != FILE_REGULAR || status.size != state->after[i].size) {
            return error_set(error, "%s is not a regular file at rest", path);
        }
        if (state->before[i].existed &&
            file_status_equal(&status, &state->before[i].status)) {
            return error_set(error, "%s was not written", path);
        }
        if (!had_space(&outputs->list[i], state->after[i].size, error) ||
            !is_whole(&outputs->list[i], &state->after[i], error)) {
            return false;
        }
        state->outputs[i] = (struct entry_output){.role = outputs->list[i].role,
                                                  .data = state->after[i].data,
                                                  .size = state->after[i].size};
    }
    entry->outputs = state->outputs;
    entry->output_count = outputs->count;
    return true;
}

static bool same_bytes(const struct buffer *a, const unsigned char *data, size_t size)
{
    return a->size == size && (size == 0 || memcmp(a->data, data, size) == 0);
}

void output_files_settle(const struct outputs *outputs, const struct output_state *state,
                         const struct entry *entry, enum unchanged_output unchanged)
{
    for (size_t i = 0; unchanged == UNCHANGED_KEEP && i < outputs->count; i++) {
        const struct file_before *before = &state->before[i];
        if (before->existed && same_bytes(&before->content, entry->outputs[i].data,
                                          entry->outputs[i].size)) {
            (void)os_set_mtime(outputs->list[i].path, before->status.mtime_ns);
        }
    }
}

static bool has_bytes(const char *path, const struct entry_output *output)
{
    struct file_status status;
    if (!os_stat(path, &status) || status.kind != FILE_REGULAR ||
        status.size != output->size) {
        return false;
    }
    struct buffer content = {0};
    const bool same = os_read_file(path, &content, NULL, NULL) &&
                      same_bytes(&content, output->data, output->size);
    buffer_release(&content);
    return same;
}

static bool restore_one(const char *path, const struct entry_output *output,
                        enum unchanged_output unchanged, struct error *error)
{
    if (has_bytes(path, output)) {
        return unchanged == UNCHANGED_KEEP || os_set_mtime(path, -1) ||
               error_set_errno(error, "cannot set the time of %s", path);
    }
    return os_write_file(path, output->data, output->size, error);
}

bool output_files_restore(const struct outputs *outputs, const struct entry *entry,
                          enum unchanged_output unchanged, struct error *error)
{
    if (entry->output_count != outputs->count) {
        return error_set(error, "the entry has %zu outputs, the command %zu",
                         entry->output_count, outputs->count);
    }
    for (size_t i = 0; i < outputs->count; i++) {
        if (strcmp(entry->outputs[i].role, outputs->list[i].role) != 0) {
            return error_set(error, "the entry has no output '%s'",
                             outputs->list[i].role);
        }
    }
    // Better to see what is in the way before anything is written.
    for (size_t i = 0; i < outputs->count; i++) {
        struct file_status status;
        if (os_stat(outputs->list[i].path, &status) && status.kind != FILE_REGULAR) {
            return error_set(error, "%s is not a regular file", outputs->list[i].path);
        }
    }
    for (size_t i = 0; i < outputs->count; i++) {
        if (!restore_one(outputs->list[i].path, &entry->outputs[i], unchanged, error)) {
            return false;
        }
    }
    return true;
}
