// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "process.h"

#include "failure.h"
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *stream_path(const struct command *command, const char *stream)
{
    return mem_printf("%s.%s", command->prints, stream);
}

static void redirect(const char *path, int flags, int stream)
{
    const int fd = open(path, flags, 0644);
    if (fd < 0 || dup2(fd, stream) != stream) {
        _exit(126);
    }
    (void)close(fd);
}

static _Noreturn void become(const struct command *command, const char *input,
                             const char *out, const char *err)
{
    (void)setpgid(0, 0);
    redirect(input, O_RDONLY, STDIN_FILENO);
    redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    if (chdir(command->folder) != 0) {
        _exit(126);
    }
    if (command->user != 0 && (setgroups(0, NULL) != 0 || setgid(command->user) != 0 ||
                               setuid(command->user) != 0)) {
        _exit(126);
    }
    environ = (char **)command->environment; // also for finding the program
    (void)execvp(command->argv[0], command->argv);
    _exit(127);
}

pid_t process_start(const struct command *command)
{
    char *out = stream_path(command, "out");
    char *err = stream_path(command, "err");
    char *input = mem_strdup("/dev/null");
    if (command->input != NULL) {
        free(input);
        input = stream_path(command, "in");
        struct error error = {{0}};
        if (!os_write_file(input, command->input, strlen(command->input), &error)) {
            fail("%s", error.text);
        }
    }
    (void)fflush(NULL);
    const pid_t process = fork();
    if (process == 0) {
        become(command, input, out, err);
    }
    if (process < 0) {
        fail("cannot fork: %s", strerror(errno));
    }
    free(input);
    free(err);
    free(out);
    return process;
}

static void read_stream(const struct command *command, const char *stream,
                        struct buffer *to)
{
    struct error error = {{0}};
    char *path = stream_path(command, stream);
    if (!os_read_file(path, to, NULL, &error)) {
        fail("%s", error.text);
    }
    free(path);
}

void process_finish(pid_t process, const struct command *command,
                    struct process_result *result)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) {
            fail("cannot wait for %s: %s", command->argv[0], strerror(errno));
        }
    }
    *result = (struct process_result){0};
    if (WIFSIGNALED(status)) {
        result->signal = WTERMSIG(status);
    } else {
        result->code = WEXITSTATUS(status);
    }
    read_stream(command, "out", &result->out);
    read_stream(command, "err", &result->err);
}

void process_run(const struct command *command, struct process_result *result)
{
    process_finish(process_start(command), command, result);
}

bool process_is_running(pid_t process)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
}

void process_result_release(struct process_result *result)
{
    buffer_release(&result->out);
    buffer_release(&result->err);
}
