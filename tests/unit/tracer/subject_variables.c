// SPDX-License-Identifier: MIT
// Acts with the environment, and with what differs from run to run and machine to
// machine.

#define _GNU_SOURCE

#include "subject.h"

#include <locale.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void act_getenv(void)
{
    const char *value = getenv("SET");
    CHECK(value != NULL && strcmp(value, "value") == 0);
    CHECK(getenv("UNSET") == NULL);
    CHECK(secure_getenv("SECURE") == NULL);
}

static void act_setenv(void)
{
    static char variable[] = "PUT=1";
    CHECK(setenv("NEW", "1", 1) == 0);
    CHECK(getenv("NEW") != NULL);
    CHECK(putenv(variable) == 0);
    CHECK(unsetenv("SET") == 0);
    CHECK(clearenv() == 0);
}

static void act_current_folder(void)
{
    char *path = getcwd(NULL, 0);
    CHECK(path != NULL);
    free(path);
}

static void act_current_folder_name(void)
{
    char *path = get_current_dir_name();
    CHECK(path != NULL);
    free(path);
}

static void act_locale(void)
{
    CHECK(setlocale(LC_ALL, NULL) != NULL);
    CHECK(setlocale(LC_ALL, "C") != NULL);
    CHECK(setlocale(LC_ALL, "") != NULL);
}

static void act_other_locale(void)
{
    (void)setlocale(LC_ALL, "xx_XX");
}

static void act_zone(void)
{
    const time_t then = 86400;
    CHECK(localtime(&then) != NULL);
    CHECK(gmtime(&then) != NULL);
}

static void act_clocks(void)
{
    struct timespec now;
    struct timeval today;
    CHECK(time(NULL) > 1000000);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    CHECK(gettimeofday(&today, NULL) == 0 && today.tv_sec > 1000000);
    CHECK(clock() >= 0);
    CHECK(timespec_get(&now, TIME_UTC) == TIME_UTC && now.tv_sec > 1000000);
}

static void act_random(void)
{
    char bytes[8] = "";
    CHECK(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
    CHECK(getentropy(bytes, sizeof bytes) == 0);
    srand(1);
    (void)rand(); // the same every time
}

static void act_identity(void)
{
    CHECK(getpid() > 1 && getppid() > 0);
    CHECK(getuid() == geteuid());
}

static void act_machine(void)
{
    struct utsname name;
    char host[256];
    CHECK(uname(&name) == 0 && strcmp(name.sysname, "Linux") == 0);
    CHECK(gethostname(host, sizeof host) == 0);
    CHECK(sysconf(_SC_NPROCESSORS_ONLN) > 0);
}

static void act_page_size(void)
{
    CHECK(sysconf(_SC_PAGESIZE) >= 4096);
}

static void act_users(void)
{
    CHECK(getpwuid(0) != NULL);
}

const struct act variable_acts[] = {
    {"getenv", act_getenv},
    {"setenv", act_setenv},
    {"current_folder", act_current_folder},
    {"current_folder_name", act_current_folder_name},
    {"locale", act_locale},
    {"other_locale", act_other_locale},
    {"zone", act_zone},
    {"clocks", act_clocks},
    {"random", act_random},
    {"identity", act_identity},
    {"machine", act_machine},
    {"page_size", act_page_size},
    {"users", act_users},
    {NULL, NULL},
};
