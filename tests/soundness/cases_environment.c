// SPDX-License-Identifier: MIT

#include "hooks.h"

static const struct test_case cases[] = {
    {.name = "environment.none"},
};

const struct case_list environment_cases = CASE_LIST(cases);
