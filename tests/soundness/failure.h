// SPDX-License-Identifier: MIT

#ifndef HALIDECACHE_TESTS_FAILURE_H
#define HALIDECACHE_TESTS_FAILURE_H

#include "error.h"

/** Prints why the test failed and ends it. The case's folder stays for inspection. */
_Noreturn void fail(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
