// SPDX-License-Identifier: MIT
// As little as makes a library.

int answer(void);

int answer(void)
{
    return 42;
}
