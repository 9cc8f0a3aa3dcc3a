// SPDX-License-Identifier: MIT
//
// A fuzzer for the cache: builds random pipelines, changed one decision at a time, with
// the cache and without, and compares all that comes out.
//
//   fuzz --helper FILE --generator FILE --probe FILE [--tracer FILE] --work FOLDER
//        [--seed NUMBER] [--count NUMBER]
//
// The generator (fuzz_generator.cpp) and its command line stay the same; what it reads, a
// recipe, changes: so everything hangs on whether the cache sees what became of the
// pipeline. One cache is used for the whole run, and earlier recipes come back, so that
// it has every chance to restore something stale. A recipe that says what an earlier one
// said has to be a hit.

#include "failure.h"
#include "os.h"
#include "process.h"
#include "recipe.h"
#include "tree.h"
#include "words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The commands -------------------------------------------------------------------

// What follows `-o out` on the generator's command line.
static const char *const requests[] = {
    "-e object,c_header,registration target=host-no_runtime",
    "-e stmt,c_header,function_info_header target=host-no_runtime",
    "-e c_source,c_header target=host-no_runtime",
    "-e llvm_assembly,registration target=host-no_runtime-no_asserts",
    "-e assembly,static_library,c_header target=host-no_bounds_query-no_runtime",
#ifdef __x86_64__
    "-e object,c_header target=host-avx2-no_runtime,host-no_runtime",
#endif
};
enum { REQUESTS = sizeof requests / sizeof *requests };

enum outcome { DIRECT_HIT, PIPELINE_HIT, VERIFIED, MISS, BYPASS, NO_OUTCOME, OUTCOMES };

// How their lines in the log start.
static const char *const outcome_names[OUTCOMES] = {
    [DIRECT_HIT] = "direct hit", [PIPELINE_HIT] = "pipeline hit",
    [VERIFIED] = "verified",     [MISS] = "miss",
    [BYPASS] = "bypass",         [NO_OUTCOME] = "verification failed",
};

struct settings {
    const char *helper;
    const char *generator;
    const char *probe;
    const char *tracer; // NULL: pipeline mode only
    const char *work;
    unsigned seed;
    unsigned count;
};

// A recipe that was used, and what is in the cache because of it.
struct past {
    struct recipe recipe;
    bool is_stored[REQUESTS];
    char *keys[REQUESTS]; // from the log; NULL where it was never built
};

// One iteration.
struct step {
    unsigned number;
    struct past *past;
    char what[64]; // what has changed
    unsigned request;
    bool traced;
    bool verify;
    bool restat;
};

struct fuzz {
    struct settings settings;
    struct random random;
    struct past *pasts;
    unsigned past_count;
    struct past *current;
    struct words environment;
    unsigned counts[OUTCOMES];
    unsigned failed;     // commands that did not compile
    unsigned hits_asked; // steps that had to be a hit
};

_Noreturn void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fflush(stdout);
    (void)fputs("FAILED: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
    exit(1);
}

// ---- What is compared ---------------------------------------------------------------

static char *path_in(const struct fuzz *fuzz, const char *name)
{
    return mem_printf("%s/%s", fuzz->settings.work, name);
}

static void write_recipe(const struct fuzz *fuzz, const struct recipe *recipe)
{
    static const char *const names[] = {"plain/recipe.txt", "cached/recipe.txt"};
    char *text = recipe_text(recipe);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct error error = {{0}};
        char *path = path_in(fuzz, names[i]);
        // Not in place: a file that is the same keeps its time.
        struct buffer old = {0};
        const bool same = os_read_file(path, &old, NULL, NULL) &&
                          old.size == strlen(text) &&
                          memcmp(old.data, text, old.size) == 0;
        if (!same && !os_replace_file(path, text, strlen(text), &error)) {
            fail("%s", error.text);
        }
        buffer_release(&old);
        free(path);
    }
    free(text);
}

static void make_empty_folder(const struct fuzz *fuzz, const char *name)
{
    struct error error = {{0}};
    char *path = path_in(fuzz, name);
    if (!os_remove_tree(path, &error) || !os_make_directories(path, &error)) {
        fail("%s", error.text);
    }
    free(path);
}

static void run(const struct fuzz *fuzz, const struct step *step, bool cached,
                struct process_result *result)
{
    const struct settings *settings = &fuzz->settings;
    struct words words = {0};
    if (cached) {
        char *options = mem_printf("run%s%s", step->verify ? " --verify" : "",
                                   step->restat ? " --restat" : "");
        words_add(&words, mem_strdup(settings->helper));
        words_add_words(&words, options, "", "");
        free(options);
        words_add(&words, mem_printf("--dir=%s/cache", settings->work));
        words_add(&words, mem_printf("--probe=%s", settings->probe));
        if (step->traced) {
            words_add(&words, mem_printf("--tracer=%s", settings->tracer));
        }
        words_add(&words, mem_strdup("--"));
    }
    words_add(&words, mem_strdup(settings->generator));
    words_add_words(&words, "-g fuzz -n fuzz -f fuzz -o out", "", "");
    words_add_words(&words, requests[step->request], "", "");

    char *folder = path_in(fuzz, cached ? "cached" : "plain");
    char *prints = path_in(fuzz, cached ? "cached" : "plain");
    const struct command command = {
        .argv = words.list,
        .environment = fuzz->environment.list,
        .folder = folder,
        .prints = prints,
    };
    process_run(&command, result);
    free(prints);
    free(folder);
    words_release(&words);
}

static void compare_streams(const char *name, const struct buffer *plain,
                            const struct buffer *cached, struct buffer *differences)
{
    if (plain->size != cached->size ||
        (plain->size > 0 && memcmp(plain->data, cached->data, plain->size) != 0)) {
        char *line = mem_printf("  %s: \"%.*s\" and \"%.*s\"\n", name, (int)plain->size,
                                (const char *)plain->data, (int)cached->size,
                                (const char *)cached->data);
        buffer_append_string(differences, line);
        free(line);
    }
}

static void compare(const struct fuzz *fuzz, const struct process_result *plain,
                    const struct process_result *cached, struct buffer *differences)
{
    if (plain->code != cached->code || plain->signal != cached->signal) {
        char *line = mem_printf("  exit status %d and %d, signal %d and %d\n",
                                plain->code, cached->code, plain->signal, cached->signal);
        buffer_append_string(differences, line);
        free(line);
    }
    compare_streams("standard output", &plain->out, &cached->out, differences);
    compare_streams("standard error", &plain->err, &cached->err, differences);
    char *a = path_in(fuzz, "plain");
    char *b = path_in(fuzz, "cached");
    tree_compare(a, b, differences);
    free(b);
    free(a);
}

// ---- What the cache did -------------------------------------------------------------

// Reads the log of one command and removes it. `*key` becomes a new string, or NULL;
// `*text` one with the whole log.
static enum outcome read_log(const struct fuzz *fuzz, char **key, char **text)
{
    struct buffer log = {0};
    struct error error = {{0}};
    char *path = path_in(fuzz, "log");
    if ((!os_read_file(path, &log, NULL, &error) && errno != ENOENT) ||
        !os_remove_file(path, &error)) {
        fail("%s", error.text);
    }
    free(path);
    buffer_append_u8(&log, '\0');
    *text = mem_strdup((const char *)log.data);
    *key = NULL;
    enum outcome outcome = NO_OUTCOME;
    for (char *line = strtok((char *)log.data, "\n"); line != NULL;
         line = strtok(NULL, "\n")) {
        for (int i = 0; i < OUTCOMES; i++) {
            const size_t length = strlen(outcome_names[i]);
            if (strncmp(line, outcome_names[i], length) == 0 && line[length] == ' ') {
                const char *at = strstr(line, ", key ");
                outcome = (enum outcome)i;
                free(*key);
                *key = at == NULL ? NULL : mem_strndup(at + 6, strcspn(at + 6, ","));
            }
        }
    }
    buffer_release(&log);
    return outcome;
}

static void print_recipe(const char *title, const struct recipe *recipe)
{
    char *text = recipe_text(recipe);
    (void)fprintf(stderr, "---- %s\n%s", title, text);
    free(text);
}

// Says all that it takes to see the same again.
static _Noreturn void report(const struct fuzz *fuzz, const struct step *step,
                             const struct past *before, const char *key,
                             const char *problem)
{
    (void)fprintf(stderr,
                  "seed %u, iteration %u, %s, %s mode%s%s\n  %s\nin %s: %s -o out %s\n",
                  fuzz->settings.seed, step->number, step->what,
                  step->traced ? "direct" : "pipeline", step->verify ? ", --verify" : "",
                  step->restat ? ", --restat" : "", problem, fuzz->settings.work,
                  fuzz->settings.generator, requests[step->request]);
    print_recipe("recipe", &step->past->recipe);
    print_recipe("recipe before", &before->recipe);
    for (unsigned i = 0; key != NULL && i < fuzz->past_count; i++) {
        const char *other = fuzz->pasts[i].keys[step->request];
        if (other != NULL && strcmp(other, key) == 0) {
            print_recipe("recipe that was stored under this key", &fuzz->pasts[i].recipe);
            break;
        }
    }
    fail("seed %u, iteration %u", fuzz->settings.seed, step->number);
}

// ---- Steps --------------------------------------------------------------------------

static struct past *find_past(struct fuzz *fuzz, const struct recipe *recipe)
{
    for (unsigned i = 0; i < fuzz->past_count; i++) {
        if (recipe_equal(&fuzz->pasts[i].recipe, recipe)) {
            fuzz->pasts[i].recipe = *recipe; // with its comment
            return &fuzz->pasts[i];
        }
    }
    struct past *past = &fuzz->pasts[fuzz->past_count++];
    past->recipe = *recipe;
    return past;
}

static void choose_recipe(struct fuzz *fuzz, struct step *step)
{
    const unsigned choice = random_below(&fuzz->random, 10);
    struct recipe recipe = fuzz->current->recipe;
    if (choice <= 1) {
        (void)snprintf(step->what, sizeof step->what, "nothing");
    } else if (choice <= 3) {
        recipe = fuzz->pasts[random_below(&fuzz->random, fuzz->past_count)].recipe;
        (void)snprintf(step->what, sizeof step->what, "back to an earlier recipe");
    } else {
        (void)recipe_mutate(&recipe, &fuzz->random, step->what, sizeof step->what);
    }
    step->past = find_past(fuzz, &recipe);
}

static void choose(struct fuzz *fuzz, const struct step *before, struct step *step)
{
    *step = (struct step){.number = before->number + 1, .request = before->request};
    choose_recipe(fuzz, step);
    if (random_below(&fuzz->random, 8) == 0) {
        step->request = random_below(&fuzz->random, REQUESTS);
    }
    step->traced = random_below(&fuzz->random, 4) != 0 && fuzz->settings.tracer != NULL;
    step->verify = random_below(&fuzz->random, 12) == 0;
    step->restat = random_below(&fuzz->random, 2) == 0;
}

static void check(struct fuzz *fuzz, const struct step *step, const struct past *before)
{
    struct process_result plain;
    struct process_result cached;
    struct buffer differences = {0};
    char *key = NULL;
    run(fuzz, step, false, &plain);
    run(fuzz, step, true, &cached);
    char *log = NULL;
    const enum outcome outcome = read_log(fuzz, &key, &log);
    compare(fuzz, &plain, &cached, &differences);
    if (differences.size > 0) {
        buffer_append_u8(&differences, '\0');
        char *problem = mem_printf("%s, but the outputs differ:\n%s",
                                   outcome_names[outcome], (char *)differences.data);
        report(fuzz, step, before, key, problem);
    }
    const bool succeeded = plain.code == 0 && plain.signal == 0;
    bool *is_stored = &step->past->is_stored[step->request];
    if (*is_stored && (outcome == MISS || outcome == BYPASS)) {
        char *problem = mem_printf("the same was stored, and was not a hit:\n%s", log);
        report(fuzz, step, before, key, problem);
    }
    fuzz->counts[outcome]++;
    fuzz->failed += !succeeded;
    fuzz->hits_asked += *is_stored;
    *is_stored = succeeded && outcome <= MISS && strstr(log, "not stored ") == NULL;
    free(log);
    if (step->past->keys[step->request] == NULL) {
        step->past->keys[step->request] = key;
    } else {
        free(key);
    }
    process_result_release(&plain);
    process_result_release(&cached);
    buffer_release(&differences);
}

// ---- The run ------------------------------------------------------------------------

static void make_environment(struct fuzz *fuzz)
{
    // Nothing of the user's environment may decide a test.
    for (char **variable = os_environment(); *variable != NULL; variable++) {
        if (strncmp(*variable, "HL_", 3) != 0 &&
            strncmp(*variable, "HALIDE_CACHE_", 13) != 0) {
            words_add(&fuzz->environment, mem_strdup(*variable));
        }
    }
    words_add(&fuzz->environment,
              mem_printf("HALIDE_CACHE_LOG=%s/log", fuzz->settings.work));
}

static void make_folders(const struct fuzz *fuzz)
{
    make_empty_folder(fuzz, "");
    make_empty_folder(fuzz, "plain/out");
    make_empty_folder(fuzz, "cached/out");
}

static void run_all(struct fuzz *fuzz)
{
    struct step before = {0};
    const struct recipe first = {.seed = fuzz->settings.seed};
    fuzz->current = find_past(fuzz, &first);
    make_environment(fuzz);
    make_folders(fuzz);
    for (unsigned i = 0; i < fuzz->settings.count; i++) {
        struct step step;
        choose(fuzz, &before, &step);
        // Else the outputs of the step before are in the way.
        if (random_below(&fuzz->random, 2) == 0) {
            make_empty_folder(fuzz, "plain/out");
            make_empty_folder(fuzz, "cached/out");
        }
        write_recipe(fuzz, &step.past->recipe);
        check(fuzz, &step, fuzz->current);
        fuzz->current = step.past;
        before = step;
    }
}

static void print_summary(const struct fuzz *fuzz)
{
    (void)printf("seed %u: %u iterations, %u recipes: no difference\n",
                 fuzz->settings.seed, fuzz->settings.count, fuzz->past_count);
    for (int i = 0; i < NO_OUTCOME; i++) {
        (void)printf("  %-14s %u\n", outcome_names[i], fuzz->counts[i]);
    }
    (void)printf("  %-14s %u\n  %-14s %u\n", "had to hit", fuzz->hits_asked,
                 "no pipeline", fuzz->failed);
}

// A run in which little happened shows nothing.
static void require_variety(const struct fuzz *fuzz)
{
    if (fuzz->settings.count < 30) {
        return;
    }
    if (fuzz->counts[PIPELINE_HIT] == 0 ||
        (fuzz->counts[DIRECT_HIT] == 0 && fuzz->settings.tracer != NULL)) {
        fail("there was no hit in one of the modes");
    }
    if (fuzz->failed > fuzz->settings.count / 10) {
        fail("too many of the pipelines are none");
    }
    if (fuzz->counts[BYPASS] + fuzz->counts[NO_OUTCOME] > fuzz->failed) {
        fail("bypasses: what was cached?");
    }
}

static unsigned to_number(const char *text)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value > 1000000000) {
        fail("'%s' is no number", text);
    }
    return (unsigned)value;
}

static void read_arguments(struct settings *settings, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i];
        const char *value = argv[i + 1];
        if (strcmp(name, "--helper") == 0) {
            settings->helper = value;
        } else if (strcmp(name, "--generator") == 0) {
            settings->generator = value;
        } else if (strcmp(name, "--probe") == 0) {
            settings->probe = value;
        } else if (strcmp(name, "--tracer") == 0) {
            settings->tracer = value[0] == '\0' ? NULL : value;
        } else if (strcmp(name, "--work") == 0) {
            settings->work = value;
        } else if (strcmp(name, "--seed") == 0) {
            settings->seed = to_number(value);
        } else if (strcmp(name, "--count") == 0) {
            settings->count = to_number(value);
        } else {
            fail("unknown option %s", name);
        }
    }
    if (argc % 2 == 0 || settings->helper == NULL || settings->generator == NULL ||
        settings->probe == NULL || settings->work == NULL) {
        fail("usage: fuzz --helper FILE --generator FILE --probe FILE [--tracer FILE] "
             "--work FOLDER [--seed NUMBER] [--count NUMBER]");
    }
}

int main(int argc, char **argv)
{
    struct fuzz fuzz = {.settings = {.seed = 1, .count = 50}};
    read_arguments(&fuzz.settings, argc, argv);
    fuzz.random.state = fuzz.settings.seed;
    fuzz.pasts = mem_new(fuzz.settings.count + 1, sizeof *fuzz.pasts);
    run_all(&fuzz);
    print_summary(&fuzz);
    require_variety(&fuzz);
    for (unsigned i = 0; i < fuzz.past_count; i++) {
        for (int j = 0; j < REQUESTS; j++) {
            free(fuzz.pasts[i].keys[j]);
        }
    }
    free(fuzz.pasts);
    words_release(&fuzz.environment);
    return 0;
}
