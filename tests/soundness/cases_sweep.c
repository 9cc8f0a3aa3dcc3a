// SPDX-License-Identifier: MIT

#include "hooks.h"

static const struct test_case cases[] = {
    {.name = "sweep.none"},
};

const struct case_list sweep_cases = CASE_LIST(cases);
