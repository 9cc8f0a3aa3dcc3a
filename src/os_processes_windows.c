// SPDX-License-Identifier: MIT
// os.h for Windows: processes.

#include "os.h"
#include "os_windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <shellapi.h> // needs windows.h

enum { READ_PIECE = 64 * 1024 };

// ---- This process -------------------------------------------------------------------

char **os_arguments(int *argc, char **argv)
{
    int count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    if (wide == NULL) {
        return argv; // out of memory; at least what is ASCII is right
    }
    char **arguments = mem_new((size_t)count + 1, sizeof *arguments);
    for (int i = 0; i < count; i++) {
        arguments[i] = windows_narrow(wide[i]);
    }
    (void)LocalFree(wide);
    *argc = count;
    return arguments;
}

static char **read_environment(void)
{
    wchar_t *all = GetEnvironmentStringsW();
    size_t count = 0;
    for (const wchar_t *at = all; at != NULL && *at != L'\0'; at += wcslen(at) + 1) {
        count++;
    }
    char **variables = mem_new(count + 1, sizeof *variables);
    const wchar_t *at = all;
    for (size_t i = 0; i < count; i++) {
        variables[i] = windows_narrow(at);
        at += wcslen(at) + 1;
    }
    if (all != NULL) {
        (void)FreeEnvironmentStringsW(all);
    }
    return variables;
}

char **os_environment(void)
{
    static char **variables; // of the process, as the C library's own
    if (variables == NULL) {
        variables = read_environment();
    }
    return variables;
}

bool os_variable_begins_with(const char *variable, const char *start)
{
    return _strnicmp(variable, start, strlen(start)) == 0;
}

const char *os_variable(const char *name)
{
    const size_t length = strlen(name);
    for (char **variable = os_environment(); *variable != NULL; variable++) {
        if (os_variable_begins_with(*variable, name) && (*variable)[length] == '=') {
            return *variable + length + 1;
        }
    }
    return NULL;
}

void os_open_missing_streams(void)
{
    // The C library keeps the three numbers, whether there is anything behind them or
    // not.
}

uint64_t os_session_id(void)
{
    TOKEN_STATISTICS statistics = {0};
    HANDLE token = NULL;
    DWORD size = 0;
    if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) {
        (void)GetTokenInformation(token, TokenStatistics, &statistics, sizeof statistics,
                                  &size);
        (void)CloseHandle(token);
    }
    const LUID logon = statistics.AuthenticationId;
    return (uint64_t)(uint32_t)logon.HighPart << 32 | logon.LowPart;
}

void os_describe_user(struct buffer *to)
{
    (void)to; // only direct mode asks, which is not to be had here
}

void os_describe_cpu(struct buffer *to)
{
    SYSTEM_INFO info;
    GetNativeSystemInfo(&info);
    buffer_append_u32(to, info.wProcessorArchitecture);
    buffer_append_u32(to, info.wProcessorLevel);
    buffer_append_u32(to, info.wProcessorRevision);
}

// ---- Command lines ------------------------------------------------------------------

// So that CommandLineToArgvW, and the C library of the program, read the same argument:
// backslashes are ordinary, but in front of a quote, where two mean one.
static void append_argument(struct buffer *line, const char *argument)
{
    if (argument[0] != '\0' && strpbrk(argument, " \t\n\v\"") == NULL) {
        buffer_append_string(line, argument);
        return;
    }
    size_t backslashes = 0;
    buffer_append_u8(line, '"');
    for (; *argument != '\0'; argument++) {
        backslashes = *argument == '\\' ? backslashes + 1 : backslashes;
        if (*argument == '"') {
            for (size_t i = 0; i <= backslashes; i++) {
                buffer_append_u8(line, '\\');
            }
        }
        backslashes = *argument == '\\' ? backslashes : 0;
        buffer_append_u8(line, (uint8_t)*argument);
    }
    for (; backslashes > 0; backslashes--) {
        buffer_append_u8(line, '\\');
    }
    buffer_append_u8(line, '"');
}

static wchar_t *command_line(char *const argv[])
{
    struct buffer line = {0};
    // The name of the program is read by other rules: up to the next quote, as it is.
    const bool quote = argv[0][0] == '\0' || strpbrk(argv[0], " \t") != NULL;
    buffer_append_string(&line, quote ? "\"" : "");
    buffer_append_string(&line, argv[0]);
    buffer_append_string(&line, quote ? "\"" : "");
    for (size_t i = 1; argv[i] != NULL; i++) {
        buffer_append_u8(&line, ' ');
        append_argument(&line, argv[i]);
    }
    buffer_append_u8(&line, '\0');
    wchar_t *wide = windows_wide((const char *)line.data);
    buffer_release(&line);
    return wide;
}

static void append_variable(struct buffer *block, const char *variable)
{
    wchar_t *wide = windows_wide(variable);
    if (wide != NULL) {
        buffer_append(block, wide, (wcslen(wide) + 1) * sizeof *wide);
    }
    free(wide);
}

// The environment as it is now, for CreateProcessW, with one "NAME=value" more if that is
// not NULL.
static void make_environment(struct buffer *block, const char *added)
{
    static const wchar_t end[2] = {0}; // two, where there is no variable
    char *name = added == NULL ? NULL : mem_strndup(added, strcspn(added, "=") + 1);
    for (char **variable = os_environment(); *variable != NULL; variable++) {
        if (name == NULL || !os_variable_begins_with(*variable, name)) {
            append_variable(block, *variable);
        }
    }
    if (added != NULL) {
        append_variable(block, added);
    }
    buffer_append(block, end, sizeof end);
    free(name);
}

// ---- Starting programs --------------------------------------------------------------

// Starts a program with these standard streams; it does not run yet. False with errno.
static bool start(char *const argv[], const char *variable, const HANDLE streams[3],
                  PROCESS_INFORMATION *process)
{
    STARTUPINFOW startup = {.cb = sizeof startup,
                            .dwFlags = STARTF_USESTDHANDLES,
                            .hStdInput = streams[0],
                            .hStdOutput = streams[1],
                            .hStdError = streams[2]};
    for (int i = 0; i < 3; i++) {
        // One that is missing stays missing.
        (void)SetHandleInformation(streams[i], HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    }
    char *program = os_find_program(argv[0]);
    if (program == NULL) {
        errno = ENOENT;
        return false;
    }
    wchar_t *path = windows_path(program);
    wchar_t *line = path == NULL ? NULL : command_line(argv);
    struct buffer environment = {0};
    make_environment(&environment, variable);
    const bool ok =
        line != NULL && (CreateProcessW(path, line, NULL, NULL, TRUE,
                                        CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT,
                                        environment.data, NULL, &startup, process) ||
                         windows_failed());
    const int saved = errno;
    buffer_release(&environment);
    free(line);
    free(path);
    free(program);
    errno = saved;
    return ok;
}

// Waits for a process that has been started, and closes its handles.
static DWORD wait_for(PROCESS_INFORMATION *process)
{
    DWORD status = EXIT_FAILURE;
    (void)ResumeThread(process->hThread);
    if (WaitForSingleObject(process->hProcess, INFINITE) == WAIT_OBJECT_0) {
        (void)GetExitCodeProcess(process->hProcess, &status);
    }
    (void)CloseHandle(process->hThread);
    (void)CloseHandle(process->hProcess);
    return status;
}

// Whoever ends us means the program that we stand for, but not what it has started.
static void end_with_us(HANDLE process)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {
        .BasicLimitInformation.LimitFlags =
            JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK};
    HANDLE job = CreateJobObjectW(NULL, NULL); // closed by our end
    if (job != NULL && SetInformationJobObject(job, JobObjectExtendedLimitInformation,
                                               &limits, sizeof limits)) {
        (void)AssignProcessToJobObject(job, process);
    }
}

// Ctrl-C reaches every process of the console. The program decides what to do about it.
static BOOL WINAPI leave_it_to_the_program(DWORD event)
{
    (void)event;
    return TRUE;
}

void os_become(char *const argv[])
{
    PROCESS_INFORMATION process;
    const HANDLE streams[3] = {GetStdHandle(STD_INPUT_HANDLE),
                               GetStdHandle(STD_OUTPUT_HANDLE),
                               GetStdHandle(STD_ERROR_HANDLE)};
    (void)SetConsoleCtrlHandler(leave_it_to_the_program, TRUE);
    if (start(argv, NULL, streams, &process)) {
        end_with_us(process.hProcess);
        ExitProcess(wait_for(&process));
    }
}

bool os_run(char *const argv[], const char *variable, struct buffer *out,
            struct error *error)
{
    HANDLE from = INVALID_HANDLE_VALUE;
    HANDLE to = INVALID_HANDLE_VALUE;
    if (!CreatePipe(&from, &to, NULL, 0)) {
        (void)windows_failed();
        return error_set_errno(error, "cannot open a pipe");
    }
    HANDLE null = windows_open("NUL", GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING, 0);
    const HANDLE streams[3] = {null, to, null};
    PROCESS_INFORMATION process;
    const bool started = start(argv, variable, streams, &process);
    windows_close(to);
    windows_close(null);
    DWORD status = EXIT_FAILURE;
    if (started) {
        (void)ResumeThread(process.hThread);
        DWORD got = 0;
        while (ReadFile(from, buffer_reserve(out, READ_PIECE), READ_PIECE, &got, NULL)) {
            out->size += got;
        }
        status = wait_for(&process);
    }
    windows_close(from);
    return (started && status == 0) || error_set(error, "%s failed", argv[0]);
}
