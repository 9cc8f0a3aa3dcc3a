// SPDX-License-Identifier: MIT
// What the libraries that the subject loads have in them. Each function returns 1, or
// something else when it did not go well.

#ifndef HALIDECACHE_TESTS_TRACER_LIBRARIES_H
#define HALIDECACHE_TESTS_TRACER_LIBRARIES_H

typedef int library_function(void);

library_function ask_below;      // asks for the time, in another library
library_function ask_everything; // time, random numbers, process, machine
library_function deep;
library_function fork_and_wait;
library_function load_deep; // loads libtracer_deep.so by this name
library_function move;      // into a folder and back
library_function read_file; // reads file, lists folder, reads UNSET

#endif
