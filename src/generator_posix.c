// SPDX-License-Identifier: MIT
// generator.h for POSIX systems.

#define _GNU_SOURCE // pipe2

#include "generator.h"

#include "os.h"
#include "probe/protocol.h"
#include "tracer/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

enum {
    READ_PIECE = 64 * 1024,
    OUTPUT_LIMIT = 16 * 1024 * 1024, // bytes of a stream that an entry may hold
    EXIT_CHECK_MS = 200
};

struct stream {
    int fd; // our end of the pipe; -1 after its end
    int to; // where it is passed on
    struct buffer kept;
    bool too_much;
};

struct messages {
    int fd;                // -1 after its end
    struct buffer waiting; // what was read and not handled
};

struct generator {
    pid_t process;
    pid_t probe_child; // 0 until it said hello
    bool joined;
    bool passing; // output is passed on
    bool ended;
    int wait_status;
    struct stream out;
    struct stream err;
    struct messages report;
    struct messages talk;
};

// A signal for us is one for the generator: it would have got it without us. Signal
// handlers have no other way to their data than a static object.
static volatile sig_atomic_t signalled_process;

static void forward_signal(int number)
{
    const int saved = errno;
    if (signalled_process > 0) {
        (void)kill((pid_t)signalled_process, number);
    }
    errno = saved;
}

static const int forwarded_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

static void forward_signals_to(pid_t process)
{
    struct sigaction action = {.sa_handler = forward_signal, .sa_flags = SA_RESTART};
    signalled_process = process;
    for (size_t i = 0; i < sizeof forwarded_signals / sizeof forwarded_signals[0]; i++) {
        struct sigaction old;
        // What our parent ignores for us (nohup) stays ignored.
        if (sigaction(forwarded_signals[i], NULL, &old) == 0 &&
            old.sa_handler != SIG_IGN) {
            (void)sigaction(forwarded_signals[i], &action, NULL);
        }
    }
}

bool generator_can_be_probed(void)
{
    return true;
}

// ---- Start --------------------------------------------------------------------------

struct pipes {
    int out[2];
    int err[2];
    int report[2];
    int talk[2]; // ours, the probe's
};

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

static void close_pipes(struct pipes *pipes)
{
    const int saved = errno;
    for (int i = 0; i < 2; i++) {
        close_fd(&pipes->out[i]);
        close_fd(&pipes->err[i]);
        close_fd(&pipes->report[i]);
        close_fd(&pipes->talk[i]);
    }
    errno = saved;
}

static bool open_pipe(int ends[2])
{
#ifdef __APPLE__
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
#else
    return pipe2(ends, O_CLOEXEC) == 0;
#endif
}

static bool open_pipes(struct pipes *pipes, bool joined)
{
    *pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    return open_pipe(pipes->out) && (joined || open_pipe(pipes->err)) &&
           open_pipe(pipes->report) &&
           socketpair(AF_UNIX, SOCK_STREAM, 0, pipes->talk) == 0 &&
           fcntl(pipes->talk[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(pipes->talk[1], F_SETFD, FD_CLOEXEC) == 0;
}

static bool write_all(int fd, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0) {
        const ssize_t written = write(fd, from, size);
        if (written >= 0) {
            from += written;
            size -= (size_t)written;
        } else if (errno == EAGAIN) {
            struct pollfd wait = {.fd = fd, .events = POLLOUT};
            (void)poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

// FNV-1a of the arguments, each with its NUL (protocol.h).
static uint64_t mark_of_arguments(char *const argv[])
{
    uint64_t mark = 0xcbf29ce484222325;
    for (; *argv != NULL; argv++) {
        for (const char *c = *argv;; c++) {
            mark = (mark ^ (unsigned char)*c) * 0x100000001b3;
            if (*c == '\0') {
                break;
            }
        }
    }
    return mark;
}

// Without the tracer the run is only less informative.
static void preload(const char *tracer)
{
    const char *others = getenv("LD_PRELOAD");
    char *all = mem_printf("%s%s%s", tracer, others == NULL ? "" : ":",
                           others == NULL ? "" : others);
    if (setenv(TRACE_ACTIVE, "1", 1) == 0) {
        (void)setenv("LD_PRELOAD", all, 1);
    }
    free(all);
}

// Runs in the new process, between fork and exec. On failure it writes errno to `failed`.
static _Noreturn void become_generator(char *const argv[], const char *tracer,
                                       const struct pipes *pipes, bool joined, int failed)
{
    char ends[96];
    (void)snprintf(ends, sizeof ends, "%d,%d,%016" PRIx64, pipes->report[1],
                   pipes->talk[1], mark_of_arguments(argv));
    generator_clean_environment();
    if (tracer != NULL) {
        preload(tracer);
    }
#ifdef __linux__
    // Whoever kills us with SIGKILL means the generator.
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (setenv(PROBE_VARIABLE, ends, 1) == 0 && dup2(pipes->out[1], STDOUT_FILENO) >= 0 &&
        dup2(joined ? pipes->out[1] : pipes->err[1], STDERR_FILENO) >= 0 &&
        fcntl(pipes->report[1], F_SETFD, 0) == 0 &&
        fcntl(pipes->talk[1], F_SETFD, 0) == 0) {
        (void)execvp(argv[0], argv);
    }
    const int reason = errno;
    (void)write_all(failed, &reason, sizeof reason);
    _exit(127);
}

static bool wait_for_exec(pid_t process, int failed)
{
    int reason = 0;
    ssize_t got = 0;
    do {
        got = read(failed, &reason, sizeof reason);
    } while (got < 0 && errno == EINTR);
    if (got != sizeof reason) {
        return true; // the descriptor went with the exec
    }
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
    }
    errno = reason;
    return false;
}

static pid_t start_process(char *const argv[], const char *tracer, struct pipes *pipes,
                           bool joined)
{
    int failed[2] = {-1, -1};
    if (!open_pipe(failed)) {
        return -1;
    }
    const pid_t process = fork();
    if (process == 0) {
        become_generator(argv, tracer, pipes, joined, failed[1]);
    }
    (void)close(failed[1]);
    const bool ok = process > 0 && wait_for_exec(process, failed[0]);
    const int saved = errno;
    (void)close(failed[0]);
    errno = saved;
    return ok ? process : -1;
}

struct generator *generator_start(char *const argv[], const char *tracer,
                                  const struct buffer *request, struct error *error)
{
    const bool joined = generator_streams_are_joined();
    struct pipes pipes;
    if (!open_pipes(&pipes, joined)) {
        error_set_errno(error, "cannot open pipes");
        close_pipes(&pipes);
        return NULL;
    }
    // The socket takes the request whole before anybody reads: the caller keeps it small.
    if (!write_all(pipes.talk[0], request->data, request->size)) {
        error_set_errno(error, "cannot write to a socket");
        close_pipes(&pipes);
        return NULL;
    }
    const pid_t process = start_process(argv, tracer, &pipes, joined);
    if (process < 0) {
        error_set_errno(error, "cannot run %s", argv[0]);
        close_pipes(&pipes);
        return NULL;
    }
    forward_signals_to(process);
    close_fd(&pipes.out[1]);
    close_fd(&pipes.err[1]);
    close_fd(&pipes.report[1]);
    close_fd(&pipes.talk[1]);
    struct generator *generator = mem_new(1, sizeof *generator);
    *generator = (struct generator){
        .process = process,
        .joined = joined,
        .out = {.fd = pipes.out[0], .to = STDOUT_FILENO},
        .err = {.fd = pipes.err[0], .to = STDERR_FILENO},
        .report = {.fd = pipes.report[0]},
        .talk = {.fd = pipes.talk[0]},
    };
    return generator;
}

// ---- Output -------------------------------------------------------------------------

bool generator_streams_are_joined(void)
{
    struct stat out;
    struct stat err;
    return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
           out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

void generator_replay(int stream, const void *data, size_t size)
{
    (void)write_all(stream, data, size);
}

static void read_stream(struct generator *generator, struct stream *stream)
{
    unsigned char *to = buffer_reserve(&stream->kept, READ_PIECE);
    const ssize_t got = read(stream->fd, to, READ_PIECE);
    if (got < 0 && errno == EINTR) {
        return;
    }
    if (got <= 0) {
        close_fd(&stream->fd);
        return;
    }
    if (generator->passing) {
        (void)write_all(stream->to, to, (size_t)got);
    }
    stream->too_much = stream->too_much || stream->kept.size + (size_t)got > OUTPUT_LIMIT;
    if (!stream->too_much || !generator->passing) {
        stream->kept.size += (size_t)got;
    }
}

void generator_pass_output(struct generator *generator)
{
    generator->passing = true;
    (void)write_all(generator->out.to, generator->out.kept.data,
                    generator->out.kept.size);
    (void)write_all(generator->err.to, generator->err.kept.data,
                    generator->err.kept.size);
}

static void read_messages(struct messages *messages)
{
    unsigned char *to = buffer_reserve(&messages->waiting, READ_PIECE);
    const ssize_t got = read(messages->fd, to, READ_PIECE);
    if (got > 0) {
        messages->waiting.size += (size_t)got;
    } else if (got == 0 || errno != EINTR) {
        close_fd(&messages->fd);
    }
}

// Waits for something to read, at most `timeout_ms`, and reads it: from the two output
// streams, and from `messages` where that is not NULL. False when there was nothing.
static bool read_some(struct generator *generator, struct messages *messages,
                      int timeout_ms)
{
    struct stream *const streams[2] = {&generator->out, &generator->err};
    struct pollfd waits[3] = {
        {.fd = streams[0]->fd, .events = POLLIN},
        {.fd = streams[1]->fd, .events = POLLIN},
        {.fd = messages == NULL ? -1 : messages->fd, .events = POLLIN}};
    if (poll(waits, 3, timeout_ms) <= 0) {
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        if (waits[i].revents != 0) {
            read_stream(generator, streams[i]);
        }
    }
    if (messages != NULL && waits[2].revents != 0) {
        read_messages(messages);
    }
    return true;
}

static bool has_ended(struct generator *generator)
{
    if (!generator->ended && waitpid(generator->process, &generator->wait_status,
                                     WNOHANG) == generator->process) {
        generator->ended = true;
        signalled_process = 0;
    }
    return generator->ended;
}

// ---- Report -------------------------------------------------------------------------

// Says one byte to the probe. It may be gone, and must not take us with it.
static void say(struct generator *generator, char byte)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction old;
    (void)sigaction(SIGPIPE, &ignore, &old);
    (void)write_all(generator->talk.fd, &byte, 1);
    (void)sigaction(SIGPIPE, &old, NULL);
}

// Hands over the messages that are complete. False when the handler had enough.
static bool handle_messages(struct generator *generator, struct messages *messages,
                            generator_message_handler *handle, void *context)
{
    struct reader reader = reader_make(messages->waiting.data, messages->waiting.size);
    size_t handled = 0;
    bool more = true;
    while (more) {
        const uint32_t tag = reader_u32(&reader);
        size_t size = 0;
        const unsigned char *payload = reader_sized(&reader, &size);
        if (reader.failed) {
            break;
        }
        handled = reader.at;
        if (tag == PROBE_HELLO) {
            char *text = mem_strndup((const char *)payload, size);
            generator->probe_child = (pid_t)strtol(text, NULL, 10);
            free(text);
        } else {
            more = handle(context, tag, payload, size);
        }
        if (tag == PROBE_END) {
            say(generator, PROBE_GO); // it waits for us
        }
    }
    if (handled > 0) {
        memmove(messages->waiting.data, messages->waiting.data + handled,
                messages->waiting.size - handled);
        messages->waiting.size -= handled;
    }
    return more;
}

enum report_end generator_read_report(struct generator *generator, unsigned timeout_ms,
                                      generator_message_handler *handle, void *context)
{
    const int64_t deadline = os_monotonic_ns() + (int64_t)timeout_ms * 1000000;
    bool spoke = false;
    bool more = true;
    while (more && generator->report.fd >= 0) {
        const int64_t left_ms = (deadline - os_monotonic_ns()) / 1000000;
        if (left_ms <= 0) {
            if (generator->probe_child > 0) {
                (void)kill(generator->probe_child, SIGKILL);
            }
            return REPORT_TIMEOUT;
        }
        (void)read_some(generator, &generator->report,
                        left_ms > INT_MAX ? INT_MAX : (int)left_ms);
        spoke = spoke || generator->report.waiting.size > 0;
        more = handle_messages(generator, &generator->report, handle, context);
    }
    return spoke ? REPORT_COMPLETE : REPORT_MISSING;
}

bool generator_runs(const struct generator *generator, const char *program)
{
    char *running = mem_printf("/proc/%ld/exe", (long)generator->process);
    struct stat then;
    struct stat now;
    const bool known = stat(running, &then) == 0 && stat(program, &now) == 0;
    free(running);
    return !known || (then.st_dev == now.st_dev && then.st_ino == now.st_ino);
}

void generator_answer(struct generator *generator, enum generator_answer answer)
{
    if (answer != ANSWER_STOP) {
        generator_pass_output(generator);
    }
    static const char words[] = {
        [ANSWER_STOP] = PROBE_STOP,
        [ANSWER_GO] = PROBE_GO,
        [ANSWER_GO_CONFIRM] = PROBE_CONFIRM,
    };
    say(generator, words[answer]);
    close_fd(&generator->report.fd);
    if (answer != ANSWER_GO_CONFIRM) {
        close_fd(&generator->talk.fd);
    }
}

// ---- End ----------------------------------------------------------------------------

struct exit_status generator_finish(struct generator *generator,
                                    generator_message_handler *handle, void *context)
{
    bool more = handle != NULL;
    if (!more) {
        close_fd(&generator->talk.fd); // it must not wait for an answer
    }
    // Both streams end with the process, unless it left another one behind that has them.
    while (generator->out.fd >= 0 || generator->err.fd >= 0 ||
           (more && generator->talk.fd >= 0)) {
        const bool ended = has_ended(generator);
        const bool read_any = read_some(generator, more ? &generator->talk : NULL,
                                        ended ? 0 : EXIT_CHECK_MS);
        if (more && !handle_messages(generator, &generator->talk, handle, context)) {
            // Who is not listened to must not wait for an answer.
            more = false;
            close_fd(&generator->talk.fd);
        }
        if (ended && !read_any) {
            break;
        }
    }
    while (!generator->ended) {
        if (waitpid(generator->process, &generator->wait_status, 0) >= 0) {
            generator->ended = true;
        } else if (errno != EINTR) {
            return (struct exit_status){.code = 1};
        }
    }
    signalled_process = 0;
    const int status = generator->wait_status;
    return WIFSIGNALED(status) ? (struct exit_status){.signal = WTERMSIG(status)}
                               : (struct exit_status){.code = WEXITSTATUS(status)};
}

bool generator_output(struct generator *generator, bool *joined,
                      const struct buffer **out, const struct buffer **err)
{
    while ((generator->out.fd >= 0 || generator->err.fd >= 0) &&
           read_some(generator, NULL, 0)) {
    }
    *joined = generator->joined;
    *out = &generator->out.kept;
    *err = &generator->err.kept;
    return !generator->out.too_much && !generator->err.too_much;
}

void generator_free(struct generator *generator)
{
    if (generator != NULL) {
        close_fd(&generator->out.fd);
        close_fd(&generator->err.fd);
        close_fd(&generator->report.fd);
        close_fd(&generator->talk.fd);
        buffer_release(&generator->out.kept);
        buffer_release(&generator->err.kept);
        buffer_release(&generator->report.waiting);
        buffer_release(&generator->talk.waiting);
        free(generator);
    }
}

_Noreturn void exit_like(struct exit_status status)
{
    if (status.signal != 0) {
        const struct rlimit no_core = {0, 0}; // the generator left one if it should
        (void)setrlimit(RLIMIT_CORE, &no_core);
        struct sigaction action = {.sa_handler = SIG_DFL};
        (void)sigaction(status.signal, &action, NULL);
        (void)raise(status.signal);
    }
    _exit(status.signal != 0 ? 128 + status.signal : status.code);
}
