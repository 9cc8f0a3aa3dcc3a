// SPDX-License-Identifier: MIT

#include "hooks.h"

static const struct test_case cases[] = {
    {.name = "plugin.none"},
};

const struct case_list plugin_cases = CASE_LIST(cases);
