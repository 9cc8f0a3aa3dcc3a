// SPDX-License-Identifier: MIT
//
// The probe: a plugin that Halide loads into a generator before it does anything else,
// and that finds out, in a forked copy of the process, what the generator is going to
// compile.
//
//   probe.cpp         this file: the order of events
//   channel.cpp       the pipes to the helper
//   sandbox.cpp       what the copy may do
//   fingerprint.cpp   what the generator builds, as fields of the key
//   confirmation.cpp  the same again, while it is compiled
//   shape.cpp         a pipeline without its made-up names
//   process_state.cpp what else of the process Halide looks at
//   name_counters.cpp what made-up names depend on
//   loaded_*.cpp      what the loader has loaded
//   binaries.cpp      which of it counts
//
// All but the confirmation happens in a static initializer, while load_plugin runs;
// nothing here may throw out of it, print, or change what the process goes on to do.

#include "../tracer/trace.h"
#include "binaries.h"
#include "channel.h"
#include "confirmation.h"
#include "fingerprint.h"
#include "process_state.h"
#include "sandbox.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace halidecache {

namespace {

int wait_for(pid_t child)
{
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

// Registering an autoscheduler to see whether its name is taken must not happen in the
// copy that loads the plugins, so it takes a copy of its own.
bool is_own_autoscheduler(const std::string &name, const Messages &report)
{
    const pid_t copy = fork();
    if (copy == 0) {
        // Halide's complaint is for nobody.
        enter_sandbox(report.descriptor(), open_printed());
        _exit(has_own_autoscheduler(name) ? 1 : 0);
    }
    return copy < 0 || wait_for(copy) != 0;
}

// What the tracer saw, where one was preloaded.
void report_trace(const Messages &report)
{
    const auto take =
        reinterpret_cast<trace_take_function *>(dlsym(RTLD_DEFAULT, TRACE_TAKE));
    if (take != nullptr) {
        const void *records = nullptr;
        size_t size = 0;
        take(&records, &size);
        report.send(PROBE_TRACE, std::string(static_cast<const char *>(records), size));
    }
}

// What the child finds out for its parent.
struct Findings {
    NameCounters *name_counters = nullptr;
};

// In memory that both have. Null when there is none to be had.
Findings *share_findings()
{
    void *shared = mmap(nullptr, sizeof(Findings), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared != MAP_FAILED ? new (shared) Findings : nullptr;
}

Findings take_findings(Findings *shared)
{
    const Findings findings = *shared;
    munmap(shared, sizeof(Findings));
    return findings;
}

// Where the child's last words go, from the moment on when it has any.
Messages last_words;

// Halide's autoschedulers then draw weights by the time, which no key has.
const char kRandomWeights[] = "HL_RANDOMIZE_WEIGHTS";

bool draws_weights()
{
    const char *value = getenv(kRandomWeights);
    return value != nullptr && value[0] != '\0' && strcmp(value, "0") != 0;
}

// Reports all but the end. False after a bypass message.
bool report_everything(const Request &request, const Binaries &at_start, bool schedules,
                       bool own_autoscheduler, const Printed &printed,
                       const Messages &report, Findings *findings)
{
    load_plugins(request);
    if (request.runtime) {
        report_runtime(request, report);
    } else {
        bool chooses_autoscheduler = false;
        if (!report_pipelines(request, report, &chooses_autoscheduler)) {
            return false;
        }
        findings->name_counters = find_name_counters(at_start.zeroed_memory_of_halide());
        report.send_field(PROBE_FIELD, "name counters",
                          describe_name_counters(findings->name_counters));
        schedules |= chooses_autoscheduler;
        own_autoscheduler |= chooses_autoscheduler;
    }
    if (own_autoscheduler) {
        report.send(PROBE_OWN_AUTOSCHEDULER, "");
    }
    const std::set<std::string> files = at_start.files();
    const Binaries now;
    if (schedules && now.autoschedulers_may_look_around(files, own_autoscheduler)) {
        report.send_bypass(BYPASS_AUTOSCHEDULER, "");
        return false;
    }
    if (schedules && draws_weights()) {
        report.send_bypass(BYPASS_NONDETERMINISTIC, kRandomWeights);
        return false;
    }
    const std::string replaced = now.find_replaced();
    if (!replaced.empty()) {
        report.send_bypass(BYPASS_UNKNOWN_IDENTITY, replaced + " was replaced meanwhile");
        return false;
    }
    now.report(files, own_autoscheduler, report);
    if (!request.runtime && !has_usual_reports(printed)) {
        report.send_bypass(BYPASS_SIDE_EFFECTS, "it reports warnings in its own way");
        return false;
    }
    return true;
}

// The child: builds, reports, and ends as the generator would. What the generator does at
// its end, in destructors of static objects and the like, a hit leaves out: it has to be
// nothing that anybody would miss.
[[noreturn]] void report_and_exit(const Request &request, const Binaries &at_start,
                                  const Printed &printed, const Messages &report,
                                  Findings *findings)
{
    // Whatever happens: a copy must not go on as the generator.
    try {
        report.send(PROBE_HELLO, std::to_string(getpid()));
        const auto scheduler = std::find_if(
            request.params.begin(), request.params.end(),
            [](const auto &param) { return param.first == "autoscheduler"; });
        const bool schedules = scheduler != request.params.end();
        const bool own = schedules && is_own_autoscheduler(scheduler->second, report);
        enter_sandbox(report.descriptor(), printed);
        if (report_everything(request, at_start, schedules, own, printed, report,
                              findings)) {
            report.send(PROBE_DONE, "");
            last_words = report;
            flush_streams();
            exit(0);
        }
    } catch (...) {
        report.send_bypass(BYPASS_BUILD_FAILED, describe_current_exception());
    }
    _exit(1);
}

// Before the destructors of Halide, which the probe needs. There are thousands of them,
// LLVM's among them, and none does anything that is seen outside.
__attribute__((destructor)) void speak_last()
{
    if (last_words.descriptor() >= 0) {
        flush_streams();
        report_trace(last_words);
        if (Binaries().only_halide_is_left()) {
            _exit(0);
        }
    }
}

// The parent ends the report of a child that got to its end. What the generator prints is
// replayed on a hit, so it has to be in the key.
void end_report(pid_t child, const Printed &printed, const Messages &report)
{
    // A helper that has heard enough has closed the pipe.
    struct sigaction ignore = {};
    struct sigaction usual = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &usual);
    const int status = wait_for(child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
        report.send_bypass(BYPASS_SIDE_EFFECTS, "it does what a copy of it must not");
    } else if (status != 0) {
        // It has told why, or was killed.
    } else if (has_taken_bait(printed)) {
        report.send_bypass(BYPASS_SIDE_EFFECTS, "it reads its standard input");
    } else {
        report.send_field(PROBE_FIELD, "printed", read_printed(printed.out));
        report.send_field(PROBE_FIELD, "printed errors", read_printed(printed.err));
        report.send(PROBE_ENDED, "");
    }
    sigaction(SIGPIPE, &usual, nullptr);
}

// The one connection of this process, for the handler that runs at its end.
Channel channel;

// main() is over. Handlers run in the reverse order of their registration, so this one,
// registered again after each build, comes before those of the generator.
void announce_end()
{
    static bool announced = false;
    if (!announced) {
        announced = true;
        fflush(nullptr);
        channel.talk().send(PROBE_END, "");
        (void)channel.wait_for_answer();
    }
}

void register_end()
{
    (void)std::atexit(announce_end);
}

// The arguments that main() has got, where that can be told.
char *const *arguments = nullptr;

#ifdef __GLIBC__
// glibc hands main()'s arguments to initializers, also to those of plugins. This one
// comes before all others of the probe.
__attribute__((constructor(101))) void note_arguments(int, char **argv)
{
    arguments = argv;
}
#endif

// Why there can be no child; true when there is no reason.
bool can_be_probed(const Binaries &binaries, const Messages &report)
{
    if (!binaries.program_uses_this_halide()) {
        report.send_bypass(BYPASS_NO_PROBE, "the generator holds a Halide of its own");
    } else if (arguments != nullptr && !channel.has_sent(arguments)) {
        report.send_bypass(BYPASS_OWN_MAIN, "its arguments change before main()");
    } else if (binaries.program_may_trace_pipelines()) {
        report.send_bypass(BYPASS_CUSTOM_LOWERING, "it may call trace_pipeline()");
    } else if (count_threads() > 1) {
        report.send_bypass(BYPASS_THREADS, "");
    } else if (shares_memory()) {
        report.send_bypass(BYPASS_SIDE_EFFECTS, "it shares memory with other processes");
    } else {
        return true;
    }
    return false;
}

// Forks the child and waits for its end. False when there was none; the helper has got
// the reason, and answers.
bool probe(const Request &request, Findings *findings)
{
    const Messages report = channel.report();
    const Binaries binaries;
    if (!can_be_probed(binaries, report)) {
        return false;
    }
    Findings *shared = share_findings();
    Printed printed = open_printed();
    const pid_t child = fork();
    if (child == 0) {
        report_and_exit(request, binaries, printed, report,
                        shared != nullptr ? shared : findings);
    }
    if (child > 0) {
        end_report(child, printed, report);
    } else {
        report.send_bypass(BYPASS_NO_PROBE, "the generator cannot be copied");
    }
    close_printed(&printed);
    if (shared != nullptr) {
        *findings = take_findings(shared);
    }
    return child > 0;
}

void run()
{
    Request request;
    if (!channel.open()) {
        return;
    }
    if (!channel.read_request(&request)) {
        channel.report().send_bypass(BYPASS_NO_PROBE, "the helper is of another version");
        channel.close_report();
        return;
    }
    request.variables_at_start = environment_variables();
    Findings findings;
    const bool probed = probe(request, &findings);
    channel.close_report();
    const char answer = channel.wait_for_answer();
    if (answer == PROBE_STOP) {
        _exit(0);
    }
    if (probed && answer == PROBE_CONFIRM) {
        register_end();
        Confirmation confirmation;
        confirmation.request = request;
        confirmation.talk = channel.talk();
        confirmation.name_counters = findings.name_counters;
        confirmation.after_build = register_end;
        confirm_pipelines(confirmation);
    }
}

struct Start {
    Start()
    {
        try {
            run();
        } catch (...) { // out of memory: the helper sees its ends close
        }
    }
};
const Start start;

} // namespace

} // namespace halidecache
