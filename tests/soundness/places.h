// SPDX-License-Identifier: MIT
// What generators/direct_plain.cpp looks at, in the folder of a case.

#ifndef HALIDECACHE_TESTS_PLACES_H
#define HALIDECACHE_TESTS_PLACES_H

#include "world.h"

#define PLACE_NUMBER "folder/number.txt"

// Names in a folder; and after how long a file whose times are the same is not read
// again.
enum { PLACE_NAMES = 24, PLACE_SETTLED_MS = 2100 };

/** The file PLACE_NUMBER with a number in it; settled; with another number. */
void place_number(struct world *world);
void place_settled_number(struct world *world);
void place_other_number(struct world *world);

/** A file in the second folder of a search path; another one in the first. */
void place_late(struct world *world);
void place_early(struct world *world);

/** "folder" is a link to "link", that is one to "one", and "two" is beside it. */
void place_two_folders(struct world *world);

/** Lets "link" lead to "two"; gives "two" the name "one". Nothing about the files in them
 *  changes. */
void place_retarget(struct world *world);
void place_exchange(struct world *world);

/** PLACE_NAMES names in "folder"; one more; the one with this number. */
void place_names(struct world *world);
void place_another_name(struct world *world);
void place_name(const struct world *world, int number);

#endif
