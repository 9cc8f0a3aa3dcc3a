// SPDX-License-Identifier: MIT
// Acts in threads and signal handlers.

#define _GNU_SOURCE

#include "subject.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8 };

static void start_threads(pthread_t threads[THREADS], void *(*run)(void *))
{
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, run, NULL) == 0);
    }
}

static void join_threads(pthread_t threads[THREADS])
{
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

// All of them do the same, so each thing is recorded by one of several that try to.
static void *open_files(void *nothing)
{
    char name[40];
    (void)nothing;
    for (unsigned i = 0; i < 3000; i++) {
        (void)snprintf(name, sizeof name, "%s/%u", i % 2 == 0 ? "nothing" : "/nothing",
                       i % 1000);
        CHECK(open(name, O_RDONLY) == -1);
        CHECK(getenv("UNSET") == NULL);
    }
    return NULL;
}

static void act_threads(void)
{
    pthread_t threads[THREADS];
    start_threads(threads, open_files);
    join_threads(threads);
}

static atomic_bool stop;
static atomic_uint next_number;

// Something new every time, so that the lock is taken, as long as there is memory for it.
static void *open_new_files(void *nothing)
{
    enum { NAMES = 6000 };
    char name[40];
    (void)nothing;
    while (!atomic_load(&stop)) {
        const unsigned number = atomic_fetch_add(&next_number, 1);
        if (number < NAMES) {
            (void)snprintf(name, sizeof name, "nothing%u", number);
            CHECK(open(name, O_RDONLY) == -1);
        } else {
            (void)usleep(1000);
        }
    }
    return NULL;
}

// A copy of a process whose other threads are gone, one of them maybe with the lock.
static void act_fork_among_threads(void)
{
    pthread_t threads[THREADS];
    start_threads(threads, open_new_files);
    for (int i = 0; i < 60; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            (void)alarm(20);
            (void)open("file", O_RDONLY);
            (void)open("folder/inner", O_RDONLY);
            (void)is_traced();
            _exit(0);
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    atomic_store(&stop, true);
    join_threads(threads);
}

// ---- Cancelling ---------------------------------------------------------------------

static void note_cleanup(void *done)
{
    *(bool *)done = true;
}

// Opening a pipe that nobody writes to waits, inside of our function.
static void *open_pipe(void *done)
{
    pthread_cleanup_push(note_cleanup, done);
    (void)open("pipe", O_RDONLY);
    pthread_cleanup_pop(0);
    return NULL;
}

static void act_cancel(void)
{
    static bool done;
    pthread_t thread;
    CHECK(mkfifo("pipe", 0600) == 0);
    CHECK(pthread_create(&thread, NULL, open_pipe, &done) == 0);
    (void)usleep(50000);
    CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(done);
}

// ---- Signals ------------------------------------------------------------------------

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
    (void)number;
    signals++;
    (void)open("file", O_RDONLY);
    (void)open("/nothing", O_RDONLY);
}

static void act_signal(void)
{
    // As little as the system allows, and not a byte more.
    const size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 2048;
    char *memory = mmap(NULL, 3 * 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && size <= 65536);
    CHECK(mprotect(memory + 65536, 65536, PROT_READ | PROT_WRITE) == 0);
    const stack_t stack = {.ss_sp = memory + 65536, .ss_size = size};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    CHECK(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(raise(SIGUSR1) == 0 && signals == 1);
}

static pthread_t interrupted;

static void *interrupt(void *nothing)
{
    (void)nothing;
    while (!atomic_load(&stop)) {
        CHECK(pthread_kill(interrupted, SIGUSR1) == 0);
        (void)usleep(20);
    }
    return NULL;
}

// Handlers come in the middle of everything, also where the lock is held.
static void act_signals(void)
{
    pthread_t thread;
    char name[40];
    struct sigaction action = {.sa_handler = on_signal};
    interrupted = pthread_self();
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, interrupt, NULL) == 0);
    for (unsigned i = 0; i < 6000 || signals < 100; i++) {
        (void)snprintf(name, sizeof name, "nothing%u", i % 6000);
        CHECK(open(name, O_RDONLY) == -1);
    }
    atomic_store(&stop, true);
    CHECK(pthread_join(thread, NULL) == 0);
}

const struct act thread_acts[] = {
    {"threads", act_threads}, {"fork_among_threads", act_fork_among_threads},
    {"cancel", act_cancel},   {"signal", act_signal},
    {"signals", act_signals}, {NULL, NULL},
};
