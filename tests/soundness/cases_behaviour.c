// SPDX-License-Identifier: MIT

#include "hooks.h"

static const struct test_case cases[] = {
    {.name = "behaviour.none"},
};

const struct case_list behaviour_cases = CASE_LIST(cases);
