// SPDX-License-Identifier: MIT
// Acts with other processes, and everything else that leads outside.

#define _GNU_SOURCE

#include "subject.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect_exit(pid_t child, int code)
{
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == code);
}

static void act_fork(void)
{
    const pid_t child = fork();
    if (child == 0) {
        _exit(is_traced() ? 7 : 8); // a copy goes on
    }
    expect_exit(child, 7);
}

static void act_vfork(void)
{
    const pid_t child = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (child == 0) {
        _exit(5);
    }
    expect_exit(child, 5);
}

static int cloned(void *argument)
{
    return *(int *)argument;
}

// With seven arguments, one of them on the stack.
static void act_clone(void)
{
    static char stack[64 * 1024] __attribute__((aligned(16)));
    int code = 6;
    pid_t parents = 0;
    pid_t childs = 0;
    const pid_t child = clone(cloned, stack + sizeof stack, SIGCHLD | CLONE_PARENT_SETTID,
                              &code, &parents, NULL, &childs);
    CHECK(parents == child);
    expect_exit(child, 6);
}

static void act_exec(void)
{
    char name[] = "./nothing";
    char *const arguments[] = {name, NULL};
    CHECK(execl("./nothing", "a", "b", "c", "d", "e", "f", "g", (char *)NULL) == -1);
    CHECK(execvp("./nothing", arguments) == -1 && errno == ENOENT);
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit $#", "sh", "1", "2", "3", "4", "5", "6", "7",
              (char *)NULL);
    }
    expect_exit(child, 7);
}

// What it starts is not traced, and has nothing of the tracer in its environment.
static void act_spawn(void)
{
    char act[] = "print_variables";
    char null[] = "/dev/null";
    char path[4096];
    (void)snprintf(path, sizeof path, "%s", subject_path);
    char *const arguments[] = {path, act, null, NULL};
    char *variables[64] = {NULL};
    size_t count = 0;
    for (char **variable = environ; *variable != NULL && count < 63; variable++) {
        if (strcmp(*variable, "AFTER=1") != 0) {
            variables[count++] = *variable;
        }
    }
    pid_t child = 0;
    CHECK(posix_spawn(&child, path, NULL, NULL, arguments, variables) == 0);
    expect_exit(child, 0);
}

static void act_system(void)
{
    CHECK(WEXITSTATUS(system("exit 3")) == 3);
}

static void act_popen(void)
{
    FILE *pipe = popen("exit 4", "r");
    CHECK(pipe != NULL && WEXITSTATUS(pclose(pipe)) == 4);
}

static void act_socket(void)
{
    int pair[2];
    CHECK(socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
}

static void act_chdir(void)
{
    CHECK(chdir("folder") == 0);
    CHECK(open("inner", O_RDONLY) >= 0);
}

static void act_syscall(void)
{
    int word = 0;
    CHECK(syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
}

// With seven arguments.
static void act_syscall_other(void)
{
    const long at = syscall(SYS_mmap, 0L, 4096L, (long)PROT_READ,
                            (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1L, 0L);
    CHECK(at != -1 && *(const char *)at == 0);
}

const struct act process_acts[] = {
    {"fork", act_fork},
    {"vfork", act_vfork},
    {"clone", act_clone},
    {"exec", act_exec},
    {"spawn", act_spawn},
    {"system", act_system},
    {"popen", act_popen},
    {"socket", act_socket},
    {"chdir", act_chdir},
    {"syscall", act_syscall},
    {"syscall_other", act_syscall_other},
    {NULL, NULL},
};
