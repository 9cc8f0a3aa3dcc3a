// SPDX-License-Identifier: MIT

#ifndef HALIDECACHE_TESTS_FLOW_H
#define HALIDECACHE_TESTS_FLOW_H

#include "world.h"

/** Runs a case in an empty folder; returns when it passed. */
void flow_run(const struct tools *tools, const struct test_case *test,
              const char *folder);

#endif
