// SPDX-License-Identifier: MIT

#include "sandbox.h"

#include "../bypass.h"
#include "protocol.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <dirent.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// Numbers of calls that are younger than some C libraries; they are the same on all
// machines.
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#endif

namespace halidecache {

namespace {

int open_memory()
{
#ifdef __linux__
    return memfd_create("halide-cache-printed", MFD_CLOEXEC);
#else
    FILE *file = tmpfile();
    return file != nullptr ? fileno(file) : -1;
#endif
}

// A pipe with one byte in it, and no more to come.
int make_bait()
{
    int ends[2] = {-1, -1};
    if (pipe(ends) == 0) {
        if (write(ends[1], "", 1) != 1) {
            close(ends[0]);
            ends[0] = -1;
        }
        close(ends[1]);
    }
    return ends[0];
}

void replace(int fd, int by)
{
    if (by < 0 || dup2(by, fd) < 0) {
        close(fd);
    }
}

#ifdef __linux__

// The same file at the same place, with a position of its own from here on.
void reopen(int fd)
{
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    const off_t position = lseek(fd, 0, SEEK_CUR);
    const int again =
        open(path.c_str(), fcntl(fd, F_GETFL) & ~(O_CREAT | O_EXCL | O_TRUNC));
    if (again >= 0) {
        lseek(again, position, SEEK_SET);
    }
    replace(fd, again);
    close(again);
}

// After a fork both processes have one position in each file, and what one takes from a
// pipe the other does not get: a generator that opened its table in a static initializer
// would find it read to its end.
void keep_own_positions(int report, const Printed &printed)
{
    DIR *directory = opendir("/proc/self/fd");
    while (const dirent *entry = directory != nullptr ? readdir(directory) : nullptr) {
        const int fd = atoi(entry->d_name);
        struct stat status;
        if (entry->d_name[0] == '.' || fd == 1 || fd == 2 || fd == report ||
            fd == printed.out || fd == printed.err || fd == printed.bait ||
            fd == dirfd(directory) || fstat(fd, &status) != 0) {
            continue;
        }
        if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) {
            reopen(fd);
        } else if (!S_ISCHR(status.st_mode) || isatty(fd)) {
            replace(fd, printed.bait);
        }
    }
    if (directory != nullptr) {
        closedir(directory);
    }
}

// For the signal handler, which has no other way to it. Written once, before the handler
// is installed.
int report_for_handler = -1;

// The start of a message, as in protocol.h, made without allocating.
[[noreturn]] void leave_with(bypass_reason reason, const char *text)
{
    unsigned char message[128] = {0};
    const size_t length = strlen(text) < 100 ? strlen(text) : 100;
    message[0] = PROBE_BYPASS;
    message[4] = static_cast<unsigned char>(4 + length);
    message[12] = static_cast<unsigned char>(reason);
    memcpy(message + 16, text, length);
    if (write(report_for_handler, message, 16 + length) < 0) {
        _exit(2);
    }
    _exit(1);
}

const char *describe(int call)
{
    switch (call) {
    case SYS_execve:
    case SYS_execveat:
    case SYS_clone:
#ifdef SYS_fork
    case SYS_fork:
    case SYS_vfork:
#endif
        return "starts another process";
    case SYS_socket:
    case SYS_socketpair:
        return "opens a socket";
    case SYS_kill:
    case SYS_pidfd_send_signal:
    case SYS_rt_sigqueueinfo:
    case SYS_rt_tgsigqueueinfo:
    case SYS_ptrace:
        return "reaches for another process";
    default:
        return "writes, creates or changes a file";
    }
}

void on_forbidden_call(int, siginfo_t *info, void *)
{
    leave_with(BYPASS_SIDE_EFFECTS, describe(info->si_syscall));
}

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;
#endif

constexpr unsigned kNumber = offsetof(struct seccomp_data, nr);

constexpr unsigned argument(unsigned index)
{
    // The low half, on the little-endian machines that kArchitecture knows.
    return static_cast<unsigned>(offsetof(struct seccomp_data, args)) + 8 * index;
}

// Assembles the filter. Every rule loads what it needs and falls through when it does
// not apply.
class Filter {
public:
    Filter()
    {
        add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
        jump(BPF_JEQ, kArchitecture, 1, 0);
        add(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    void refuse(int call, int error)
    {
        add(BPF_LD | BPF_W | BPF_ABS, kNumber);
        jump(BPF_JEQ, static_cast<unsigned>(call), 0, 1);
        add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error));
    }
    void forbid_if_any(int call, unsigned index, unsigned bits)
    {
        add(BPF_LD | BPF_W | BPF_ABS, kNumber);
        jump(BPF_JEQ, static_cast<unsigned>(call), 0, 3);
        add(BPF_LD | BPF_W | BPF_ABS, argument(index));
        jump(BPF_JSET, bits, 0, 1);
        add(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    void forbid_unless_any(int call, unsigned index, unsigned bits)
    {
        add(BPF_LD | BPF_W | BPF_ABS, kNumber);
        jump(BPF_JEQ, static_cast<unsigned>(call), 0, 3);
        add(BPF_LD | BPF_W | BPF_ABS, argument(index));
        jump(BPF_JSET, bits, 1, 0);
        add(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    // Standard output and error are memory by now.
    void forbid_unless_report(int call, int report)
    {
        add(BPF_LD | BPF_W | BPF_ABS, kNumber);
        jump(BPF_JEQ, static_cast<unsigned>(call), 0, 5);
        add(BPF_LD | BPF_W | BPF_ABS, argument(0));
        jump(BPF_JEQ, static_cast<unsigned>(report), 3, 0);
        jump(BPF_JEQ, 1, 2, 0);
        jump(BPF_JEQ, 2, 1, 0);
        add(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    // The last of the rules: whatever their arguments are. One look at the number for all
    // of them, because the kernel compiles the filter each time.
    void forbid_all(std::initializer_list<int> calls)
    {
        add(BPF_LD | BPF_W | BPF_ABS, kNumber);
        auto to_trap = static_cast<unsigned char>(calls.size());
        for (const int call : calls) {
            jump(BPF_JEQ, static_cast<unsigned>(call), to_trap--, 0);
        }
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        add(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    bool install()
    {
        struct sock_fprog program = {static_cast<unsigned short>(size_), code_};
        return size_ < kSize && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    }

private:
    static constexpr size_t kSize = 400;
    struct sock_filter code_[kSize];
    size_t size_ = 0;

    void add(int code, unsigned value)
    {
        if (size_ < kSize) {
            code_[size_++] = {static_cast<unsigned short>(code), 0, 0, value};
        }
    }
    void jump(int test, unsigned value, unsigned char if_true, unsigned char if_false)
    {
        if (size_ < kSize) {
            code_[size_++] = {static_cast<unsigned short>(BPF_JMP | test | BPF_K),
                              if_true, if_false, value};
        }
    }
};

void filter_system_calls(int report)
{
    constexpr unsigned kChangesFile = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    Filter filter;
    for (const int call : {SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev, SYS_pwritev2,
                           SYS_sendto, SYS_sendmsg}) {
        filter.forbid_unless_report(call, report);
    }
    filter.forbid_if_any(SYS_openat, 2, kChangesFile);
#ifdef SYS_open
    filter.forbid_if_any(SYS_open, 1, kChangesFile);
#endif
    // glibc starts threads by clone when there is no clone3, whose flags a filter cannot
    // see.
    filter.refuse(SYS_clone3, ENOSYS);
    filter.forbid_unless_any(SYS_clone, 0, CLONE_THREAD);
    filter.refuse(SYS_openat2, ENOSYS);
    filter.forbid_all({
#ifdef SYS_open
        SYS_creat,
#endif
#ifdef SYS_fork
        SYS_fork,
        SYS_vfork,
        SYS_unlink,
        SYS_rename,
        SYS_mkdir,
        SYS_rmdir,
        SYS_link,
        SYS_symlink,
        SYS_mknod,
        SYS_chmod,
        SYS_chown,
        SYS_lchown,
        SYS_utime,
        SYS_utimes,
        SYS_futimesat,
#endif
#ifdef SYS_renameat
        SYS_renameat,
#endif
        SYS_unlinkat,
        SYS_renameat2,
        SYS_mkdirat,
        SYS_linkat,
        SYS_symlinkat,
        SYS_mknodat,
        SYS_fchmod,
        SYS_fchmodat,
        SYS_fchown,
        SYS_fchownat,
        SYS_utimensat,
        SYS_truncate,
        SYS_ftruncate,
        SYS_fallocate,
        SYS_setxattr,
        SYS_lsetxattr,
        SYS_fsetxattr,
        SYS_sendfile,
        SYS_removexattr,
        SYS_lremovexattr,
        SYS_fremovexattr,
        SYS_fchmodat2,
        SYS_rt_sigqueueinfo,
        SYS_rt_tgsigqueueinfo,
        SYS_pidfd_send_signal,
        SYS_splice,
        SYS_copy_file_range,
        SYS_execve,
        SYS_execveat,
        SYS_socket,
        SYS_socketpair,
        SYS_kill,
        SYS_ptrace,
        SYS_process_vm_writev,
        SYS_io_uring_setup,
        SYS_mq_open,
        SYS_shmget,
        SYS_msgget,
        SYS_semget});
    // Without a filter (a kernel without seccomp) the child still is only a copy.
    (void)filter.install();
}

#endif // __linux__

} // namespace

int count_threads()
{
    int count = 0;
#ifdef __linux__
    DIR *tasks = opendir("/proc/self/task");
    if (tasks != nullptr) {
        while (const dirent *entry = readdir(tasks)) {
            count += entry->d_name[0] != '.' ? 1 : 0;
        }
        closedir(tasks);
    }
#endif
    return count == 0 ? 1 : count;
}

bool shares_memory()
{
    bool shares = false;
#ifdef __linux__
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4352];
    while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr) {
        // "<from>-<to> rw-s ..."
        const char *space = strchr(line, ' ');
        shares |= space != nullptr && space[2] == 'w' && space[4] == 's';
    }
    if (maps != nullptr) {
        fclose(maps);
    }
#endif
    return shares;
}

Printed open_printed()
{
    Printed printed;
    printed.out = open_memory();
    printed.err = open_memory();
    printed.bait = make_bait();
    return printed;
}

void close_printed(Printed *printed)
{
    for (const int fd : {printed->out, printed->err, printed->bait}) {
        if (fd >= 0) {
            close(fd);
        }
    }
    *printed = Printed();
}

void enter_sandbox(int report, const Printed &printed)
{
#ifdef __linux__
    keep_own_positions(report, printed);
#else
    replace(0, printed.bait);
#endif
    replace(1, printed.out);
    replace(2, printed.err);
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
#ifdef __linux__
    report_for_handler = report;
    struct sigaction action = {};
    action.sa_sigaction = on_forbidden_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSYS, &action, nullptr);
    if (kArchitecture != 0) {
        filter_system_calls(report);
    }
#else
    (void)report;
#endif
}

bool has_taken_bait(const Printed &printed)
{
    int left = 0;
    return printed.bait < 0 || ioctl(printed.bait, FIONREAD, &left) != 0 || left != 1;
}

std::string read_printed(int fd)
{
    std::string text;
    char piece[4096];
    off_t at = 0;
    for (ssize_t got = 0; (got = pread(fd, piece, sizeof piece, at)) > 0; at += got) {
        text.append(piece, static_cast<size_t>(got));
    }
    return text;
}

} // namespace halidecache
