// SPDX-License-Identifier: MIT
//
// halide-cache: a compile cache for Halide generators.
//
// What happens to a command, in order, and where:
//
//   main.c            the subcommands
//   cmd_run.c         one generator command from start to end
//   job.c             what is known of it before anything runs
//     request.c         what its command line asks for
//     outputs.c         which files it is going to write
//     stock_main.c      is the generator one that the probe can speak for?
//   direct.c          a hit without starting the generator
//     manifest.c        what a direct lookup has to check
//     dependency.c      one thing that a generator looked at
//   inquiry.c         asking the generator what it is going to compile
//     generator*.c      starting it with the probe in it, its output, its end
//     probe/            the plugin inside the generator that answers
//     tracer/           the preloaded library that sees what it looks at
//     key.c             the key, a digest of named fields
//     key_fields.c      the fields that the helper knows
//     identity*.c       what a binary file is
//     file_digest.c     digests of files, remembered
//   flight.c          one compile for identical jobs
//   hit.c             looking up and restoring
//   miss.c            compiling and storing
//     entry.c           what is stored under a key
//     output_files.c    the outputs on disk
//     store.c           where everything is kept
//     prune.c           keeping it within its limits
//   verify.c          the self-check: a hit that compiles too
//   stats.c           counting
//   cmd_key.c         the fields of a key, to compare
//   cmd_admin.c       stats, prune, clear
//
// Below all of that: elf*.c and macho.c (binary files), stock_code*.c (machine code),
// binary.c, cpu.c, settings.c, bypass.c, notice.c, os*.c, sha256*.c, buffer.c, error.c.

#include "cmd_admin.h"
#include "cmd_key.h"
#include "cmd_run.h"
#include "os.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

static const struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} subcommands[] = {
    {"run", cmd_run, "run a generator command through the cache"},
    {"key", cmd_key, "show what the key of a generator command is made of"},
    {"stats", cmd_stats, "show what the cache did and holds"},
    {"prune", cmd_prune, "remove what exceeds the limits now"},
    {"clear", cmd_clear, "remove all that is stored"},
};

static const char usage[] =
    "usage: halide-cache run [options] -- GENERATOR ARGS...\n"
    "       halide-cache key [options] -- GENERATOR ARGS...\n"
    "       halide-cache stats|prune|clear [--dir DIR]\n"
    "       halide-cache --version | --help\n"
    "\n"
    "Caches what Halide generators write. In a CMake project nothing of this is typed:\n"
    "find_package(HalideCache) and -DHalide_CACHE_DIR=DIR put it before every generator\n"
    "command.\n"
    "\n";

static const char environment_help[] =
    "\n"
    "Environment:\n"
    "  HL_CACHE_DIR        the cache folder, where --dir does not name one\n"
    "  HL_CACHE_MAX_SIZE   its size limit: bytes, or with the suffix K, M or G (default "
    "1G)\n"
    "  HL_CACHE_MAX_AGE    remove what was not used for this many seconds (default: "
    "keep)\n"
    "  HALIDE_CACHE_VERIFY 1: a hit compiles too, and fails if the results differ\n"
    "  HALIDE_CACHE_LOG    a file that gets one line per command: what happened, and "
    "why\n"
    "  HALIDE_CACHE_WAIT   how many seconds to wait for another command that compiles "
    "the\n"
    "                      same already (default 120)\n"
    "  HALIDE_CACHE_PROBE_TIMEOUT  how many seconds a generator may take to build its\n"
    "                      pipeline before it is run uncached (default 60)\n"
    "\n"
    "halide-cache COMMAND --help tells more about one command.\n";

static int show_help(FILE *to)
{
    (void)fputs(usage, to);
    (void)fputs("Commands:\n", to);
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        (void)fprintf(to, "  %-8s %s\n", subcommands[i].name, subcommands[i].help);
    }
    (void)fputs(environment_help, to);
    return fflush(to) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    os_open_missing_streams();
    argv = os_arguments(&argc, argv);
    if (argc < 2) {
        (void)show_help(stderr);
        return 2;
    }
    const char *command = argv[1];
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        if (strcmp(command, subcommands[i].name) == 0) {
            return subcommands[i].run(argc - 1, argv + 1);
        }
    }
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) {
        return show_help(stdout);
    }
    if (strcmp(command, "--version") == 0) {
        (void)printf("halide-cache %s\n", HALIDECACHE_VERSION);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    (void)fprintf(stderr,
                  "halide-cache: error: '%s' is not a command; accepted are run, key, "
                  "stats, prune, "
                  "clear, --version and --help\n",
                  command);
    return 2;
}
