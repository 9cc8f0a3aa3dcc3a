// SPDX-License-Identifier: MIT

#include "dependency.h"

#include "identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// The finest tick that file systems round their times to when they do not do so to whole
// seconds: a timer interrupt.
static const int64_t tick_ns = INT64_C(10000000);
static const int64_t second_ns = INT64_C(1000000000);

// ---- What things are like -----------------------------------------------------------

static bool digest_text(const char *kind, const char *text, struct digest *digest)
{
    struct buffer bytes = {0};
    buffer_append_sized(&bytes, kind, strlen(kind));
    buffer_append_string(&bytes, text);
    const bool ok = sha256_of(bytes.data, bytes.size, digest);
    buffer_release(&bytes);
    return ok;
}

static bool look_at_content(struct dependency *dependency,
                            struct file_digest_memory *memory)
{
    if (!os_stat(dependency->name, &dependency->status)) {
        return false;
    }
    if (dependency->status.kind == FILE_DIRECTORY) {
        return digest_text("folder", "", &dependency->digest);
    }
    bool lasts = false;
    if (dependency->status.kind != FILE_REGULAR ||
        !file_digest_that_lasts(dependency->name, memory, &dependency->digest, &lasts,
                                NULL)) {
        return false;
    }
    if (!lasts) {
        dependency->status.kind = FILE_OTHER; // the status of no file that is read
    }
    return true;
}

static bool look_at_identity(struct dependency *dependency,
                             struct file_digest_memory *memory)
{
    char *identity = os_stat(dependency->name, &dependency->status)
                         ? identity_of_file(dependency->name, memory, NULL)
                         : NULL;
    const bool ok =
        identity != NULL && digest_text("identity", identity, &dependency->digest);
    free(identity);
    return ok;
}

static bool look_at_status(struct dependency *dependency)
{
    struct file_status status;
    if (!os_stat_link(dependency->name, &status)) {
        return false;
    }
    if (status.kind == FILE_DIRECTORY && dependency->kind == DEPENDS_ON_STATUS) {
        return digest_text("folder", "", &dependency->digest);
    }
    // What a link is, and what it leads to: both were there to be seen.
    struct file_status target = {0};
    const bool has_target = os_stat(dependency->name, &target);
    char *text =
        mem_printf("%d %llu %llu %llu %lld %lld, %d %d %llu %llu %llu %lld %lld",
                   (int)status.kind, (unsigned long long)status.device,
                   (unsigned long long)status.inode, (unsigned long long)status.size,
                   (long long)status.mtime_ns, (long long)status.ctime_ns,
                   (int)has_target, (int)target.kind, (unsigned long long)target.device,
                   (unsigned long long)target.inode, (unsigned long long)target.size,
                   (long long)target.mtime_ns, (long long)target.ctime_ns);
    const bool ok = digest_text("status", text, &dependency->digest);
    free(text);
    // The younger one decides whether all of it has settled.
    dependency->status =
        has_target && dependency_settles_ns(&target) > dependency_settles_ns(&status)
            ? target
            : status;
    return ok;
}

static bool look_at_missing(struct dependency *dependency)
{
    struct file_status status;
    return !os_stat_link(dependency->name, &status) &&
           (errno == ENOENT || errno == ENOTDIR) &&
           digest_text("missing", "", &dependency->digest);
}

static bool look_at_access(struct dependency *dependency)
{
    struct file_status status;
    const int mask = os_access(dependency->name);
    if (mask < 0 || !os_stat(dependency->name, &status)) {
        return false;
    }
    char *text = mem_printf("%d %d", mask, status.kind == FILE_DIRECTORY);
    const bool ok = digest_text("access", text, &dependency->digest);
    free(text);
    return ok;
}

static bool look_at_path(struct dependency *dependency, const char *kind, char *path)
{
    const bool ok = path != NULL && digest_text(kind, path, &dependency->digest);
    free(path);
    return ok;
}

// The order is part of it: a generator may take the first name that it gets.
struct listing {
    const char *folder;
    struct buffer bytes;
};

static bool add_name(void *context, const char *name)
{
    struct listing *listing = context;
    struct file_status status = {.kind = FILE_OTHER};
    char *path = mem_printf("%s/%s", listing->folder, name);
    (void)os_stat_link(path, &status);
    buffer_append_sized(&listing->bytes, name, strlen(name));
    buffer_append_u8(&listing->bytes, (uint8_t)status.kind);
    free(path);
    return true;
}

static bool look_at_listing(struct dependency *dependency)
{
    struct listing listing = {.folder = dependency->name};
    const bool ok =
        os_stat(dependency->name, &dependency->status) &&
        dependency->status.kind == FILE_DIRECTORY &&
        os_list_directory(dependency->name, add_name, &listing, NULL) &&
        sha256_of(listing.bytes.data, listing.bytes.size, &dependency->digest);
    buffer_release(&listing.bytes);
    return ok;
}

static bool look_at_variable(struct dependency *dependency)
{
    const char *value = os_variable(dependency->name);
    return value == NULL ? digest_text("not set", "", &dependency->digest)
                         : digest_text("set", value, &dependency->digest);
}

bool dependency_look(struct dependency *dependency, struct file_digest_memory *memory)
{
    dependency->status = (struct file_status){0};
    dependency->seen_ns = os_wall_clock_ns();
    switch (dependency->kind) {
    case DEPENDS_ON_CONTENT:
        return look_at_content(dependency, memory);
    case DEPENDS_ON_IDENTITY:
        return look_at_identity(dependency, memory);
    case DEPENDS_ON_STATUS:
    case DEPENDS_ON_WHOLE_STATUS:
        return look_at_status(dependency);
    case DEPENDS_ON_MISSING:
        return look_at_missing(dependency);
    case DEPENDS_ON_ACCESS:
        return look_at_access(dependency);
    case DEPENDS_ON_LINK:
        return look_at_path(dependency, "link", os_read_link(dependency->name));
    case DEPENDS_ON_RESOLVED:
        return look_at_path(dependency, "resolved", os_absolute_path(dependency->name));
    case DEPENDS_ON_LISTING:
        return look_at_listing(dependency);
    case DEPENDS_ON_VARIABLE:
        return look_at_variable(dependency);
    }
    return false;
}

// ---- Checking -----------------------------------------------------------------------

static bool has_remembered_status(const struct dependency *dependency)
{
    return (dependency->kind == DEPENDS_ON_CONTENT ||
            dependency->kind == DEPENDS_ON_IDENTITY) &&
           file_status_is_settled(&dependency->status, dependency->seen_ns);
}

enum dependency_check dependency_check(struct dependency *dependency)
{
    struct file_status status;
    if (dependency->kind == DEPENDS_ON_MISSING) {
        return !os_stat_link(dependency->name, &status) &&
                       (errno == ENOENT || errno == ENOTDIR)
                   ? DEPENDENCY_SAME
                   : DEPENDENCY_CHANGED;
    }
    if (has_remembered_status(dependency) && os_stat(dependency->name, &status) &&
        file_status_equal(&status, &dependency->status)) {
        return DEPENDENCY_SAME;
    }
    struct dependency now = {.kind = dependency->kind, .name = dependency->name};
    if (!dependency_look(&now, NULL) || !digest_equal(&now.digest, &dependency->digest)) {
        return DEPENDENCY_CHANGED;
    }
    *dependency = now;
    return now.kind == DEPENDS_ON_CONTENT || now.kind == DEPENDS_ON_IDENTITY
               ? DEPENDENCY_SAME_BUT_NEW
               : DEPENDENCY_SAME;
}

static int64_t end_of_tick(int64_t time_ns)
{
    return time_ns % second_ns == 0 ? time_ns + 2 * second_ns : time_ns + tick_ns;
}

int64_t dependency_settles_ns(const struct file_status *status)
{
    const int64_t mtime_ns = end_of_tick(status->mtime_ns);
    const int64_t ctime_ns = end_of_tick(status->ctime_ns);
    return mtime_ns > ctime_ns ? mtime_ns : ctime_ns;
}

// ---- Storing ------------------------------------------------------------------------

void dependency_encode(const struct dependency *dependency, struct buffer *to)
{
    const struct file_status *status = &dependency->status;
    buffer_append_u8(to, (uint8_t)dependency->kind);
    buffer_append_u8(to, (uint8_t)status->kind);
    buffer_append_u64(to, status->device);
    buffer_append_u64(to, status->inode);
    buffer_append_u64(to, status->size);
    buffer_append_u64(to, (uint64_t)status->mtime_ns);
    buffer_append_u64(to, (uint64_t)status->ctime_ns);
    buffer_append_u64(to, (uint64_t)dependency->seen_ns);
    buffer_append(to, dependency->digest.bytes, sizeof dependency->digest.bytes);
    buffer_append_sized(to, dependency->name, strlen(dependency->name) + 1);
}

bool dependency_decode(struct dependency *dependency, struct reader *from)
{
    const uint8_t kind = reader_u8(from);
    dependency->kind = (enum dependency_kind)kind;
    dependency->status.kind = (enum file_kind)reader_u8(from);
    dependency->status.device = reader_u64(from);
    dependency->status.inode = reader_u64(from);
    dependency->status.size = reader_u64(from);
    dependency->status.mtime_ns = (int64_t)reader_u64(from);
    dependency->status.ctime_ns = (int64_t)reader_u64(from);
    dependency->seen_ns = (int64_t)reader_u64(from);
    const unsigned char *digest = reader_bytes(from, sizeof dependency->digest.bytes);
    size_t size = 0;
    const unsigned char *name = reader_sized(from, &size);
    if (from->failed || size == 0 || name[size - 1] != '\0' ||
        kind < DEPENDS_ON_CONTENT || kind > DEPENDS_ON_WHOLE_STATUS) {
        return false;
    }
    memcpy(dependency->digest.bytes, digest, sizeof dependency->digest.bytes);
    dependency->name = (const char *)name;
    return true;
}
