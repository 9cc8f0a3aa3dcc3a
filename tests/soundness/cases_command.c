// SPDX-License-Identifier: MIT

#include "hooks.h"

static const struct test_case cases[] = {
    {.name = "command.none"},
};

const struct case_list command_cases = CASE_LIST(cases);
