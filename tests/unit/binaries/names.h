// SPDX-License-Identifier: MIT
// Functions of Halide, by the names that C++ gives them.

#ifdef __APPLE__
#define NAMED(name) __asm__("_" name)
#else
#define NAMED(name) __asm__(name)
#endif

// Halide::Internal::generate_filter_main(int, char **)
int generate_filter_main(int argc, char **argv)
    NAMED("_ZN6Halide8Internal20generate_filter_mainEiPPc");

// Halide::Internal::generate_filter_main(int, char **, const GeneratorFactoryProvider &)
int generate_filter_main_from(int argc, char **argv, const void *factories) NAMED(
    "_ZN6Halide8Internal20generate_filter_mainEiPPcRKNS0_24GeneratorFactoryProviderE");

// A name that begins like the first one.
int generate_filter_main_more(int argc, char **argv)
    NAMED("_ZN6Halide8Internal20generate_filter_mainEiPPcz");
