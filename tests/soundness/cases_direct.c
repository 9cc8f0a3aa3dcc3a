// SPDX-License-Identifier: MIT
//
// What decides about a direct hit: everything that the generator has looked at.

#include "hooks.h"

static const struct test_case cases[] = {
    {
        .name = "direct.comment",
        .generator = "source_plain",
        .pipeline = "scale",
        .edits = {{"// A remark.", "// Another remark."}},
        .expected = HIT,
    },
};

const struct case_list direct_cases = CASE_LIST(cases);
