// SPDX-License-Identifier: MIT
// Acts with libraries, and in the code of libraries.

#define _GNU_SOURCE

#include "subject.h"

#include "libraries.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *load(const char *name, int mode)
{
    void *library = dlopen(library_path(name), RTLD_LAZY | mode);
    CHECK(library != NULL);
    return library;
}

static library_function *find(void *library, const char *name)
{
    union {
        void *object;
        library_function *function;
    } found;
    found.object = dlsym(library, name);
    CHECK(found.object != NULL);
    return found.function;
}

static void run(const char *library, const char *name)
{
    CHECK(find(load(library, 0), name)() == 1);
}

// ---- Who calls ----------------------------------------------------------------------

static void act_halide(void)
{
    run("libtracer_halide.so", "ask_everything");
}

static void act_halide_needs(void)
{
    run("libtracer_halide.so", "ask_below");
}

static void act_halide_moves(void)
{
    run("libtracer_halide.so", "move");
}

static void act_halide_reads(void)
{
    run("libtracer_halide.so", "read_file");
}

static void act_bystander(void)
{
    run("libtracer_bystander.so", "ask_everything");
}

static void act_probe(void)
{
    void *probe = load("halide-cache-probe-stand-in.so", 0);
    CHECK(find(probe, "fork_and_wait")() == 1);
    CHECK(find(probe, "ask_everything")() == 1);
    CHECK(find(probe, "read_file")() == 1);
}

// ---- The C++ library ----------------------------------------------------------------

static void *load_cxx_library(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        write_batch();
        exit(77); // there is none here
    }
    return library;
}

// As code that is compiled against the library calls it: by the name that is found first,
// which is the tracer's, whatever scope the library itself is in.
static void act_cxx_clocks(void)
{
    union {
        void *object;
        long long (*function)(void);
    } steady;
    (void)load_cxx_library();
    steady.object = dlsym(RTLD_DEFAULT, "_ZNSt6chrono3_V212steady_clock3nowEv");
    CHECK(steady.object != NULL && steady.function() > 1000);
}

// ---- Loading ------------------------------------------------------------------------

static void act_load(void)
{
    void *library = load("libtracer_bystander.so", 0);
    CHECK(load("libtracer_bystander.so", 0) == library);
    CHECK(dlclose(library) == 0);
}

static void act_load_and_close(void)
{
    void *library = load("libtracer_bystander.so", 0);
    CHECK(dlclose(library) == 0);
}

static void act_load_missing(void)
{
    CHECK(dlopen("./nothing.so", RTLD_LAZY) == NULL);
    CHECK(strstr(dlerror(), "nothing.so") != NULL);
}

static void act_load_missing_name(void)
{
    CHECK(dlopen("libtracer_nothing.so", RTLD_LAZY) == NULL);
}

static void act_load_broken(void)
{
    CHECK(dlopen("./file", RTLD_LAZY) == NULL);
}

// The library finds another one by its own search path: its own, not the tracer's.
static void act_load_by_library(void)
{
    run("libtracer_loader.so", "load_deep");
}

static void act_load_system(void)
{
    CHECK(dlopen("libm.so.6", RTLD_LAZY) != NULL);
}

static void act_load_deepbind(void)
{
    (void)load("libtracer_bystander.so", RTLD_DEEPBIND);
}

static void act_load_apart(void)
{
    CHECK(dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_LAZY) != NULL);
}

const struct act library_acts[] = {
    {"halide", act_halide},
    {"halide_needs", act_halide_needs},
    {"halide_moves", act_halide_moves},
    {"halide_reads", act_halide_reads},
    {"bystander", act_bystander},
    {"probe", act_probe},
    {"cxx_clocks", act_cxx_clocks},
    {"load", act_load},
    {"load_and_close", act_load_and_close},
    {"load_missing", act_load_missing},
    {"load_missing_name", act_load_missing_name},
    {"load_broken", act_load_broken},
    {"load_by_library", act_load_by_library},
    {"load_system", act_load_system},
    {"load_deepbind", act_load_deepbind},
    {"load_apart", act_load_apart},
    {NULL, NULL},
};
