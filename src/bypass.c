// SPDX-License-Identifier: MIT

#include "bypass.h"

struct description {
    const char *name;
    const char *text;
};

static const struct description descriptions[BYPASS_REASONS] = {
    [BYPASS_NONE] = {"none", "it was not bypassed"},
    [BYPASS_COMMAND_LINE] = {"command-line",
                             "the command line is not one that is fully understood"},
    [BYPASS_NOT_A_GENERATOR] = {"not-a-generator",
                                "the program is a launcher or a script, not a generator"},
    [BYPASS_OWN_MAIN] = {"own-main", "the generator's main() is not Halide's"},
    [BYPASS_OUTPUT_KIND] = {"output-kind",
                            "an output does not depend on the pipeline alone"},
    [BYPASS_NO_PROBE] = {"no-probe", "there is no probe, or it cannot be loaded"},
    [BYPASS_PROBE_TIMEOUT] = {"probe-timeout", "the probe did not answer in time"},
    [BYPASS_BUILD_FAILED] = {"build-failed",
                             "the generator fails while it builds its pipeline"},
    [BYPASS_CUSTOM_LOWERING] = {"custom-lowering",
                                "the pipeline has something that no key can hold"},
    [BYPASS_THREADS] = {"threads", "the generator has threads before it builds"},
    [BYPASS_SIDE_EFFECTS] = {"side-effects",
                             "the generator does more than to write its outputs"},
    [BYPASS_NONDETERMINISTIC] =
        {"nondeterministic", "the generator does not build the same pipeline every time"},
    [BYPASS_UNKNOWN_IDENTITY] = {"unknown-identity",
                                 "a library that the generator loads cannot be read"},
    [BYPASS_UNKNOWN_GENERATOR] = {"unknown-generator",
                                  "the generator is not in Halide's registry"},
    [BYPASS_UNDECLARED_OUTPUT] =
        {"undeclared-output", "the generator wrote files that its command does not name"},
    [BYPASS_NO_CACHE_FOLDER] = {"no-cache-folder", "the cache folder cannot be used"},
    [BYPASS_UNSUPPORTED_SYSTEM] = {"unsupported-system",
                                   "this operating system is not supported"},
    [BYPASS_AUTOSCHEDULER] = {"autoscheduler",
                              "the autoscheduler may look at what no key can have"},
};

static const struct description *describe(enum bypass_reason reason)
{
    static const struct description unknown = {"unknown", "the reason is not known"};
    // The number may come from a file.
    const unsigned number = (unsigned)reason;
    return number < BYPASS_REASONS && descriptions[number].name != 0
               ? &descriptions[number]
               : &unknown;
}

const char *bypass_name(enum bypass_reason reason)
{
    return describe(reason)->name;
}

const char *bypass_text(enum bypass_reason reason)
{
    return describe(reason)->text;
}
