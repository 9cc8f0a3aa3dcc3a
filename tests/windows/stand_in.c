// SPDX-License-Identifier: MIT
// What `halide-cache run` starts in the tests on Windows, in the place of a generator. It
// tells what it was given, one thing per line:
//
//   argument <text>        each one, as UTF-8
//   variable <name=value>  those that begin with HL_ or HALIDE_
//   input <text>           standard input
//
// "--status=N" is its exit status, "--error=TEXT" goes to standard error, "--wait" makes
// it wait to be ended.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <shellapi.h> // needs windows.h

static void print(const char *what, const wchar_t *text)
{
    char narrow[4096];
    if (WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, sizeof narrow, NULL, NULL) >
        0) {
        (void)printf("%s %s\n", what, narrow);
    }
}

static void print_variables(void)
{
    wchar_t *all = GetEnvironmentStringsW();
    for (const wchar_t *at = all; at != NULL && *at != L'\0'; at += wcslen(at) + 1) {
        if (_wcsnicmp(at, L"HL_", 3) == 0 || _wcsnicmp(at, L"HALIDE_", 7) == 0) {
            print("variable", at);
        }
    }
    (void)FreeEnvironmentStringsW(all);
}

static void print_input(void)
{
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL) {
        (void)printf("input %s\n", strtok(line, "\r\n"));
    }
}

int main(void)
{
    int count = 0;
    unsigned long status = 0;
    bool waits = false;
    wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
    for (int i = 1; i < count; i++) {
        print("argument", arguments[i]);
        if (wcsncmp(arguments[i], L"--status=", 9) == 0) {
            status = wcstoul(arguments[i] + 9, NULL, 0);
        } else if (wcsncmp(arguments[i], L"--error=", 8) == 0) {
            (void)fprintf(stderr, "%ls\n", arguments[i] + 8);
        }
        waits = waits || wcscmp(arguments[i], L"--wait") == 0;
    }
    print_variables();
    print_input();
    (void)fflush(stdout);
    if (waits) {
        Sleep(INFINITE);
    }
    ExitProcess(status);
}
