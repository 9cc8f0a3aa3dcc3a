// SPDX-License-Identifier: MIT
// What the generator of the fuzzer builds: a seed, and single decisions that override
// what follows from it.

#ifndef HALIDECACHE_TESTS_RECIPE_H
#define HALIDECACHE_TESTS_RECIPE_H

#include <stdbool.h>
#include <stdint.h>

/** Random numbers that are the same everywhere. Start with any `state`. */
struct random {
    uint64_t state;
};

/** A number below `below`, which is not 0. */
unsigned random_below(struct random *random, unsigned below);

enum { RECIPE_DECISIONS = 24, RECIPE_NAME_SIZE = 32 };

struct decision {
    char name[RECIPE_NAME_SIZE];
    unsigned value;
};

struct recipe {
    unsigned seed;
    unsigned comment; // says nothing
    unsigned count;
    struct decision decisions[RECIPE_DECISIONS];
};

/** Changes one thing: a decision, the whole pipeline, or only the comment. Writes what it
 *  was into `what`. False when the recipe says the same as before. */
bool recipe_mutate(struct recipe *recipe, struct random *random, char *what,
                   unsigned what_size);

/** Do both say the same? Comments do not count. */
bool recipe_equal(const struct recipe *a, const struct recipe *b);

/** The text for the generator. The caller frees it. */
char *recipe_text(const struct recipe *recipe);

#endif
