// SPDX-License-Identifier: MIT
// What differs from run to run, from process to process and from machine to machine. It
// counts when the generator's own code asks; see callers.h.
//
// The C++ library's functions are here because code that uses clocks and random numbers
// by way of them is not seen to call libc: the C++ library does that.

#include "before.h"
#include "records.h"

#include <features.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLOCK(symbol) BEFORE(symbol, before_note_opaque, FROM_OWN, "reads a clock")
#define RANDOM(symbol)                                                                   \
    BEFORE(symbol, before_note_opaque, FROM_OWN, "reads random numbers")
#define PROCESS(symbol)                                                                  \
    BEFORE(symbol, before_note_opaque, FROM_OWN, "asks about the process")
#define MACHINE(symbol)                                                                  \
    BEFORE(symbol, before_note_opaque, FROM_OWN, "asks about the machine")

CLOCK(time);
CLOCK(gettimeofday);
CLOCK(__gettimeofday);
CLOCK(clock_gettime);
CLOCK(clock);
CLOCK(times);
CLOCK(ftime);
CLOCK(getdate);
CLOCK(getdate_r);
CLOCK(timespec_get);
CLOCK(getrusage);
CLOCK(ntp_gettime);
CLOCK(ntp_gettimex);
CLOCK(adjtimex);
CLOCK(alarm);
CLOCK(ualarm);
CLOCK(getitimer);
CLOCK(setitimer);
CLOCK(timer_create);
CLOCK(timer_gettime);
CLOCK(timerfd_create);
CLOCK(timerfd_gettime);
CLOCK(_ZNSt6chrono3_V212system_clock3nowEv);
CLOCK(_ZNSt6chrono3_V212steady_clock3nowEv);
CLOCK(_ZNSt6chrono12system_clock3nowEv);
CLOCK(_ZNSt6chrono12steady_clock3nowEv);
// libc++
CLOCK(_ZNSt3__16chrono12system_clock3nowEv);
CLOCK(_ZNSt3__16chrono12steady_clock3nowEv);

#if __GLIBC_PREREQ(2, 25)
RANDOM(getrandom);
RANDOM(getentropy);
#endif
#if __GLIBC_PREREQ(2, 36)
RANDOM(arc4random);
RANDOM(arc4random_buf);
RANDOM(arc4random_uniform);
#endif
RANDOM(mktemp);
RANDOM(tmpnam);
RANDOM(tmpnam_r);
RANDOM(tempnam);
// std::random_device: _M_init in both string ABIs and with a C string, _M_init_pretr1,
// _M_getval, _M_getval_pretr1
RANDOM(
    _ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE);
RANDOM(_ZNSt13random_device7_M_initERKSs);
RANDOM(_ZNSt13random_device7_M_initEPKcm);
RANDOM(
    _ZNSt13random_device14_M_init_pretr1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE);
RANDOM(_ZNSt13random_device14_M_init_pretr1ERKSs);
RANDOM(_ZNSt13random_device9_M_getvalEv);
RANDOM(_ZNSt13random_device16_M_getval_pretr1Ev);
// libc++
RANDOM(_ZNSt3__113random_deviceclEv);

PROCESS(getpid);
PROCESS(__getpid);
PROCESS(getppid);
PROCESS(getpgid);
PROCESS(__getpgid);
PROCESS(getpgrp);
PROCESS(getsid);
#if __GLIBC_PREREQ(2, 30)
PROCESS(gettid);
#endif
PROCESS(getuid);
PROCESS(geteuid);
PROCESS(getgid);
PROCESS(getegid);
PROCESS(getresuid);
PROCESS(getresgid);
PROCESS(getgroups);
PROCESS(__getgroups_chk);
PROCESS(umask);
PROCESS(getrlimit);
PROCESS(getrlimit64);
PROCESS(prlimit);
PROCESS(prlimit64);
PROCESS(getdtablesize);
PROCESS(getpriority);
PROCESS(getauxval);
PROCESS(isatty);
PROCESS(ioctl);
PROCESS(tcgetattr);
PROCESS(getlogin);
PROCESS(getlogin_r);
PROCESS(__getlogin_r_chk);
PROCESS(ttyname);
PROCESS(ttyname_r);
PROCESS(__ttyname_r_chk);

MACHINE(gethostname);
MACHINE(__gethostname_chk);
MACHINE(getdomainname);
MACHINE(__getdomainname_chk);
MACHINE(gethostid);
MACHINE(uname);
MACHINE(sysinfo);
MACHINE(get_nprocs);
MACHINE(get_nprocs_conf);
MACHINE(get_phys_pages);
MACHINE(get_avphys_pages);
MACHINE(getloadavg);
MACHINE(sched_getaffinity);
MACHINE(pthread_getaffinity_np);
MACHINE(sched_getcpu);
#if __GLIBC_PREREQ(2, 29)
MACHINE(getcpu);
#endif
MACHINE(statfs);
MACHINE(statfs64);
MACHINE(__statfs);
MACHINE(fstatfs);
MACHINE(fstatfs64);
MACHINE(_ZNSt6thread20hardware_concurrencyEv);
// libc++
MACHINE(_ZNSt3__16thread20hardware_concurrencyEv);

// std::filesystem::space calls it from the C++ library. Halide does not.
BEFORE(statvfs, before_note_opaque, FROM_OWN | FROM_SYSTEM, "asks about the machine");
BEFORE(statvfs64, before_note_opaque, FROM_OWN | FROM_SYSTEM, "asks about the machine");
BEFORE(fstatvfs, before_note_opaque, FROM_OWN, "asks about the machine");
BEFORE(fstatvfs64, before_note_opaque, FROM_OWN, "asks about the machine");

static void note_sysconf(const struct before *before, const uintptr_t *arguments,
                         const struct caller *caller)
{
    switch ((int)arguments[0]) {
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN:
    case _SC_PHYS_PAGES:
    case _SC_AVPHYS_PAGES:
    case _SC_OPEN_MAX:
    case _SC_CHILD_MAX:
    case _SC_ARG_MAX:
        before_note_opaque(before, arguments, caller);
        break;
    default: // constants of the system
        break;
    }
}

BEFORE(sysconf, note_sysconf, FROM_OWN, "asks about the machine");
BEFORE(__sysconf, note_sysconf, FROM_OWN, "asks about the machine");

// C++20's atomics wait by futex, from code that is compiled into the program.
static void note_syscall(const struct before *before, const uintptr_t *arguments,
                         const struct caller *caller)
{
    if ((long)arguments[0] != SYS_futex) {
        before_note_opaque(before, arguments, caller);
    }
}

BEFORE(syscall, note_syscall, FROM_OWN, "calls the system directly");
