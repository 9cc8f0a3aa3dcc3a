// SPDX-License-Identifier: MIT

#include "stock_code.h"

bool code_match_any(const struct code_patterns *patterns, const char *const *list,
                    const struct code *code, struct code_match *match)
{
    for (; *list != NULL; list++) {
        if (patterns->match(*list, code, match)) {
            return true;
        }
    }
    return false;
}

int pattern_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
