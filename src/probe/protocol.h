// SPDX-License-Identifier: MIT
// How the helper and the probe inside a generator talk. C and C++.
//
// The helper starts the generator with the probe as its first plugin, a pipe and a pair
// of connected sockets:
//
//   report   probe's child -> helper   messages
//   talk     probe <-> helper          first the request, later one byte, the answer;
//                                      after CONFIRM messages, and one byte back
//
// HALIDE_CACHE_PROBE="<report fd>,<talk fd>,<mark>" in the generator's environment names
// them. The mark, 16 hexadecimal digits, is the 64-bit FNV-1a hash of the generator's
// arguments, each with its NUL: a generator whose code before main() changes them is not
// asked for what the helper thinks.
//
// When Halide loads it, the probe reads the request and forks. The child builds and
// serializes the pipelines, reports, and exits, with all that the generator does when it
// exits. The parent waits for its end, adds to the report what that has shown, and closes
// it. Then it waits for the answer: STOP, and it leaves with status 0 (the outputs are
// being restored); GO, and it goes on to compile as if nothing had been; CONFIRM, and it
// goes on and tells what it does.
//
// After CONFIRM the parent sends the fields of each pipeline that it really compiles, the
// same fields as the child's. Only when they are equal did the child speak for the
// parent, and only then the helper stores anything: a generator that uses the time,
// random numbers, or builds otherwise the second time, never gets its outputs under a
// wrong key. When the generator's main() is over it sends PROBE_END and waits for a byte,
// so that the helper can tell whether anything happens to the outputs afterwards.
//
// Integers are little-endian. A string is a u64 length and its bytes.
//
// Request:  u32 PROBE_VERSION, u32 flags, string generator, u32 count of params with
//           (string name, string value) each, u32 count of targets with a string each,
//           u32 count of plugins behind the probe with a string each
// Message:  u32 tag, string payload (what is in it: see the tag)

#ifndef HALIDECACHE_PROBE_PROTOCOL_H
#define HALIDECACHE_PROBE_PROTOCOL_H

enum {
    // Goes up with every change of the protocol or of what the probe puts into a field;
    // it is part of every key.
    PROBE_VERSION = 4,

    PROBE_FLAG_RUNTIME = 1, // no generator: report the libraries only

    // Payload: the child's process number in decimal. The first message.
    PROBE_HELLO = 1,
    // Payload: string name, then the value: one named field of the key.
    PROBE_FIELD = 2,
    // Payload: the path of a loaded binary whose identity belongs into the key.
    PROBE_BINARY = 3,
    // Payload: the path of a loaded plugin whose content belongs into the key.
    PROBE_PLUGIN = 4,
    // Payload: empty. The autoscheduler was registered by the generator itself, whose
    // content then belongs into the key.
    PROBE_OWN_AUTOSCHEDULER = 5,
    // Payload: u32 enum bypass_reason, then a text. Nothing follows.
    PROBE_BYPASS = 6,
    // Payload: empty. The child has built everything and now ends as the generator would.
    PROBE_DONE = 7,
    // Payload: empty. main() is over.
    PROBE_END = 8,
    // Payload as PROBE_FIELD: a field of a pipeline. The parent sends the same ones after
    // CONFIRM, in the same order.
    PROBE_PIPELINE = 9,
    // Payload: a batch of records of the tracer (tracer/trace.h): what the generator
    // looked at until its end.
    PROBE_TRACE = 10,
    // Payload: empty. The child, which was done, has ended well. The report is complete.
    PROBE_ENDED = 11,

    PROBE_STOP = 's',
    PROBE_GO = 'g',
    PROBE_CONFIRM = 'c' // go, and tell what you do
};

#define PROBE_VARIABLE "HALIDE_CACHE_PROBE"

#endif
