// SPDX-License-Identifier: MIT
// What leads out of the process: other processes, the network, memory and devices that
// are shared, another current folder. None of it can be replayed, whoever does it.

#include "before.h"
#include "records.h"

#include <features.h>

#define STARTS(symbol) BEFORE(symbol, before_note_opaque, FROM_ALL, "starts a process")
#define NETWORK(symbol) BEFORE(symbol, before_note_opaque, FROM_ALL, "uses the network")
#define USERS(symbol) BEFORE(symbol, before_note_opaque, FROM_ALL, "looks up users")
#define SHARES(symbol)                                                                   \
    BEFORE(symbol, before_note_opaque, FROM_ALL, "shares with processes")
// Halide goes to the outputs' folder and back, to make libraries of them.
#define MOVES(symbol)                                                                    \
    BEFORE(symbol, before_note_opaque, FROM_OWN | FROM_SYSTEM | FROM_NOBODY,             \
           "changes its folder")
#define ATTRIBUTES(symbol)                                                               \
    BEFORE(symbol, before_note_opaque, FROM_ALL, "uses extended attributes")

STARTS(fork);
STARTS(__fork);
STARTS(vfork);
STARTS(__vfork);
STARTS(clone);
STARTS(__clone);
#if __GLIBC_PREREQ(2, 34)
STARTS(_Fork);
STARTS(execveat);
#endif
STARTS(execve);
STARTS(execv);
STARTS(execvp);
STARTS(execvpe);
STARTS(execl);
STARTS(execlp);
STARTS(execle);
STARTS(fexecve);
STARTS(posix_spawn);
STARTS(posix_spawnp);
#if __GLIBC_PREREQ(2, 39)
STARTS(pidfd_spawn);
STARTS(pidfd_spawnp);
#endif
STARTS(system);
STARTS(popen);
STARTS(_IO_popen);
STARTS(wordexp);
STARTS(daemon);
STARTS(forkpty);

NETWORK(socket);
NETWORK(socketpair);
NETWORK(connect);
NETWORK(__connect);
NETWORK(getaddrinfo);
NETWORK(getaddrinfo_a);
NETWORK(getnameinfo);
NETWORK(gethostbyname);
NETWORK(gethostbyname_r);
NETWORK(gethostbyname2);
NETWORK(gethostbyname2_r);
NETWORK(gethostbyaddr);
NETWORK(gethostbyaddr_r);
NETWORK(getservbyname);
NETWORK(getservbyname_r);
NETWORK(getprotobyname);
NETWORK(getprotobyname_r);
NETWORK(getifaddrs);
NETWORK(if_nameindex);

USERS(getpwnam);
USERS(getpwnam_r);
USERS(getpwuid);
USERS(getpwuid_r);
USERS(getpwent);
USERS(getgrnam);
USERS(getgrnam_r);
USERS(getgrgid);
USERS(getgrgid_r);
USERS(getgrent);
USERS(getgrouplist);

SHARES(shm_open);
SHARES(shm_unlink);
SHARES(sem_open);
SHARES(mq_open);
SHARES(shmget);
SHARES(semget);
SHARES(msgget);
SHARES(ptrace);
SHARES(process_vm_readv);
SHARES(process_vm_writev);
#if __GLIBC_PREREQ(2, 36)
SHARES(pidfd_open);
SHARES(pidfd_getfd);
#endif
SHARES(open_by_handle_at);
SHARES(name_to_handle_at);
SHARES(inotify_init);
SHARES(inotify_init1);
SHARES(posix_openpt);
SHARES(openpty);

MOVES(chdir);
MOVES(fchdir);
MOVES(chroot);
MOVES(unshare);
MOVES(setns);

ATTRIBUTES(getxattr);
ATTRIBUTES(lgetxattr);
ATTRIBUTES(fgetxattr);
ATTRIBUTES(listxattr);
ATTRIBUTES(llistxattr);
ATTRIBUTES(flistxattr);
ATTRIBUTES(setxattr);
ATTRIBUTES(lsetxattr);
ATTRIBUTES(fsetxattr);
ATTRIBUTES(removexattr);
ATTRIBUTES(lremovexattr);
ATTRIBUTES(fremovexattr);

BEFORE(kill, before_note_opaque, FROM_OWN, "signals a process");
BEFORE(killpg, before_note_opaque, FROM_OWN, "signals a process");
BEFORE(sigqueue, before_note_opaque, FROM_OWN, "signals a process");

// ---- Standard input -----------------------------------------------------------------

static void note_read(const struct before *before, const uintptr_t *arguments,
                      const struct caller *caller)
{
    if ((int)arguments[0] == 0) {
        before_note_opaque(before, arguments, caller);
    }
}

BEFORE(read, note_read, FROM_ALL, "reads standard input");
BEFORE(__read, note_read, FROM_ALL, "reads standard input");
BEFORE(__read_chk, note_read, FROM_ALL, "reads standard input");
BEFORE(readv, note_read, FROM_ALL, "reads standard input");
BEFORE(pread, note_read, FROM_ALL, "reads standard input");
BEFORE(pread64, note_read, FROM_ALL, "reads standard input");
BEFORE(preadv, note_read, FROM_ALL, "reads standard input");
BEFORE(preadv64, note_read, FROM_ALL, "reads standard input");
BEFORE(lseek, note_read, FROM_OWN, "asks about standard input");
BEFORE(lseek64, note_read, FROM_OWN, "asks about standard input");
