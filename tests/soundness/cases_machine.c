// SPDX-License-Identifier: MIT

#include "hooks.h"

static const struct test_case cases[] = {
    {.name = "machine.none"},
};

const struct case_list machine_cases = CASE_LIST(cases);
