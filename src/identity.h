// SPDX-License-Identifier: MIT
// What a binary file is, told without reading all of it where its linker left a mark.

#ifndef HALIDECACHE_IDENTITY_H
#define HALIDECACHE_IDENTITY_H

#include "error.h"
#include "file_digest.h"

#include <stdbool.h>

/** The identity of an executable or shared library as a new string; NULL on failure.
 *    elf:<build ID in hex>               NT_GNU_BUILD_ID note
 *    macho:<arch>=<LC_UUID>[,...]        each slice of a fat file
 *    pe:<CodeView GUID>-<age>            debug directory, RSDS record
 *    sha256:<digest of the whole file>   none of those
 *  `memory` remembers digests of whole files between runs; it may be NULL. */
char *identity_of_file(const char *path, struct file_digest_memory *memory,
                       struct error *error);

#endif
