// SPDX-License-Identifier: MIT

#include "settings.h"

#include "buffer.h"
#include "os.h"

#include <limits.h>
#include <stdlib.h>

static const uint64_t default_max_size = (uint64_t)1 << 30;
enum { DEFAULT_TIMEOUT_S = 60, DEFAULT_WAIT_S = 120 };

// Digits up to the first character that is none, at least one; `*end` is behind them.
static bool parse_number(const char *text, uint64_t *number, const char **end)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *number = value;
    *end = at;
    return at != text;
}

bool settings_parse_size(const char *text, uint64_t *bytes)
{
    uint64_t number = 0;
    const char *end = NULL;
    if (!parse_number(text, &number, &end)) {
        return false;
    }
    unsigned shift = 0;
    switch (*end) {
    case '\0':
        *bytes = number;
        return true;
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'm':
    case 'M':
        shift = 20;
        break;
    case 'g':
    case 'G':
        shift = 30;
        break;
    default:
        return false;
    }
    if (end[1] != '\0' || number > UINT64_MAX >> shift) {
        return false;
    }
    *bytes = number << shift;
    return true;
}

bool settings_parse_seconds(const char *text, uint64_t *seconds)
{
    uint64_t number = 0;
    const char *end = NULL;
    if (!parse_number(text, &number, &end) || *end != '\0') {
        return false;
    }
    *seconds = number;
    return true;
}

// Seconds whose milliseconds fit.
static bool parse_wait(const char *text, uint64_t *seconds)
{
    uint64_t number = 0;
    if (!settings_parse_seconds(text, &number) || number > UINT_MAX / 1000) {
        return false;
    }
    *seconds = number;
    return true;
}

static bool parse_timeout(const char *text, uint64_t *seconds)
{
    uint64_t number = 0;
    if (!parse_wait(text, &number) || number == 0) {
        return false;
    }
    *seconds = number;
    return true;
}

struct variable {
    const char *name;
    bool (*parse)(const char *text, uint64_t *value);
    const char *accepted;
    const char *fallback; // what is used instead
};

static const struct variable max_size_variable = {
    "HL_CACHE_MAX_SIZE", settings_parse_size,
    "a number of bytes, or a number followed by K, M or G (powers of 1024)",
    "the default, 1G"};
static const struct variable max_age_variable = {
    "HL_CACHE_MAX_AGE", settings_parse_seconds, "a whole number of seconds",
    "the default, no limit"};
static const struct variable timeout_variable = {
    "HALIDE_CACHE_PROBE_TIMEOUT", parse_timeout,
    "a whole number of seconds from 1 to 4294967", "the default, 60"};
static const struct variable wait_variable = {
    "HALIDE_CACHE_WAIT", parse_wait, "a whole number of seconds from 0 to 4294967",
    "the default, 120"};

// Leaves `value` alone when the variable is not set or not understood.
static void read_variable(const struct variable *variable, uint64_t *value,
                          void (*complain)(void *context, const char *message),
                          void *context)
{
    const char *text = os_variable(variable->name);
    if (text != NULL && !variable->parse(text, value) && complain != NULL) {
        char *message =
            mem_printf("%s is set to \"%.100s\", but must be %s; using %s",
                       variable->name, text, variable->accepted, variable->fallback);
        complain(context, message);
        free(message);
    }
}

void settings_from_environment(struct settings *settings,
                               void (*complain)(void *context, const char *message),
                               void *context)
{
    settings->max_size = default_max_size;
    settings->max_age_s = 0;
    uint64_t timeout_s = DEFAULT_TIMEOUT_S;
    uint64_t wait_s = DEFAULT_WAIT_S;
    read_variable(&max_size_variable, &settings->max_size, complain, context);
    read_variable(&max_age_variable, &settings->max_age_s, complain, context);
    read_variable(&timeout_variable, &timeout_s, complain, context);
    read_variable(&wait_variable, &wait_s, complain, context);
    settings->timeout_ms = (unsigned)(timeout_s * 1000);
    settings->wait_ms = (unsigned)(wait_s * 1000);
}
