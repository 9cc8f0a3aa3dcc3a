// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "folder.h"
#include "store.h"

#include "scratch.h"

static struct store *open_store(const char *folder)
{
    struct error error = {""};
    struct store *store = store_open(folder, &error);
    if (store == NULL) {
        fail_msg("%s", error.text);
    }
    return store;
}

static void put(struct store *store, enum store_kind kind, unsigned number,
                const char *text)
{
    const struct digest key = scratch_key(number);
    struct error error = {"?"};
    assert_true(store_write(store, kind, &key, text, strlen(text), &error));
    assert_string_equal(error.text, "");
}

// What is stored; NULL: nothing.
static void check_stored(struct store *store, enum store_kind kind, unsigned number,
                         const char *expected)
{
    const struct digest key = scratch_key(number);
    struct buffer content = {0};
    struct error error = {"?"};
    buffer_append_string(&content, "before ");
    assert_int_equal(store_read(store, kind, &key, &content, &error), expected != NULL);
    assert_string_equal(error.text, "");
    char *whole = mem_printf("before %s", expected == NULL ? "" : expected);
    assert_int_equal(content.size, strlen(whole));
    assert_memory_equal(content.data, whole, content.size);
    free(whole);
    buffer_release(&content);
}

static void check_usage(struct store *store, uint64_t files, uint64_t entries,
                        uint64_t bytes)
{
    struct store_usage usage;
    assert_true(store_usage(store, &usage, NULL));
    assert_int_equal(usage.files, files);
    assert_int_equal(usage.entries, entries);
    assert_int_equal(usage.bytes, bytes);
}

// ---- Opening ------------------------------------------------------------------------

static bool has_tag(const char *folder)
{
    static const char signature[] = "Signature: 8a477f597d28d172789f06886806bc55";
    char *tag = scratch_path(folder, "CACHEDIR.TAG");
    struct buffer content = {0};
    const bool ok = os_read_file(tag, &content, NULL, NULL) &&
                    content.size > sizeof signature &&
                    memcmp(content.data, signature, sizeof signature - 1) == 0;
    buffer_release(&content);
    free(tag);
    return ok;
}

static void check_opens(const char *folder, bool tagged)
{
    struct store *store = open_store(folder);
    assert_string_equal(store_folder(store), folder);
    store_close(store);
    assert_int_equal(has_tag(folder), tagged);
    assert_int_equal(store_is_ours(folder), tagged);
}

static void test_open_creates_the_folder(void **state)
{
    char *deep = scratch_path(*state, "a/b c/d");
    char *slash = scratch_path(*state, "e/");
    assert_true(store_is_ours(deep)); // nothing there that clearing could hurt
    check_opens(deep, true);
    check_opens(deep, true);
    check_opens(slash, true);
    free(slash);
    free(deep);
    store_close(NULL);
}

static void test_open_tags_once(void **state)
{
    char *tag = scratch_path(*state, "CACHEDIR.TAG");
    check_opens(*state, true); // it was empty
    assert_true(os_set_mtime(tag, 1000000000));
    check_opens(*state, true);
    struct file_status status;
    assert_true(os_stat(tag, &status));
    assert_true(status.mtime_ns == 1000000000);
    free(tag);
}

static void test_open_tags_no_strange_folder(void **state)
{
    char *letter = scratch_path(*state, "letter.txt");
    scratch_write(letter, "Dear ...");
    check_opens(*state, false);
    struct store *store = open_store(*state);
    put(store, STORE_ENTRY, 1, "text"); // it works all the same
    check_stored(store, STORE_ENTRY, 1, "text");
    store_close(store);
    assert_false(has_tag(*state));
    assert_false(store_is_ours(*state));
    free(letter);
}

static void check_ours(const char *parent, const char *name, bool expected)
{
    char *folder = scratch_path(parent, "folder");
    char *path = scratch_path(folder, name);
    assert_true(os_make_directories(folder, NULL));
    scratch_write(path, "text");
    assert_int_equal(store_is_ours(folder), expected);
    check_opens(folder, expected);
    assert_true(os_remove_tree(folder, NULL));
    free(path);
    free(folder);
}

static void test_names_of_ours(void **state)
{
    check_ours(*state, ".events", true);
    check_ours(*state, ".events.lock", true);
    check_ours(*state, ".events.123456", true);
    check_ours(*state, ".totals", true);
    check_ours(*state, ".totals.halide-cache-tmp.aBcDeF", true);
    check_ours(*state, ".last_prune", true);
    check_ours(*state, ".lock", true);
    check_ours(*state, ".digests", true);
    check_ours(*state, ".flights", true);
    check_ours(*state, ".probes", true);
    check_ours(*state, ".events.", false);
    check_ours(*state, ".events.old", false);
    check_ours(*state, ".profile", false);
    check_ours(*state, "ab", false);
    check_ours(*state, "CACHEDIR.TAG", false); // another program's
}

static void check_does_not_open(const char *folder)
{
    struct error error = {""};
    assert_null(store_open(folder, &error));
    assert_int_not_equal(error.text[0], '\0');
    assert_non_null(strstr(error.text, folder));
}

static void test_open_failures(void **state)
{
    char *file = scratch_path(*state, "file");
    char *below = scratch_path(*state, "file/below");
    scratch_write(file, "x");
    check_does_not_open(file);
    check_does_not_open(below);
    check_does_not_open("");
    free(below);
    free(file);
}

static void test_open_existing(void **state)
{
    char *missing = scratch_path(*state, "missing");
    char *file = scratch_path(*state, "file");
    char *folder = scratch_path(*state, "folder");
    struct error error = {"?"};
    assert_null(store_open_existing(missing, &error));
    assert_string_equal(error.text, "");
    assert_false(scratch_exists(missing));
    scratch_write(file, "x");
    assert_null(store_open_existing(file, &error));
    assert_non_null(strstr(error.text, file));
    assert_true(os_make_directories(folder, NULL));
    struct store *store = store_open_existing(folder, &error);
    assert_non_null(store);
    assert_string_equal(error.text, "");
    store_close(store);
    assert_int_equal(scratch_count(folder), 0);
    free(folder);
    free(file);
    free(missing);
}

// ---- Reading and writing ------------------------------------------------------------

static void test_write_read_remove(void **state)
{
    struct store *store = open_store(*state);
    check_stored(store, STORE_ENTRY, 1, NULL);
    put(store, STORE_ENTRY, 1, "one");
    check_stored(store, STORE_ENTRY, 1, "one");
    check_stored(store, STORE_MANIFEST, 1, NULL); // another kind
    check_stored(store, STORE_ENTRY, 2, NULL);
    put(store, STORE_MANIFEST, 1, "its manifest");
    put(store, STORE_ENTRY, 2, "");
    check_stored(store, STORE_ENTRY, 1, "one");
    check_stored(store, STORE_MANIFEST, 1, "its manifest");
    check_stored(store, STORE_ENTRY, 2, "");
    put(store, STORE_ENTRY, 1, "another one");
    check_stored(store, STORE_ENTRY, 1, "another one");
    const struct digest key = scratch_key(1);
    assert_true(store_remove(store, STORE_ENTRY, &key, NULL));
    check_stored(store, STORE_ENTRY, 1, NULL);
    check_stored(store, STORE_MANIFEST, 1, "its manifest");
    assert_true(store_remove(store, STORE_ENTRY, &key, NULL)); // it is not there
    store_close(store);
}

static void test_layout(void **state)
{
    struct store *store = open_store(*state);
    struct digest key;
    memset(key.bytes, 0xa0, sizeof key.bytes);
    key.bytes[0] = 0x0f;
    key.bytes[31] = 0xff;
    assert_true(store_write(store, STORE_ENTRY, &key, "x", 1, NULL));
    assert_true(store_write(store, STORE_MANIFEST, &key, "x", 1, NULL));
    char *entry = mem_printf("%s/0f/%.60sff.entry", (char *)*state,
                             "a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0"
                             "a0a0a0a0");
    char *folder = scratch_path(*state, "0f");
    assert_true(scratch_exists(entry));
    assert_int_equal(scratch_count(folder), 3); // and .size
    enum store_kind kind = STORE_KINDS;
    assert_true(folder_parse_file_name(strrchr(entry, '/') + 1, &kind));
    assert_int_equal(kind, STORE_ENTRY);
    free(folder);
    free(entry);
    store_close(store);
}

static void check_name(const char *name, bool expected)
{
    enum store_kind kind = STORE_KINDS;
    assert_int_equal(folder_parse_file_name(name, &kind), expected);
}

static void test_file_names(void **state)
{
    (void)state;
#define HEX_60 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab"
    check_name(HEX_60 "cd.entry", true);
    check_name(HEX_60 "cd.manifest", true);
    check_name(HEX_60 "cd", false);
    check_name(HEX_60 "cd.", false);
    check_name(HEX_60 "cd.other", false);
    check_name(HEX_60 "cd.entry.halide-cache-tmp.abcdef", false);
    check_name(HEX_60 "c.entry", false);
    check_name(HEX_60 "cde.entry", false);
    check_name(HEX_60 "cD.entry", false);
    check_name(".size", false);
    check_name("", false);
#undef HEX_60
    static const char *const wrong[] = {"", "a", "0g", "AB", "abc", "a/", ".."};
    unsigned number = 999;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(folder_parse_number(wrong[i], &number));
    }
    for (unsigned i = 0; i < STORE_FOLDERS; i++) {
        char *path = folder_path("x", i);
        assert_true(folder_parse_number(path + 2, &number));
        assert_int_equal(number, i);
        free(path);
    }
}

static void test_read_marks_as_used(void **state)
{
    struct store *store = open_store(*state);
    const struct digest key = scratch_key(1);
    char *path = folder_file_path(*state, STORE_ENTRY, &key);
    put(store, STORE_ENTRY, 1, "text");
    assert_true(os_set_mtime(path, 1000000000));
    check_stored(store, STORE_ENTRY, 1, "text");
    struct file_status status;
    assert_true(os_stat(path, &status));
    assert_true(llabs(os_wall_clock_ns() - status.mtime_ns) < 10000000000);
    free(path);
    store_close(store);
}

static void test_what_cannot_be_read(void **state)
{
    struct store *store = open_store(*state);
    const struct digest key = scratch_key(1);
    char *path = folder_file_path(*state, STORE_ENTRY, &key);
    char *inside = scratch_path(path, "inside");
    assert_true(os_make_directories(path, NULL)); // a folder is in the way
    scratch_write(inside, "x");
    struct buffer content = {0};
    struct error error = {""};
    assert_false(store_read(store, STORE_ENTRY, &key, &content, &error));
    assert_non_null(strstr(error.text, path));
    error.text[0] = '\0';
    assert_false(store_write(store, STORE_ENTRY, &key, "x", 1, &error));
    assert_non_null(strstr(error.text, path));
    error.text[0] = '\0';
    assert_false(store_remove(store, STORE_ENTRY, &key, &error));
    assert_non_null(strstr(error.text, path));
    buffer_release(&content);
    free(inside);
    free(path);
    store_close(store);
}

static void test_vanishing_folder(void **state)
{
    char *folder = scratch_path(*state, "cache");
    struct store *store = open_store(folder);
    for (int i = 0; i < 3; i++) {
        put(store, STORE_ENTRY, 1, "text");
        check_stored(store, STORE_ENTRY, 1, "text");
        check_usage(store, 1, 1, 4);
        assert_true(os_remove_tree(folder, NULL));
        check_stored(store, STORE_ENTRY, 1, NULL);
        check_usage(store, 0, 0, 0);
        const struct digest key = scratch_key(1);
        assert_true(store_remove(store, STORE_ENTRY, &key, NULL));
        assert_true(store_clear(store, NULL));
        assert_false(scratch_exists(folder));
    }
    put(store, STORE_ENTRY, 1, "text");
    assert_true(has_tag(folder));
    assert_true(os_remove_tree(folder, NULL));
    scratch_write(folder, "a file"); // and now nothing can be stored
    const struct digest key = scratch_key(1);
    struct error error = {""};
    assert_false(store_write(store, STORE_ENTRY, &key, "x", 1, &error));
    assert_int_not_equal(error.text[0], '\0');
    store_close(store);
    free(folder);
}

static bool reads_but_cannot_write(const char *folder)
{
    struct store *store = store_open(folder, NULL);
    struct digest key;
    const unsigned number = 1;
    struct buffer content = {0};
    struct error error = {""};
    struct store_usage usage;
    const bool ok =
        store != NULL && sha256_of(&number, sizeof number, &key) &&
        store_read(store, STORE_ENTRY, &key, &content, &error) && content.size == 4 &&
        !store_write(store, STORE_ENTRY, &key, "new", 3, &error) &&
        error.text[0] != '\0' && !store_remove(store, STORE_ENTRY, &key, NULL) &&
        store_usage(store, &usage, NULL) && usage.files == 1 && usage.bytes == 4 &&
        !store_clear(store, NULL);
    buffer_release(&content);
    store_close(store);
    return ok;
}

static void test_read_only_store(void **state)
{
    struct store *store = open_store(*state);
    put(store, STORE_ENTRY, 1, "text");
    const struct digest key = scratch_key(1);
    char *folder = folder_path(*state, key.bytes[0]);
    char *size = scratch_path(folder, ".size");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chmod(folder, 0555), 0);
        assert_int_equal(chmod(*state, 0555), 0);
        assert_true(scratch_run_without_privileges(reads_but_cannot_write, *state));
        assert_int_equal(chmod(*state, 0755), 0);
        assert_int_equal(chmod(folder, 0755), 0);
        check_stored(store, STORE_ENTRY, 1, "text");
        assert_true(os_remove_file(size, NULL)); // again without: counted, not kept
    }
    free(size);
    free(folder);
    store_close(store);
}

// ---- Usage --------------------------------------------------------------------------

static void test_usage(void **state)
{
    struct store *store = open_store(*state);
    check_usage(store, 0, 0, 0);
    put(store, STORE_ENTRY, 1, "12345");
    check_usage(store, 1, 1, 5);
    put(store, STORE_MANIFEST, 1, "123");
    check_usage(store, 2, 1, 8);
    put(store, STORE_ENTRY, 2, "1");
    check_usage(store, 3, 2, 9);
    put(store, STORE_ENTRY, 1, "1234567"); // replaced: longer
    check_usage(store, 3, 2, 11);
    put(store, STORE_ENTRY, 1, ""); // shorter
    check_usage(store, 3, 2, 4);
    const struct digest key = scratch_key(1);
    assert_true(store_remove(store, STORE_MANIFEST, &key, NULL));
    check_usage(store, 2, 2, 1);
    assert_true(store_remove(store, STORE_MANIFEST, &key, NULL));
    check_usage(store, 2, 2, 1);
    store_close(store);
}

static void check_damaged_size(const char *store_path, const void *data, size_t size)
{
    struct store *store = open_store(store_path);
    const struct digest key = scratch_key(1);
    char *folder = folder_path(store_path, key.bytes[0]);
    char *file = scratch_path(folder, ".size");
    put(store, STORE_ENTRY, 1, "12345");
    assert_true(os_write_file(file, data, size, NULL));
    check_usage(store, 1, 1, 5); // and writes them
    assert_true(os_write_file(file, data, size, NULL));
    put(store, STORE_MANIFEST, 1, "123"); // what it adds to is damaged
    check_usage(store, 2, 1, 8);
    assert_true(os_write_file(file, data, size, NULL));
    assert_true(store_remove(store, STORE_MANIFEST, &key, NULL));
    check_usage(store, 1, 1, 5);
    free(file);
    free(folder);
    store_close(store);
}

static void test_damaged_sizes(void **state)
{
    struct store *store = open_store(*state);
    put(store, STORE_ENTRY, 1, "1234567890");
    check_usage(store, 1, 1, 10);
    const struct digest key = scratch_key(1);
    char *folder = folder_path(*state, key.bytes[0]);
    char *file = scratch_path(folder, ".size");
    struct buffer valid = {0};
    assert_true(os_read_file(file, &valid, NULL, NULL));
    assert_int_equal(valid.size, 72);
    check_damaged_size(*state, "", 0);
    check_damaged_size(*state, "garbage", 7);
    check_damaged_size(*state, valid.data, valid.size - 1);
    for (size_t at = 0; at < 72; at++) {
        valid.data[at] ^= 0x40;
        check_damaged_size(*state, valid.data, 72);
        valid.data[at] ^= 0x40;
    }
    buffer_release(&valid);
    free(file);
    free(folder);
    store_close(store);
}

// Killed between putting a file into place and writing the sums.
static void test_killed_writer(void **state)
{
    struct store *store = open_store(*state);
    put(store, STORE_ENTRY, 1, "12345");
    check_usage(store, 1, 1, 5);
    const struct digest key = scratch_key(1);
    char *folder = folder_path(*state, key.bytes[0]);
    char *manifest = folder_file_path(*state, STORE_MANIFEST, &key);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct folder_change change;
        folder_change_begin(&change, folder);
        _exit(change.known && os_replace_file(manifest, "123", 3, NULL) ? 0 : 1);
    }
    assert_int_equal(scratch_wait(child), 0);
    check_usage(store, 2, 1, 8);
    put(store, STORE_ENTRY, 1, "1234567890");
    check_usage(store, 2, 1, 13);
    free(manifest);
    free(folder);
    store_close(store);
}

static void test_files_of_others_do_not_count(void **state)
{
    struct store *store = open_store(*state);
    put(store, STORE_ENTRY, 1, "12345");
    const struct digest key = scratch_key(1);
    char *folder = folder_path(*state, key.bytes[0]);
    char *strange = scratch_path(folder, "notes.txt");
    char *size = scratch_path(folder, ".size");
    char *file = scratch_path(*state, "ab");
    scratch_write(strange, "strange");
    assert_true(os_remove_file(size, NULL));
    check_usage(store, 1, 1, 5);
    free(file);
    free(size);
    free(strange);
    free(folder);
    store_close(store);
}

// ---- Several processes --------------------------------------------------------------

struct walk {
    const char *folder;
    struct store_usage usage;
    size_t left_over;
};

static bool walk_file(void *context, const char *name)
{
    struct walk *walk = context;
    char *path = scratch_path(walk->folder, name);
    struct file_status status;
    enum store_kind kind = STORE_KINDS;
    assert_true(os_stat(path, &status));
    if (folder_parse_file_name(name, &kind)) {
        walk->usage.files++;
        walk->usage.entries += kind == STORE_ENTRY;
        walk->usage.bytes += status.size;
    } else if (strcmp(name, ".size") != 0) {
        walk->left_over++;
    }
    free(path);
    return true;
}

// Compares the sums with what is there.
static void check_sums(struct store *store)
{
    struct walk walk = {0};
    for (unsigned i = 0; i < STORE_FOLDERS; i++) {
        char *folder = folder_path(store_folder(store), i);
        walk.folder = folder;
        assert_true(os_list_directory(folder, walk_file, &walk, NULL));
        free(folder);
    }
    check_usage(store, walk.usage.files, walk.usage.entries, walk.usage.bytes);
    assert_int_equal(walk.left_over, 0);
}

enum { WORKERS = 6, WORK = 150, SHARED_KEYS = 5, LARGEST = 20000 };

// Writes, reads and removes a few keys that all workers share. What is read must be one
// byte, repeated.
static bool work(const char *folder, unsigned worker)
{
    struct store *store = store_open(folder, NULL);
    unsigned char *data = mem_new(1, LARGEST);
    bool ok = store != NULL;
    for (unsigned i = 0; ok && i < WORK; i++) {
        const unsigned random = (i * 7919 + worker * 104729) % 1000003;
        struct digest key = {{0}}; // all in one folder
        key.bytes[1] = (unsigned char)(random % SHARED_KEYS);
        memset(data, (int)random, LARGEST);
        struct buffer content = {0};
        ok = store_write(store, i % 3 == 0 ? STORE_MANIFEST : STORE_ENTRY, &key, data,
                         random % LARGEST, NULL);
        if (ok && store_read(store, STORE_ENTRY, &key, &content, NULL) &&
            content.size > 0) {
            memset(data, content.data[0], LARGEST);
            ok = memcmp(data, content.data, content.size) == 0;
        }
        if (i % 10 == 9) {
            ok = store_remove(store, STORE_ENTRY, &key, NULL) && ok;
        }
        buffer_release(&content);
    }
    free(data);
    store_close(store);
    return ok;
}

static void start_workers(pid_t workers[WORKERS], const char *folder)
{
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i] = fork();
        assert_true(workers[i] >= 0);
        if (workers[i] == 0) {
            _exit(work(folder, i) ? 0 : 1);
        }
    }
}

static void test_concurrent_writers(void **state)
{
    char *folder = scratch_path(*state, "cache"); // created by all of them at once
    pid_t workers[WORKERS];
    start_workers(workers, folder);
    for (size_t i = 0; i < WORKERS; i++) {
        assert_int_equal(scratch_wait(workers[i]), 0);
    }
    struct store *store = open_store(folder);
    assert_true(has_tag(folder));
    check_sums(store);
    store_close(store);
    free(folder);
}

// Clearing under running builds: they may fail to store, and nothing else.
static void test_clear_under_writers(void **state)
{
    struct store *store = open_store(*state);
    pid_t workers[WORKERS];
    start_workers(workers, *state);
    for (int i = 0; i < 30; i++) {
        (void)store_clear(store, NULL);
        os_sleep_ms(2);
    }
    for (size_t i = 0; i < WORKERS; i++) {
        const int status = scratch_wait(workers[i]);
        assert_true(status == 0 || status == 1); // no crash
    }
    put(store, STORE_ENTRY, 1, "text");
    check_stored(store, STORE_ENTRY, 1, "text");
    assert_true(store_clear(store, NULL));
    check_usage(store, 0, 0, 0);
    store_close(store);
}

// ---- Clearing -----------------------------------------------------------------------

static void test_clear(void **state)
{
    char *cache = scratch_path(*state, "cache");
    char *outside = scratch_path(*state, "outside");
    char *precious = scratch_path(outside, "precious");
    char *link = scratch_path(cache, "cd");
    char *events = scratch_path(cache, ".events");
    assert_true(os_make_directories(outside, NULL));
    scratch_write(precious, "x");
    struct store *store = open_store(cache);
    for (unsigned i = 0; i < 50; i++) {
        put(store, i % 2 == 0 ? STORE_ENTRY : STORE_MANIFEST, i, "text");
    }
    scratch_write(events, "x");
    (void)os_remove_tree(link, NULL);
    assert_int_equal(symlink(outside, link), 0);
    assert_true(store_clear(store, NULL));
    assert_int_equal(scratch_count(cache), 1);
    assert_true(has_tag(cache));
    assert_true(store_is_ours(cache));
    assert_true(scratch_exists(precious));
    check_usage(store, 0, 0, 0);
    put(store, STORE_ENTRY, 1, "text");
    check_stored(store, STORE_ENTRY, 1, "text");
    store_close(store);
    free(events);
    free(link);
    free(precious);
    free(outside);
    free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_open_creates_the_folder),
        scratch_test(test_open_tags_once),
        scratch_test(test_open_tags_no_strange_folder),
        scratch_test(test_names_of_ours),
        scratch_test(test_open_failures),
        scratch_test(test_open_existing),
        scratch_test(test_write_read_remove),
        scratch_test(test_layout),
        scratch_test(test_file_names),
        scratch_test(test_read_marks_as_used),
        scratch_test(test_what_cannot_be_read),
        scratch_test(test_vanishing_folder),
        scratch_test(test_read_only_store),
        scratch_test(test_usage),
        scratch_test(test_damaged_sizes),
        scratch_test(test_killed_writer),
        scratch_test(test_files_of_others_do_not_count),
        scratch_test(test_concurrent_writers),
        scratch_test(test_clear_under_writers),
        scratch_test(test_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
