// SPDX-License-Identifier: MIT

#include "cmd_admin.h"

#include "bypass.h"
#include "os.h"
#include "prune.h"
#include "settings.h"
#include "stats.h"
#include "store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char folder_help[] =
    "  --dir DIR  the cache folder; without it, that of the variable HL_CACHE_DIR\n"
    "  --help     print this text\n";

static const char stats_help[] =
    "usage: halide-cache stats [--json] [--dir DIR]\n"
    "\n"
    "Prints how many commands were served from the cache, and what it holds.\n"
    "\n"
    "  --json     print one JSON object, for scripts\n";

static const char prune_help[] =
    "usage: halide-cache prune [--dir DIR]\n"
    "\n"
    "Removes what was not used for HL_CACHE_MAX_AGE seconds, if that is set, and then\n"
    "the least recently used entries until the rest fits into HL_CACHE_MAX_SIZE (1G).\n"
    "Storing an entry does the same, at most once in a minute.\n"
    "\n";

static const char clear_help[] =
    "usage: halide-cache clear [--dir DIR]\n"
    "\n"
    "Removes everything in the cache folder, the statistics too.\n"
    "\n";

// ---- Messages -----------------------------------------------------------------------

static void PRINTF_LIKE(2, 3) say(const char *level, const char *format, ...)
{
    char text[1600];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *at = text; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 127) {
            *at = '?';
        }
    }
    (void)fprintf(stderr, "halide-cache: %s: %s\n", level, text);
}

static void warn(void *context, const char *message)
{
    (void)context;
    say("warning", "%s", message);
}

// What printf could not write shows at the latest here.
static int finish_output(void)
{
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        say("error", "cannot write to standard output");
        return EXIT_FAILED;
    }
    return EXIT_SUCCESS;
}

// ---- Command line -------------------------------------------------------------------

struct options {
    const char *folder;
    bool json;
    bool help;
};

// False, with a message, when the arguments are wrong.
static bool parse_options(struct options *options, bool takes_json, int argc, char **argv)
{
    *options = (struct options){0};
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
            options->help = true;
        } else if (takes_json && strcmp(arg, "--json") == 0) {
            options->json = true;
        } else if (strncmp(arg, "--dir=", 6) == 0) {
            options->folder = arg + 6;
        } else if (strcmp(arg, "--dir") == 0 && i + 1 < argc) {
            i++;
            options->folder = argv[i];
        } else if (strcmp(arg, "--dir") == 0) {
            say("error", "%s: --dir needs a folder", argv[0]);
            return false;
        } else {
            say("error", "%s: unknown argument \"%s\"; see halide-cache %s --help",
                argv[0], arg, argv[0]);
            return false;
        }
    }
    return true;
}

// Takes the folder from the environment if the command line has none. False, with a
// message, when there is none either.
static bool choose_folder(struct options *options, const char *command)
{
    if (options->folder == NULL) {
        options->folder = os_variable("HL_CACHE_DIR");
    }
    if (options->folder == NULL || options->folder[0] == '\0') {
        say("error", "%s: no cache folder: give --dir DIR or set HL_CACHE_DIR", command);
        return false;
    }
    return true;
}

// What the three commands have in common before they start. True: go on; else `*status`
// is the exit status.
static bool start(struct options *options, bool takes_json, const char *help, int argc,
                  char **argv, int *status)
{
    *status = EXIT_USAGE;
    if (!parse_options(options, takes_json, argc, argv)) {
        return false;
    }
    if (options->help) {
        (void)fputs(help, stdout);
        (void)fputs(folder_help, stdout);
        *status = finish_output();
        return false;
    }
    return choose_folder(options, argv[0]);
}

// ---- Numbers for people -------------------------------------------------------------

struct text {
    char text[64];
};

static struct text format_size(uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    struct text text;
    if (bytes < 1024) {
        (void)snprintf(text.text, sizeof text.text, "%" PRIu64 " bytes", bytes);
        return text;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    while (value >= 1023.95 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    (void)snprintf(text.text, sizeof text.text, "%.1f %s", value, units[unit]);
    return text;
}

static struct text format_duration(int64_t ns)
{
    struct text text;
    const char *sign = ns < 0 ? "-" : "";
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    const uint64_t seconds = size / 1000000000;
    const unsigned tenths = (unsigned)(size / 100000000 % 10);
    if (seconds < 60) {
        (void)snprintf(text.text, sizeof text.text, "%s%u.%u s", sign, (unsigned)seconds,
                       tenths);
    } else if (seconds < 3600) {
        (void)snprintf(text.text, sizeof text.text, "%s%u min %02u s", sign,
                       (unsigned)(seconds / 60), (unsigned)(seconds % 60));
    } else {
        (void)snprintf(text.text, sizeof text.text, "%s%" PRIu64 " h %02u min %02u s",
                       sign, seconds / 3600, (unsigned)(seconds / 60 % 60),
                       (unsigned)(seconds % 60));
    }
    return text;
}

static struct text format_percent(uint64_t part, uint64_t whole)
{
    struct text text = {""};
    if (whole > 0) {
        (void)snprintf(text.text, sizeof text.text, " (%.1f %%)",
                       100 * (double)part / (double)whole);
    }
    return text;
}

static const char *plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

// ---- stats --------------------------------------------------------------------------

struct report {
    const char *folder;
    struct stats stats;
    struct store_usage usage;
    uint64_t max_size;
};

static void print_json(const struct report *report)
{
    const struct stats *stats = &report->stats;
    const int64_t saved = stats->time_saved_ns;
    const uint64_t saved_ms =
        (saved < 0 ? 0 - (uint64_t)saved : (uint64_t)saved) / 1000000;
    printf("{\n");
    printf("  \"direct_hits\": %" PRIu64 ",\n", stats->direct_hits);
    printf("  \"pipeline_hits\": %" PRIu64 ",\n", stats->pipeline_hits);
    printf("  \"misses\": %" PRIu64 ",\n", stats->misses);
    printf("  \"bypasses\": %" PRIu64 ",\n", stats->bypasses);
    printf("  \"errors\": %" PRIu64 ",\n", stats->errors);
    printf("  \"entries\": %" PRIu64 ",\n", report->usage.entries);
    printf("  \"size_bytes\": %" PRIu64 ",\n", report->usage.bytes);
    printf("  \"max_size_bytes\": %" PRIu64 ",\n", report->max_size);
    printf("  \"time_saved_s\": %s%" PRIu64 ".%03u,\n", saved < 0 ? "-" : "",
           saved_ms / 1000, (unsigned)(saved_ms % 1000));
    printf("  \"bypass_reasons\": {");
    const char *separator = "";
    for (int i = 0; i < BYPASS_REASONS; i++) {
        if (stats->bypasses_by_reason[i] > 0) {
            printf("%s\n    \"%s\": %" PRIu64, separator,
                   bypass_name((enum bypass_reason)i), stats->bypasses_by_reason[i]);
            separator = ",";
        }
    }
    printf("%s}\n}\n", separator[0] == '\0' ? "" : "\n  ");
}

static void print_line(const char *label, uint64_t count, const char *remark)
{
    printf("%-20s%10" PRIu64 "%s\n", label, count, remark);
}

static void print_report(const struct report *report)
{
    const struct stats *stats = &report->stats;
    const uint64_t hits = stats->direct_hits + stats->pipeline_hits;
    printf("Cache folder        %s\n\n", report->folder);
    print_line("Hits", hits, format_percent(hits, hits + stats->misses).text);
    print_line("  direct", stats->direct_hits, "");
    print_line("  pipeline", stats->pipeline_hits, "");
    print_line("Misses", stats->misses, "");
    print_line("Bypasses", stats->bypasses, "");
    for (int i = 0; i < BYPASS_REASONS; i++) {
        const uint64_t count = stats->bypasses_by_reason[i];
        if (count > 0) {
            const enum bypass_reason reason = (enum bypass_reason)i;
            printf("  %-18s%10" PRIu64 "  %s\n", bypass_name(reason), count,
                   bypass_text(reason));
        }
    }
    print_line("Errors", stats->errors, "");
    printf("\n");
    print_line("Entries", report->usage.entries, "");
    printf("Size                %s of %s%s\n", format_size(report->usage.bytes).text,
           format_size(report->max_size).text,
           format_percent(report->usage.bytes, report->max_size).text);
    printf("Time saved          %s\n", format_duration(stats->time_saved_ns).text);
}

static bool fill_report(struct report *report, struct error *error)
{
    struct store *store = store_open_existing(report->folder, error);
    if (store == NULL) {
        return error->text[0] == '\0'; // never used
    }
    stats_fold(report->folder);
    const bool ok = stats_read(report->folder, &report->stats, error) &&
                    store_usage(store, &report->usage, error);
    store_close(store);
    return ok;
}

int cmd_stats(int argc, char **argv)
{
    struct options options;
    int status = EXIT_SUCCESS;
    if (!start(&options, true, stats_help, argc, argv, &status)) {
        return status;
    }
    struct settings settings;
    settings_from_environment(&settings, warn, NULL);
    struct report report = {.folder = options.folder, .max_size = settings.max_size};
    struct error error;
    if (!fill_report(&report, &error)) {
        say("error", "%s", error.text);
        return EXIT_FAILED;
    }
    if (options.json) {
        print_json(&report);
    } else {
        print_report(&report);
    }
    return finish_output();
}

// ---- prune --------------------------------------------------------------------------

static int prune_folder(struct store *store, const struct settings *settings)
{
    struct prune_result result;
    struct error error;
    bool busy = false;
    if (!prune_now(store, settings, &result, &busy, &error)) {
        say("error", "%s", error.text);
        return EXIT_FAILED;
    }
    if (busy) {
        printf("Another process is pruning this cache.\n");
        return finish_output();
    }
    printf("Removed %" PRIu64 " %s (%s).", result.removed_files,
           plural(result.removed_files, "file", "files"),
           format_size(result.removed_bytes).text);
    printf(" %" PRIu64 " %s left (%s of %s).\n", result.left.files,
           plural(result.left.files, "file is", "files are"),
           format_size(result.left.bytes).text, format_size(settings->max_size).text);
    return finish_output();
}

int cmd_prune(int argc, char **argv)
{
    struct options options;
    int status = EXIT_SUCCESS;
    if (!start(&options, false, prune_help, argc, argv, &status)) {
        return status;
    }
    struct settings settings;
    settings_from_environment(&settings, warn, NULL);
    struct error error;
    struct store *store = store_open_existing(options.folder, &error);
    if (store != NULL) {
        status = prune_folder(store, &settings);
        store_close(store);
        return status;
    }
    if (error.text[0] != '\0') {
        say("error", "%s", error.text);
        return EXIT_FAILED;
    }
    printf("There is no cache in %s.\n", options.folder);
    return finish_output();
}

// ---- clear --------------------------------------------------------------------------

static int clear_folder(struct store *store)
{
    const char *folder = store_folder(store);
    struct error error;
    struct store_usage usage;
    if (!store_usage(store, &usage, &error) || !store_clear(store, &error)) {
        say("error", "%s", error.text);
        return EXIT_FAILED;
    }
    printf("Removed %" PRIu64 " %s (%s) and the statistics from %s.\n", usage.files,
           plural(usage.files, "file", "files"), format_size(usage.bytes).text, folder);
    return finish_output();
}

int cmd_clear(int argc, char **argv)
{
    struct options options;
    int status = EXIT_SUCCESS;
    if (!start(&options, false, clear_help, argc, argv, &status)) {
        return status;
    }
    struct error error = {""};
    if (!store_is_ours(options.folder)) {
        say("error",
            "%s does not look like a folder that HalideCache made (no CACHEDIR.TAG of "
            "ours, and not empty); if it is one, remove it yourself",
            options.folder);
        return EXIT_FAILED;
    }
    struct store *store = store_open_existing(options.folder, &error);
    if (store != NULL) {
        status = clear_folder(store);
        store_close(store);
        return status;
    }
    if (error.text[0] != '\0') {
        say("error", "%s", error.text);
        return EXIT_FAILED;
    }
    printf("There is no cache in %s.\n", options.folder);
    return finish_output();
}
