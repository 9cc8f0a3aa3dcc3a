// SPDX-License-Identifier: MIT
// A prune works in rounds. A round scans some folders, sorts the files it found there by
// their last use and removes the oldest of them. Which folders:
//
//   - those that may hold a file that was not used for too long;
//   - while the store is too large, those whose earliest use is longest ago, until they
//     hold enough files to choose from. Keys are digests, so every folder is a fair
//     sample of the whole store;
//   - in the first round some more in turn, so that sums that went wrong, left-over
//     temporary files and stale locks do not stay.
//
// In a small store, what is too large is chosen from all files. A prune that is due has
// one round, and a round has a limit, so that no build waits for long; the next prune
// goes on.

#include "prune.h"

#include "folder.h"
#include "os.h"
#include "stats.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEBOUNCE_S = 60,
    SAMPLE_FILES = 4096, // to choose from; a store with no more is scanned as a whole
    SAMPLE_FACTOR = 4,   // as many bytes to choose from as have to go, times this
    ROUND_FILES = 65536, // no more folders are scanned in a round after these
    ROUTINE_FOLDERS = 4, // scanned in turn, see scan_in_turn
    MAX_ROUNDS = 256,    // of a prune that was asked for
};

static const int64_t second_ns = 1000000000;

struct found_file {
    int64_t used_ns; // last use; now, if that is in the future
    int64_t mtime_ns;
    uint64_t size;
    uint32_t folder;
    enum store_kind kind;
    char name[FOLDER_FILE_NAME_SIZE];
};

struct pruning {
    const char *store;
    bool only_if_due;
    int64_t now_ns;
    int64_t too_old_ns; // files that were last used before go in any case
    uint64_t max_size;
    bool present[STORE_FOLDERS];
    struct folder_size sizes[STORE_FOLDERS];
    bool scanned[STORE_FOLDERS]; // in this round
    struct buffer found;         // struct found_file, of this round
    uint64_t found_bytes;
    uint32_t scanning; // the folder that is being scanned
    uint64_t removed_files;
    uint64_t removed_bytes;
};

static size_t found_count(const struct pruning *pruning)
{
    return pruning->found.size / sizeof(struct found_file);
}

static struct found_file *found_files(const struct pruning *pruning)
{
    return (struct found_file *)(void *)pruning->found.data;
}

static uint64_t total_bytes(const struct pruning *pruning)
{
    uint64_t total = 0;
    for (size_t i = 0; i < STORE_FOLDERS; i++) {
        total += pruning->sizes[i].bytes;
    }
    return total;
}

static uint64_t total_files(const struct pruning *pruning)
{
    uint64_t total = 0;
    for (size_t i = 0; i < STORE_FOLDERS; i++) {
        total += pruning->sizes[i].files;
    }
    return total;
}

// ---- Scanning -----------------------------------------------------------------------

static void note_file(void *context, const struct folder_file *file)
{
    struct pruning *pruning = context;
    if (!file->stored) {
        sweep_file(file->name, file->path, &file->status, pruning->now_ns);
        return;
    }
    struct found_file found = {.used_ns = file->status.mtime_ns,
                               .mtime_ns = file->status.mtime_ns,
                               .size = file->status.size,
                               .folder = pruning->scanning,
                               .kind = file->kind};
    if (found.used_ns > pruning->now_ns) {
        // A clock was wrong. Used now is the best guess that lets it grow old.
        found.used_ns = pruning->now_ns;
        if (os_set_mtime(file->path, pruning->now_ns)) {
            found.mtime_ns = pruning->now_ns;
        }
    }
    memcpy(found.name, file->name, strlen(file->name) + 1);
    buffer_append(&pruning->found, &found, sizeof found);
    pruning->found_bytes += found.size;
}

static void scan_folder(struct pruning *pruning, unsigned number)
{
    char *path = folder_path(pruning->store, number);
    struct folder_change change;
    folder_change_begin(&change, path);
    pruning->scanning = number;
    pruning->scanned[number] = true;
    // A folder that cannot be listed keeps its sums; nothing in it can be removed.
    if (folder_scan(&change, note_file, pruning, NULL)) {
        pruning->sizes[number] = change.size;
    }
    folder_change_end(&change);
    free(path);
}

static bool has_too_old(const struct folder_size *size, const struct pruning *pruning)
{
    return size->files > 0 && size->earliest_ns < pruning->too_old_ns;
}

static bool sample_is_enough(const struct pruning *pruning)
{
    const uint64_t total = total_bytes(pruning);
    return total <= pruning->max_size ||
           (found_count(pruning) >= SAMPLE_FILES &&
            pruning->found_bytes / SAMPLE_FACTOR >= total - pruning->max_size);
}

struct folder_order {
    int64_t earliest_ns;
    unsigned number;
};

static int by_earliest_use(const void *left, const void *right)
{
    const struct folder_order *a = left;
    const struct folder_order *b = right;
    if (a->earliest_ns != b->earliest_ns) {
        return a->earliest_ns < b->earliest_ns ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

// Every minute's prune has its turn with other folders. One that was asked for looks at
// all of a small store.
static void scan_in_turn(struct pruning *pruning)
{
    const uint64_t turn = (uint64_t)(pruning->now_ns / second_ns / DEBOUNCE_S);
    const bool all = !pruning->only_if_due && total_files(pruning) <= SAMPLE_FILES;
    const unsigned count = all ? STORE_FOLDERS : ROUTINE_FOLDERS;
    for (unsigned i = 0; i < count; i++) {
        const unsigned number = (unsigned)((turn * ROUTINE_FOLDERS + i) % STORE_FOLDERS);
        if (pruning->present[number]) {
            scan_folder(pruning, number);
        }
    }
}

static void scan_needed(struct pruning *pruning)
{
    struct folder_order order[STORE_FOLDERS];
    for (unsigned i = 0; i < STORE_FOLDERS; i++) {
        order[i] = (struct folder_order){pruning->sizes[i].earliest_ns, i};
    }
    qsort(order, STORE_FOLDERS, sizeof order[0], by_earliest_use);
    for (size_t i = 0; i < STORE_FOLDERS && found_count(pruning) < ROUND_FILES; i++) {
        const unsigned number = order[i].number;
        const struct folder_size *size = &pruning->sizes[number];
        if (size->files > 0 && !pruning->scanned[number] &&
            (has_too_old(size, pruning) || !sample_is_enough(pruning))) {
            scan_folder(pruning, number);
        }
    }
}

// ---- Removing -----------------------------------------------------------------------

static int by_last_use(const void *left, const void *right)
{
    const struct found_file *a = left;
    const struct found_file *b = right;
    if (a->used_ns != b->used_ns) {
        return a->used_ns < b->used_ns ? -1 : 1;
    }
    const int folders = a->folder < b->folder ? -1 : a->folder > b->folder;
    return folders != 0 ? folders : strcmp(a->name, b->name);
}

static int by_folder(const void *left, const void *right)
{
    const struct found_file *a = left;
    const struct found_file *b = right;
    return a->folder < b->folder ? -1 : a->folder > b->folder;
}

// How many bytes the size limit takes from the files found. Where they are too small a
// sample of what has to go, no more than the same share as of the whole store.
static uint64_t bytes_to_remove(const struct pruning *pruning)
{
    const uint64_t total = total_bytes(pruning);
    if (total <= pruning->max_size) {
        return 0;
    }
    const uint64_t excess = total - pruning->max_size;
    if (found_count(pruning) < ROUND_FILES) {
        return excess;
    }
    const double share = (double)excess / (double)total;
    const uint64_t of_sample = (uint64_t)((double)pruning->found_bytes * share) + 1;
    const uint64_t quarter = pruning->found_bytes / SAMPLE_FACTOR;
    const uint64_t most = of_sample > quarter ? of_sample : quarter;
    return excess < most ? excess : most;
}

// Sorts the files found and returns how many of them, from the first, have to go.
static size_t choose_victims(struct pruning *pruning)
{
    struct found_file *files = found_files(pruning);
    const size_t count = found_count(pruning);
    if (count == 0) {
        return 0;
    }
    qsort(files, count, sizeof files[0], by_last_use);
    const uint64_t needed = bytes_to_remove(pruning);
    uint64_t bytes = 0;
    size_t victims = 0;
    while (victims < count &&
           (bytes < needed || files[victims].used_ns < pruning->too_old_ns)) {
        bytes += files[victims].size;
        victims++;
    }
    return victims;
}

static bool remove_victim(struct pruning *pruning, struct folder_change *change,
                          const struct found_file *file)
{
    char *path = mem_printf("%s/%s", change->path, file->name);
    struct file_status status;
    // One that was used or replaced since we saw it is no longer the oldest.
    const bool removed = os_stat(path, &status) && status.mtime_ns == file->mtime_ns &&
                         os_remove_file(path, NULL);
    free(path);
    if (removed) {
        folder_change_subtract(change, file->kind, status.size);
        pruning->removed_files++;
        pruning->removed_bytes += status.size;
    }
    return removed;
}

// Removes victims, which are all in one folder; `earliest_ns` is the earliest use of what
// the scan found there besides. Returns how many are gone.
static size_t remove_from_folder(struct pruning *pruning, const struct found_file *files,
                                 size_t count, int64_t earliest_ns)
{
    const unsigned number = files[0].folder;
    char *path = folder_path(pruning->store, number);
    struct folder_change change;
    folder_change_begin(&change, path);
    if (!change.known) {
        change.size = pruning->sizes[number];
    }
    size_t removed = 0;
    for (size_t i = 0; i < count; i++) {
        removed += remove_victim(pruning, &change, &files[i]);
    }
    if (removed == count && change.size.files > 0) {
        change.size.earliest_ns =
            earliest_ns < pruning->now_ns ? earliest_ns : pruning->now_ns;
    }
    pruning->sizes[number] = change.size;
    folder_change_end(&change);
    free(path);
    return removed;
}

static size_t remove_victims(struct pruning *pruning, size_t victims)
{
    struct found_file *files = found_files(pruning);
    int64_t earliest_ns[STORE_FOLDERS];
    for (size_t i = 0; i < STORE_FOLDERS; i++) {
        earliest_ns[i] = INT64_MAX;
    }
    for (size_t i = found_count(pruning); i > victims; i--) {
        earliest_ns[files[i - 1].folder] = files[i - 1].used_ns; // in order of use
    }
    qsort(files, victims, sizeof files[0], by_folder);
    size_t removed = 0;
    for (size_t first = 0, end = 0; first < victims; first = end) {
        const uint32_t folder = files[first].folder;
        while (end < victims && files[end].folder == folder) {
            end++;
        }
        removed +=
            remove_from_folder(pruning, files + first, end - first, earliest_ns[folder]);
    }
    return removed;
}

// ---- Rounds -------------------------------------------------------------------------

static bool is_within_limits(const struct pruning *pruning)
{
    for (size_t i = 0; i < STORE_FOLDERS; i++) {
        if (has_too_old(&pruning->sizes[i], pruning)) {
            return false;
        }
    }
    return total_bytes(pruning) <= pruning->max_size;
}

// Returns false when another round would be of no use.
static bool run_round(struct pruning *pruning, bool first)
{
    memset(pruning->scanned, 0, sizeof pruning->scanned);
    pruning->found.size = 0;
    pruning->found_bytes = 0;
    if (first) {
        scan_in_turn(pruning);
    }
    scan_needed(pruning);
    const size_t victims = choose_victims(pruning);
    const size_t removed = victims > 0 ? remove_victims(pruning, victims) : 0;
    return (removed > 0 || found_count(pruning) >= ROUND_FILES) &&
           !is_within_limits(pruning);
}

// The top folder: which folders there are, and left-over files of our own.
static bool note_top_name(void *context, const char *name)
{
    struct pruning *pruning = context;
    unsigned number = 0;
    char *path = mem_printf("%s/%s", pruning->store, name);
    struct file_status status;
    if (folder_parse_number(name, &number)) {
        pruning->present[number] = folder_size_get(path, &pruning->sizes[number], NULL);
        if (!pruning->present[number]) {
            pruning->sizes[number] = (struct folder_size){0};
        }
    } else if (os_stat(path, &status) && status.kind == FILE_REGULAR) {
        sweep_file(name, path, &status, pruning->now_ns);
    }
    free(path);
    return true;
}

static int64_t too_old_before(const struct settings *settings, int64_t now_ns)
{
    const uint64_t now_s = (uint64_t)(now_ns / second_ns);
    if (settings->max_age_s == 0 || settings->max_age_s >= now_s) {
        return INT64_MIN;
    }
    return now_ns - (int64_t)settings->max_age_s * second_ns;
}

static bool prune_locked(struct store *store, const struct settings *settings,
                         bool only_if_due, struct prune_result *result,
                         struct error *error)
{
    const int64_t now_ns = os_wall_clock_ns();
    const int max_rounds = only_if_due ? 1 : MAX_ROUNDS;
    struct pruning pruning = {.store = store_folder(store),
                              .only_if_due = only_if_due,
                              .now_ns = now_ns,
                              .too_old_ns = too_old_before(settings, now_ns),
                              .max_size = settings->max_size};
    if (!os_list_directory(pruning.store, note_top_name, &pruning, error)) {
        return false;
    }
    for (int round = 0; round < max_rounds && run_round(&pruning, round == 0); round++) {
    }
    buffer_release(&pruning.found);
    sweep_side_folders(pruning.store, now_ns);
    *result = (struct prune_result){.removed_files = pruning.removed_files,
                                    .removed_bytes = pruning.removed_bytes};
    for (size_t i = 0; i < STORE_FOLDERS; i++) {
        result->left.files += pruning.sizes[i].files;
        result->left.entries += pruning.sizes[i].entries;
        result->left.bytes += pruning.sizes[i].bytes;
    }
    return true;
}

// ---- The lock and the stamp ---------------------------------------------------------

static bool is_due(const char *stamp)
{
    struct file_status status;
    if (!os_stat(stamp, &status)) {
        return true;
    }
    // A time in the future, beyond what clocks differ, must not stop us for ever.
    const int64_t since_ns = os_wall_clock_ns() - status.mtime_ns;
    return since_ns >= DEBOUNCE_S * second_ns || since_ns <= -DEBOUNCE_S * second_ns;
}

// Our clock, not that of a file server: it is our clock that we compare with.
static void write_stamp(const char *stamp)
{
    if (!os_set_mtime(stamp, os_wall_clock_ns())) {
        (void)os_replace_file(stamp, "", 0, NULL);
    }
}

static bool prune(struct store *store, const struct settings *settings, bool only_if_due,
                  struct prune_result *result, bool *busy, struct error *error)
{
    const char *folder = store_folder(store);
    char *stamp = mem_printf("%s/.last_prune", folder);
    char *lock = mem_printf("%s/.lock", folder);
    int handle = -1;
    bool ok = true;
    *busy = false;
    *result = (struct prune_result){0};
    if (!only_if_due || is_due(stamp)) {
        const enum lock_result locked = os_lock_try(lock, &handle);
        *busy = locked == LOCK_BUSY;
        if (locked == LOCK_UNAVAILABLE && !os_can_write_directory(folder)) {
            ok = error_set_errno(error, "cannot prune %s", folder);
        } else if (!*busy && (!only_if_due || is_due(stamp))) {
            // Asked again: another process may have pruned before we had the lock.
            write_stamp(stamp);
            ok = prune_locked(store, settings, only_if_due, result, error);
            stats_fold(folder);
        }
        if (locked == LOCK_TAKEN) {
            os_lock_release(handle, lock, true);
        }
    }
    free(lock);
    free(stamp);
    return ok;
}

void prune_if_due(struct store *store, const struct settings *settings)
{
    struct prune_result result;
    bool busy = false;
    (void)prune(store, settings, true, &result, &busy, NULL);
}

bool prune_now(struct store *store, const struct settings *settings,
               struct prune_result *result, bool *busy, struct error *error)
{
    return prune(store, settings, false, result, busy, error);
}
