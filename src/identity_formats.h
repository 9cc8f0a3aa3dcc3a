// SPDX-License-Identifier: MIT
// The marks that linkers leave in the formats that identity.c knows. Each function
// returns the identity as a new string, or NULL when the file is of another format, has
// no mark, or is damaged: then its whole content is what identifies it.

#ifndef HALIDECACHE_IDENTITY_FORMATS_H
#define HALIDECACHE_IDENTITY_FORMATS_H

#include "binary.h"
#include "buffer.h"

char *identity_of_elf(struct binary *binary);
char *identity_of_macho(struct binary *binary);
char *identity_of_pe(struct binary *binary);

/** Can these bytes tell files apart? Tools that make builds reproducible overwrite marks
 *  with zeros, and a few bytes are somebody's version number rather than a hash. */
bool mark_is_unique(const unsigned char *mark, size_t size);

/** Appends bytes as lower-case hexadecimal digits. */
void append_hex(struct buffer *buffer, const unsigned char *bytes, size_t size);

/** Appends 16 bytes in the way of UUIDs: 8-4-4-4-12 digits. */
void append_uuid(struct buffer *buffer, const unsigned char *uuid);

#endif
