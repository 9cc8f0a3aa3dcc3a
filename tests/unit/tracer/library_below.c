// SPDX-License-Identifier: MIT
// A library that others need.

#include "libraries.h"

#include <time.h>

int ask_below(void)
{
    return time(NULL) > 0;
}

int deep(void)
{
    return 1;
}
