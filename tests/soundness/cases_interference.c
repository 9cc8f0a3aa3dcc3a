// SPDX-License-Identifier: MIT

#include "hooks.h"

static const struct test_case cases[] = {
    {.name = "interference.none"},
};

const struct case_list interference_cases = CASE_LIST(cases);
