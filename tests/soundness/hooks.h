// SPDX-License-Identifier: MIT
// Steps that several channels share and that a table cannot describe.

#ifndef HALIDECACHE_TESTS_HOOKS_H
#define HALIDECACHE_TESTS_HOOKS_H

#include "world.h"

/** Ends the test with `what` and errno unless it is ok. */
void hook_must(bool ok, const char *what);

/** Makes a symbolic link in the case's folder, or lets it lead elsewhere. */
void hook_make_link(const struct world *world, const char *target, const char *name);

void hook_set_mode(const struct world *world, const char *name, mode_t mode);
void hook_set_mtime(const struct world *world, const char *name, int64_t mtime_ns);

/** Makes a folder in the case's folder. */
void hook_make_folder(const struct world *world, const char *name);

/** Removes a folder with all in it. */
void hook_remove_folder(const struct world *world, const char *name);

/** Copies libHalide.so into a folder of the case. */
void hook_copy_halide(const struct world *world, const char *folder);

/** Flips a bit of a copy's build ID, `distance` bytes behind its start. -4 is the name of
 *  the note that it is in: the copy then has none. */
void hook_patch_build_id(const struct world *world, const char *library, long distance);

/** Writes weights for Adams2019, as the folder "weights" and as the file "all.weights".
 * All numbers consist of this byte. */
void hook_write_weights(const struct world *world, uint8_t byte);

/** The path of the only file in the mode's cache whose name ends like this. */
char *hook_find_stored(const struct world *world, const char *end);

/** Builds libraries/stopper.cpp. The tracer takes it for a part of the probe and does not
 *  see what it does. */
void hook_build_stopper(struct world *world);
#define HOOK_PRELOAD_STOPPER "LD_PRELOAD={case}/halide-cache-probe-stopper.so"

#endif
