// SPDX-License-Identifier: MIT
// Starting the generator with the probe in it, and making the key from what it reports.

#ifndef HALIDECACHE_INQUIRY_H
#define HALIDECACHE_INQUIRY_H

#include "bypass.h"
#include "generator.h"
#include "job.h"
#include "key.h"

#include <stdbool.h>

struct inquiry {
    struct job *job;
    struct generator *generator; // started; it waits for the answer
    struct key *fields;
    struct digest key;         // valid when `reason` is BYPASS_NONE
    struct buffer pipelines;   // names and digests of the fields that are to be confirmed
    struct buffer trace;       // what the tracer saw until then (tracer/trace.h)
    bool is_done;              // all pipelines are reported
    enum bypass_reason reason; // why there is no key
    char *reason_text;
};

/** Starts the generator and reads the probe's report. Where no probe can be loaded this
 *  process becomes the generator and does not return. True when there is a key. Free with
 *  inquiry_release. */
bool inquiry_make(struct inquiry *inquiry, struct job *job);

/** Are the files that the key was made from still what they were? Some of them are only
 *  read while the generator compiles. */
bool inquiry_files_are_the_same(const struct inquiry *inquiry);

void inquiry_release(struct inquiry *inquiry);

/** A message with a named field: appends the name and the digest of the value to
 *  `fields`. False when it is damaged. */
bool inquiry_note_field(struct buffer *fields, const unsigned char *payload, size_t size);

#endif
