// SPDX-License-Identifier: MIT
// Runs the programs in tracer/ with the tracer preloaded and compares what it recorded.

#define _GNU_SOURCE

#include "trace_reader.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/wait.h>

#include "scratch.h"

static const char tracer[] = TEST_TRACER;
static const char programs[] = TEST_TRACER_PROGRAMS;

static const char plain[] = "tracer_subject";
static const char *const variants[] = {"tracer_subject", "tracer_subject_fortified",
                                       "tracer_subject_large_files"};

// ---- Running ------------------------------------------------------------------------

static void make_files(const char *folder)
{
    char *file = scratch_path(folder, "file");
    char *inner_folder = scratch_path(folder, "folder");
    char *inner = scratch_path(folder, "folder/inner");
    char *link = scratch_path(folder, "link");
    char *loop = scratch_path(folder, "loop");
    scratch_write(file, "text");
    assert_int_equal(mkdir(inner_folder, 0755), 0);
    scratch_write(inner, "more");
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(symlink("loop", loop), 0);
    free(file);
    free(inner_folder);
    free(inner);
    free(link);
    free(loop);
}

static char **make_environment(const char *preload, const char *active)
{
    char **variables = mem_new(6, sizeof *variables);
    variables[0] = mem_strdup("PATH=/usr/bin:/bin");
    variables[1] = mem_printf("LD_PRELOAD=%s", preload);
    variables[2] = mem_strdup("SET=value");
    variables[3] = mem_printf("%s=%s", TRACE_ACTIVE, active);
    variables[4] = mem_strdup("AFTER=1");
    return variables;
}

static void free_environment(char **variables)
{
    for (size_t i = 0; variables[i] != NULL; i++) {
        free(variables[i]);
    }
    free(variables);
}

struct result {
    int code;
    struct buffer records;
    char *printed;
};

static void result_release(struct result *result)
{
    buffer_release(&result->records);
    free(result->printed);
}

static void read_all(const char *path, struct buffer *to)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 0;
    do {
        got = fd < 0 ? 0 : read(fd, buffer_reserve(to, 4096), 4096);
        assert_true(got >= 0);
        to->size += (size_t)got;
    } while (got > 0);
    if (fd >= 0) {
        assert_int_equal(close(fd), 0);
    }
}

static _Noreturn void become_subject(const char *folder, const char *program,
                                     const char *act, const char *records,
                                     const char *printed, char **variables)
{
    const int null = open("/dev/null", O_RDONLY);
    const int out = open(printed, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    char *path = scratch_path(programs, program);
    char *const arguments[] = {path, mem_strdup(act), mem_strdup(records), NULL};
    if (chdir(folder) == 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1) {
        (void)execve(path, arguments, variables);
    }
    _exit(98);
}

// `folder` is where the act takes place.
static struct result run_subject(const char *folder, const char *program, const char *act,
                                 const char *preload, const char *active)
{
    struct result result = {0};
    struct buffer text = {0};
    char *records = mem_printf("%s.records", folder);
    char *printed = mem_printf("%s.printed", folder);
    char **variables = make_environment(preload, active);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        become_subject(folder, program, act, records, printed, variables);
    }
    result.code = scratch_wait(child);
    read_all(records, &result.records);
    read_all(printed, &text);
    result.printed = mem_strndup((const char *)text.data, text.size);
    buffer_release(&text);
    (void)unlink(records);
    (void)unlink(printed);
    free(records);
    free(printed);
    free_environment(variables);
    return result;
}

// ---- Records as lines ---------------------------------------------------------------

static const char *const tag_names[TRACE_TAGS] = {
    "END",         "READ",     "MISSING", "FAILED",  "STATUS",   "ACCESS",
    "LINK",        "RESOLVED", "LISTED",  "WRITTEN", "VARIABLE", "SETS",
    "ENVIRONMENT", "FOLDER",   "LOADED",  "OPAQUE"};

static void append_replaced(struct buffer *to, const char *text, const char *folder)
{
    const struct {
        const char *from;
        const char *to;
    } replacements[] = {{folder, "$"}, {programs, "@"}};
    while (*text != '\0') {
        size_t skip = 0;
        for (size_t i = 0; i < 2 && skip == 0; i++) {
            const size_t length = strlen(replacements[i].from);
            if (strncmp(text, replacements[i].from, length) == 0) {
                buffer_append_string(to, replacements[i].to);
                skip = length;
            }
        }
        if (skip == 0) {
            buffer_append(to, text, 1);
            skip = 1;
        }
        text += skip;
    }
}

static char *format_record(const struct trace_record *record, const char *folder)
{
    struct buffer line = {0};
    buffer_append_string(&line, tag_names[record->tag]);
    if (record->tag == TRACE_FAILED || record->tag == TRACE_ACCESS) {
        char *number = mem_printf(" %u", (unsigned)record->number);
        buffer_append_string(&line, number);
        free(number);
    } else if ((record->number & TRACE_LINK_ITSELF) != 0) {
        buffer_append_string(&line, " itself");
    }
    buffer_append_u8(&line, ' ');
    append_replaced(&line, record->text, folder);
    if (record->second[0] != '\0') {
        buffer_append_string(&line, record->tag == TRACE_OPAQUE ? " in " : " -> ");
        append_replaced(&line, record->second, folder);
    }
    char *text = mem_strndup((const char *)line.data, line.size);
    buffer_release(&line);
    return text;
}

struct lines {
    char **line;
    size_t count;
};

static void lines_add(struct lines *lines, char *line)
{
    lines->line = realloc(lines->line, (lines->count + 1) * sizeof *lines->line);
    assert_non_null(lines->line);
    lines->line[lines->count++] = line;
}

static void lines_release(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->line[i]);
    }
    free(lines->line);
    *lines = (struct lines){0};
}

static bool lines_have(const struct lines *lines, const char *line)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (strcmp(lines->line[i], line) == 0) {
            return true;
        }
    }
    return false;
}

static struct lines lines_of(const struct buffer *records, const char *folder)
{
    struct lines lines = {0};
    struct trace_reader reader = trace_reader_make(records->data, records->size);
    struct trace_record record;
    while (trace_reader_next(&reader, &record)) {
        lines_add(&lines, format_record(&record, folder));
    }
    assert_true(trace_reader_is_complete(&reader));
    return lines;
}

// ---- Checking -----------------------------------------------------------------------

// Where subfolders for kinds of processors would be; they have a test of their own.
static bool is_about_processor(const char *line)
{
    static const char *const names[] = {"glibc-hwcaps", "tls",    "haswell", "xeon_phi",
                                        "avx512_1",     "x86_64", "atomics", "aarch64"};
    const char *slash = strrchr(line, '/');
    for (size_t i = 0; slash != NULL && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(slash + 1, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

// What `act` adds to what is recorded of a program that does nothing.
static struct lines run_act(const char *folder, const char *program, const char *act)
{
    struct lines kept = {0};
    char *place = scratch_path(folder, "place");
    assert_int_equal(mkdir(place, 0755), 0);
    make_files(place);
    struct result idle = run_subject(place, program, "nothing", tracer, "1");
    struct result result = run_subject(place, program, act, tracer, "1");
    struct lines base = lines_of(&idle.records, place);
    if (result.code == 77) {
        skip();
    }
    assert_int_equal(idle.code, 0);
    assert_int_equal(result.code, 0);
    assert_string_equal(result.printed, "");
    struct lines lines = lines_of(&result.records, place);
    for (size_t i = 0; i < lines.count; i++) {
        if (!lines_have(&base, lines.line[i]) && !is_about_processor(lines.line[i])) {
            lines_add(&kept, mem_strdup(lines.line[i]));
        }
    }
    lines_release(&lines);
    lines_release(&base);
    result_release(&idle);
    result_release(&result);
    assert_true(os_remove_tree(place, NULL));
    free(place);
    return kept;
}

static bool matches(const struct lines *lines, const char *patterns)
{
    size_t at = 0;
    while (*patterns != '\0') {
        const size_t length = strcspn(patterns, "\n");
        char *pattern = mem_strndup(patterns, length);
        const bool ok = at < lines->count && fnmatch(pattern, lines->line[at], 0) == 0;
        free(pattern);
        if (!ok) {
            return false;
        }
        at++;
        patterns += length + (patterns[length] == '\n');
    }
    return at == lines->count;
}

// `expected` has a pattern per line.
static void check_act(const char *folder, const char *program, const char *act,
                      const char *expected)
{
    struct lines lines = run_act(folder, program, act);
    if (!matches(&lines, expected)) {
        print_error("%s %s\n---- expected:\n%s\n---- recorded:\n", program, act,
                    expected);
        for (size_t i = 0; i < lines.count; i++) {
            print_error("%s\n", lines.line[i]);
        }
        fail();
    }
    lines_release(&lines);
}

struct expectation {
    const char *act;
    const char *records;
};

static void check_acts(const char *folder, const char *program,
                       const struct expectation *acts)
{
    for (; acts->act != NULL; acts++) {
        check_act(folder, program, acts->act, acts->records);
    }
}

// ---- Files --------------------------------------------------------------------------

static const struct expectation file_acts[] = {
    {"nothing", ""},
    {"open", "READ $/file"},
    {"open_absolute", "READ /etc/passwd"},
    {"open_missing", "MISSING $/nothing\n"
                     "MISSING $/file/nothing\n"
                     "MISSING $/./folder/../nothing"},
    {"open_failed", "FAILED 40 $/loop\n"
                    "FAILED 21 $/folder"},
    {"open_bad_pointer", ""},
    {"open_write", "OPAQUE asks about the process (umask)\n"
                   "WRITTEN $/new\n"
                   "STATUS $/new\n"
                   "WRITTEN $/new2\n"
                   "STATUS $/new2\n"
                   "FAILED 17 $/new2\n"
                   "WRITTEN $/new3"},
    {"open_update", "READ $/file\n"
                    "WRITTEN $/file\n"
                    "READ $/log\n"
                    "WRITTEN $/log"},
    {"openat", "ACCESS 0 $/folder\n"
               "READ $/folder/inner\n"
               "MISSING $/folder/nothing\n"
               "READ $/file\n"
               "READ /etc/passwd"},
    {"open_special", "OPAQUE reads random numbers (/dev/urandom)\n"
                     "OPAQUE opens (/proc/self/status)\n"
                     "READ /proc/cpuinfo"},
    {"fopen", "READ $/file\n"
              "MISSING $/nothing\n"
              "WRITTEN $/new\n"
              "READ $/folder/inner\n"
              "WRITTEN $/folder/inner\n"
              "READ $/log\n"
              "WRITTEN $/log\n"
              "FAILED 17 $/new"},
    {"temporary", "WRITTEN $/temporary??????\n"
                  "WRITTEN $/folders??????"},
    {"stat", "STATUS $/file\n"
             "MISSING $/nothing\n"
             "STATUS itself $/link\n"
             "MISSING itself $/nothing\n"
             "FAILED 40 $/loop"},
    {"fstat", "READ $/file\n"
              "STATUS $/file"},
    {"fstatat", "ACCESS 0 $/folder\n"
                "STATUS $/folder/inner\n"
                "MISSING $/folder/nothing\n"
                "STATUS itself $/link\n"
                "STATUS $/folder"},
    {"statx", "STATUS $/file\n"
              "MISSING $/nothing\n"
              "STATUS itself $/link"},
    {"old_stat", "STATUS $/file\n"
                 "MISSING $/nothing\n"
                 "STATUS itself $/link\n"
                 "READ $/folder/inner\n"
                 "STATUS $/folder/inner\n"
                 "STATUS $/folder"},
    {"access", "ACCESS 4 $/file\n"
               "ACCESS 0 $/file\n"
               "MISSING $/nothing\n"
               "ACCESS 1 $/folder\n"
               "ACCESS 0 $/folder/inner"},
    {"readlink", "LINK $/link -> file\n"
                 "STATUS itself $/file\n"
                 "MISSING itself $/nothing\n"
                 "LINK $/loop -> loop\n"
                 "LINK /proc/self/exe -> @/*"},
    {"realpath", "RESOLVED $/link -> $/file\n"
                 "MISSING $/folder/nothing\n"
                 "RESOLVED $/folder/../file -> $/file"},
    {"opendir", "LISTED $/folder\n"
                "MISSING $/nothing"},
    {"fdopendir", "ACCESS 0 $/folder\n"
                  "LISTED $/folder"},
    {"scandir", "LISTED $/folder"},
    {"glob", "LISTED $/.\n"
             "LISTED /etc\n"
             "OPAQUE searches folders (glob*)"},
    {"walk", "OPAQUE walks through folders (nftw*)\n"
             "OPAQUE walks through folders (fts*_open)"},
    {"change", "WRITTEN $/made\n"
               "FAILED 17 $/made\n"
               "WRITTEN $/made_link\n"
               "MISSING itself $/nothing\n"
               "WRITTEN $/folder/inner\n"
               "WRITTEN $/moved\n"
               "READ $/file\n"
               "WRITTEN $/linked"},
    {"change_open", "READ $/file\n"
                    "WRITTEN $/file\n"
                    "WRITTEN $/folder"},
    {"errno", "READ $/file\n"
              "STATUS $/file\n"
              "ACCESS 0 $/file\n"
              "VARIABLE HOME\n"
              "MISSING $/nothing"},
    {"close_all", "READ $/file\n"
                  "READ $/folder/inner"},
    {"two_batches", "READ $/file\n"
                    "READ $.records\n" // what it writes the batch to
                    "WRITTEN $.records\n"
                    "READ $/folder/inner"},
    {"standard_input", "OPAQUE reads standard input (*read*)"},
    {"buffered_input", "OPAQUE reads standard input (stdin)"},
    {"early", "READ $/file\n"
              "VARIABLE EARLY"},
    {NULL, NULL}};

static void test_files(void **state)
{
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        check_acts(*state, variants[i], file_acts);
    }
}

static void test_more_than_the_first_table_has(void **state)
{
    struct lines lines = run_act(*state, plain, "many");
    assert_int_equal(lines.count, 5000);
    for (size_t i = 0; i < lines.count; i++) {
        char *expected = mem_printf("MISSING /nothing/%zu", i);
        assert_string_equal(lines.line[i], expected);
        free(expected);
    }
    lines_release(&lines);
}

static void test_too_much(void **state)
{
    check_act(*state, plain, "too_many", "OPAQUE too much\nOPAQUE too much");
}

// ---- Variables, clocks, machine -----------------------------------------------------

static const struct expectation variable_acts[] = {
    {"getenv", "VARIABLE SET\n"
               "VARIABLE UNSET\n"
               "VARIABLE SECURE"},
    {"setenv", "SETS NEW\n"
               "VARIABLE NEW\n"
               "SETS PUT\n"
               "SETS SET\n"
               "SETS "},
    {"current_folder", "FOLDER $"},
    {"current_folder_name", "VARIABLE PWD\n"
                            "FOLDER $"},
    {"locale", "VARIABLE LC_ALL\n"
               "VARIABLE LANG\n"
               "VARIABLE LC_CTYPE\n"
               "VARIABLE LC_NUMERIC\n"
               "VARIABLE LC_TIME\n"
               "VARIABLE LC_COLLATE\n"
               "VARIABLE LC_MONETARY\n"
               "VARIABLE LC_MESSAGES\n"
               "VARIABLE LC_PAPER\n"
               "VARIABLE LC_NAME\n"
               "VARIABLE LC_ADDRESS\n"
               "VARIABLE LC_TELEPHONE\n"
               "VARIABLE LC_MEASUREMENT\n"
               "VARIABLE LC_IDENTIFICATION"},
    {"other_locale", "OPAQUE uses a locale (setlocale)"},
    {"zone", "VARIABLE TZ\n"
             "* /etc/localtime"},
    {"clocks", "OPAQUE reads a clock (time)\n"
               "OPAQUE reads a clock (clock_gettime)\n"
               "OPAQUE reads a clock (gettimeofday)\n"
               "OPAQUE reads a clock (clock)\n"
               "OPAQUE reads a clock (timespec_get)"},
    {"random", "OPAQUE reads random numbers (getrandom)\n"
               "OPAQUE reads random numbers (getentropy)"},
    {"identity", "OPAQUE asks about the process (getpid)\n"
                 "OPAQUE asks about the process (getppid)\n"
                 "OPAQUE asks about the process (getuid)\n"
                 "OPAQUE asks about the process (geteuid)"},
    {"machine", "OPAQUE asks about the machine (uname)\n"
                "OPAQUE asks about the machine (*gethostname*)\n"
                "OPAQUE asks about the machine (sysconf)"},
    {"page_size", ""},
    {"users", "OPAQUE looks up users (getpwuid)"},
    {NULL, NULL}};

static void test_variables(void **state)
{
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        check_acts(*state, variants[i], variable_acts);
    }
}

static void test_environment_as_a_whole(void **state)
{
    struct result with =
        run_subject(*state, "tracer_subject_environ", "nothing", tracer, "1");
    struct result without =
        run_subject(*state, "tracer_subject_fortified", "nothing", tracer, "1");
    struct lines lines_with = lines_of(&with.records, *state);
    struct lines lines_without = lines_of(&without.records, *state);
    assert_true(lines_have(&lines_with, "ENVIRONMENT "));
    // It hands the variables on to what it starts.
    assert_true(lines_have(&lines_without, "ENVIRONMENT "));
    lines_release(&lines_with);
    lines_release(&lines_without);
    result_release(&with);
    result_release(&without);
}

// ---- Processes ----------------------------------------------------------------------

static const struct expectation process_acts[] = {
    {"fork", "OPAQUE starts a process (fork)"},
    {"vfork", "OPAQUE starts a process (vfork)"},
    {"clone", "OPAQUE starts a process (clone)"},
    {"exec", "OPAQUE starts a process (execl)\n"
             "OPAQUE starts a process (execvp)\n"
             "OPAQUE starts a process (fork)"},
    {"spawn", "OPAQUE starts a process (posix_spawn)"},
    {"system", "OPAQUE starts a process (system)"},
    {"popen", "OPAQUE starts a process (popen)"},
    {"socket", "OPAQUE uses the network (socket)\n"
               "OPAQUE uses the network (socketpair)"},
    {"chdir", "OPAQUE changes its folder (chdir)\n"
              "READ $/folder/inner"},
    {"syscall", ""},
    {"syscall_other", "OPAQUE calls the system directly (syscall)"},
    {NULL, NULL}};

static void test_processes(void **state)
{
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        check_acts(*state, variants[i], process_acts);
    }
}

// ---- Threads and signals ------------------------------------------------------------

static void test_threads(void **state)
{
    struct lines lines = run_act(*state, plain, "threads");
    size_t missing = 0;
    for (size_t i = 0; i < lines.count; i++) {
        missing += strncmp(lines.line[i], "MISSING ", 8) == 0;
    }
    assert_int_equal(missing, 1000);
    assert_int_equal(lines.count, 1001);
    assert_true(lines_have(&lines, "VARIABLE UNSET"));
    lines_release(&lines);
}

// That they come to an end, and that nothing is lost without being said.
static void test_fork_among_threads(void **state)
{
    struct lines lines = run_act(*state, plain, "fork_among_threads");
    assert_true(lines_have(&lines, "OPAQUE starts a process (fork)"));
    assert_false(lines_have(&lines, "OPAQUE too much"));
    lines_release(&lines);
}

static void test_signals(void **state)
{
    struct lines lines = run_act(*state, plain, "signals");
    if (!lines_have(&lines, "OPAQUE records were lost")) {
        assert_true(lines_have(&lines, "READ $/file"));
        assert_int_equal(lines.count, 6002);
    }
    lines_release(&lines);
    check_act(*state, plain, "signal", "READ $/file\nMISSING /nothing");
}

static void test_cancelled_thread(void **state)
{
    // libc loads the other library to go back through the calls.
    check_act(*state, plain, "cancel", "WRITTEN $/pipe\nLOADED */libgcc_s.so.1");
}

// ---- Libraries ----------------------------------------------------------------------

static const struct expectation library_acts[] = {
    {"halide", "LOADED @/libtracer_halide.so\n"
               "LOADED @/libtracer_below.so"},
    {"halide_needs", "LOADED @/libtracer_halide.so\n"
                     "LOADED @/libtracer_below.so"},
    {"halide_moves", "READ $/folder/inner\n"
                     "LOADED @/libtracer_halide.so\n"
                     "LOADED @/libtracer_below.so"},
    {"halide_reads", "READ $/file\n"
                     "LISTED $/folder\n"
                     "VARIABLE UNSET\n"
                     "LOADED @/libtracer_halide.so\n"
                     "LOADED @/libtracer_below.so"},
    {"bystander", "OPAQUE reads a clock (time) in @/libtracer_bystander.so\n"
                  "OPAQUE reads a clock (clock_gettime) in @/libtracer_bystander.so\n"
                  "OPAQUE reads random numbers (getrandom) in @/libtracer_bystander.so\n"
                  "OPAQUE asks about the process (getpid) in @/libtracer_bystander.so\n"
                  "OPAQUE asks about the machine (uname) in @/libtracer_bystander.so\n"
                  "OPAQUE asks about the machine (sysconf) in @/libtracer_bystander.so\n"
                  "OPAQUE reads random numbers (/dev/urandom)\n"
                  "LOADED @/libtracer_bystander.so"},
    {"probe", ""},
    {"load", "LOADED @/libtracer_bystander.so"},
    {"load_and_close", "LOADED @/libtracer_bystander.so"},
    {"load_missing", "MISSING $/./nothing.so"},
    {"load_broken", "OPAQUE could not load a library (./file)"},
    {"load_by_library", "MISSING @/none\n"
                        "LOADED @/libtracer_loader.so\n"
                        "LOADED @/deep/libtracer_deep.so"},
    {"load_system", "LOADED */libm.so.6"},
    {"load_deepbind", "OPAQUE loads a library (dlopen)\n"
                      "LOADED @/libtracer_bystander.so"},
    {"load_apart", "OPAQUE loads a library apart from the others (dlmopen)"},
    {NULL, NULL}};

static void test_libraries(void **state)
{
    check_acts(*state, plain, library_acts);
}

static void test_cxx_library(void **state)
{
    struct lines lines = run_act(*state, plain, "cxx_clocks");
    assert_true(lines_have(
        &lines, "OPAQUE reads a clock (_ZNSt6chrono3_V212steady_clock3nowEv)"));
    lines_release(&lines);
}

static void test_library_that_is_nowhere(void **state)
{
    struct lines lines = run_act(*state, plain, "load_missing_name");
    assert_true(lines.count > 0);
    for (size_t i = 0; i < lines.count; i++) {
        assert_int_equal(strncmp(lines.line[i], "MISSING /", 9), 0);
    }
    lines_release(&lines);
}

// ---- What nobody notices ------------------------------------------------------------

static void check_hidden(const char *folder, const char *preload, const char *active,
                         const char *expected)
{
    struct result result = run_subject(folder, plain, "print_variables", preload, active);
    assert_int_equal(result.code, 0);
    assert_string_equal(result.printed, expected);
    assert_int_equal(result.records.size > 0, strcmp(active, "1") == 0);
    result_release(&result);
}

static void test_environment_is_as_it_was(void **state)
{
    char *other = scratch_path(programs, "libtracer_bystander.so");
    char *both = mem_printf("%s:%s", tracer, other);
    char *and_nothing = mem_printf("%s:", tracer);
    char *with_other = mem_printf("LD_PRELOAD=%s\nAFTER=1\n", other);
    char *untouched = mem_printf("LD_PRELOAD=%s\n%s=0\nAFTER=1\n", tracer, TRACE_ACTIVE);
    check_hidden(*state, tracer, "1", "AFTER=1\n");
    check_hidden(*state, both, "1", with_other);
    check_hidden(*state, and_nothing, "1", "LD_PRELOAD=\nAFTER=1\n");
    check_hidden(*state, tracer, "0", untouched);
    free(other);
    free(both);
    free(and_nothing);
    free(with_other);
    free(untouched);
}

// Without the variable, every function has to do what the real one does.
static void test_not_traced(void **state)
{
    static const struct expectation *const all[] = {file_acts, variable_acts,
                                                    process_acts, library_acts};
    char *place = scratch_path(*state, "place");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (const struct expectation *act = all[i]; act->act != NULL; act++) {
            if (strcmp(act->act, "fork") == 0) {
                continue; // it expects to be traced
            }
            assert_int_equal(mkdir(place, 0755), 0);
            make_files(place);
            struct result result = run_subject(place, plain, act->act, tracer, "0");
            if (result.code != 0) {
                print_error("%s\n", act->act);
            }
            assert_int_equal(result.code, 0);
            assert_int_equal(result.records.size, 0);
            result_release(&result);
            assert_true(os_remove_tree(place, NULL));
        }
    }
    free(place);
}

static void test_loading_is_recorded(void **state)
{
    struct result result = run_subject(*state, plain, "nothing", tracer, "1");
    struct lines lines = lines_of(&result.records, *state);
    bool has_libc = false;
    for (size_t i = 0; i < lines.count; i++) {
        has_libc |= fnmatch("LOADED */libc.so.6", lines.line[i], 0) == 0;
        assert_null(strstr(lines.line[i], "halide-cache-tracer"));
        assert_null(strstr(lines.line[i], "vdso"));
    }
    assert_true(has_libc);
    assert_true(lines_have(&lines, "LOADED @/tracer_subject"));
    assert_true(lines_have(&lines, "READ /etc/ld.so.cache") ||
                lines_have(&lines, "MISSING /etc/ld.so.cache"));
    assert_true(lines_have(&lines, "READ /etc/ld.so.preload") ||
                lines_have(&lines, "MISSING /etc/ld.so.preload"));
    assert_true(lines_have(&lines, "VARIABLE LD_LIBRARY_PATH"));
    lines_release(&lines);
    result_release(&result);
}

static void test_way_to_a_library_is_recorded(void **state)
{
    struct result result = run_subject(*state, plain, "halide", tracer, "1");
    struct lines lines = lines_of(&result.records, *state);
    assert_true(lines_have(&lines, "MISSING @/glibc-hwcaps"));
    lines_release(&lines);
    result_release(&result);
    result = run_subject(*state, plain, "load_by_library", tracer, "1");
    lines = lines_of(&result.records, *state);
    assert_true(lines_have(&lines, "MISSING @/none"));
    assert_true(lines_have(&lines, "MISSING @/deep/glibc-hwcaps"));
    lines_release(&lines);
    result_release(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_files),
        scratch_test(test_more_than_the_first_table_has),
        scratch_test(test_too_much),
        scratch_test(test_variables),
        scratch_test(test_environment_as_a_whole),
        scratch_test(test_processes),
        scratch_test(test_threads),
        scratch_test(test_fork_among_threads),
        scratch_test(test_signals),
        scratch_test(test_cancelled_thread),
        scratch_test(test_libraries),
        scratch_test(test_cxx_library),
        scratch_test(test_library_that_is_nowhere),
        scratch_test(test_environment_is_as_it_was),
        scratch_test(test_not_traced),
        scratch_test(test_loading_is_recorded),
        scratch_test(test_way_to_a_library_is_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
