// SPDX-License-Identifier: MIT

#include "process_state.h"

#include "channel.h"

#include "Halide.h"

#include <cfenv>
#include <clocale>
#include <cstdio>
#include <iostream>
#include <locale>
#include <sstream>

namespace halidecache {

namespace {

// The variables that key_fields.c puts into the key as the helper sees them: the
// generator may have others in their place, set by a static initializer, before the probe
// was loaded.
bool is_read_later(const std::string &variable)
{
    for (const char *ours : {"HL_CACHE_", "HALIDE_CACHE_"}) {
        if (variable.rfind(ours, 0) == 0) {
            return false;
        }
    }
    for (const char *prefix : {"HL_", "HALIDE_", "LLVM_", "LC_", "LANG=", "LANGUAGE=",
                               "TZ=", "MALLOC_", "GLIBC_TUNABLES=", "SYM64_THRESHOLD=",
                               "FLUSH_MEMOIZE_CACHE=", "ENABLE_FILTER_PRINTING="}) {
        if (variable.rfind(prefix, 0) == 0) {
            return true;
        }
    }
    return false;
}

std::string describe_variables(const std::set<std::string> &at_start)
{
    std::string text;
    const std::set<std::string> now = environment_variables();
    for (const std::string &variable : now) {
        if (at_start.count(variable) == 0 || is_read_later(variable)) {
            append_string(&text, "+" + variable);
        }
    }
    for (const std::string &variable : at_start) {
        if (now.count(variable) == 0) {
            append_string(&text, "-" + variable);
        }
    }
    return text;
}

// Halide prints numbers into its outputs. A locale of the generator's own has no name
// that would tell how.
std::string describe_locale()
{
    std::string text;
    const char *name = setlocale(LC_ALL, nullptr);
    append_string(&text, name != nullptr ? name : "");
    append_string(&text, std::locale().name());
    std::ostringstream numbers;
    numbers << 1234567 << ' ' << -7654321.125 << ' ' << std::boolalpha << true << ' '
            << 1e300;
    append_string(&text, numbers.str());
    return text;
}

// Lowering computes with constants. -ffast-math links code that turns denormals off.
std::string describe_arithmetic()
{
    std::string text;
    // The flags that all this raises are the generator's.
    std::fenv_t before;
    std::fegetenv(&before);
    volatile float small = 1e-30f;
    volatile float denormal = 1e-40f;
    volatile double small_double = 1e-200;
    append_u32(&text, static_cast<uint32_t>(fegetround()));
    append_u32(&text, small * 1e-10f == 0.0f);
    append_u32(&text, denormal * 1.0f == 0.0f);
    append_u32(&text, small_double * 1e-120 == 0.0);
    std::fesetenv(&before);
    return text;
}

} // namespace

std::string describe_process(const std::set<std::string> &variables_at_start)
{
    std::string text;
    append_string(&text, describe_variables(variables_at_start));
    append_string(&text, describe_locale());
    append_string(&text, describe_arithmetic());
    return text;
}

void flush_streams()
{
    fflush(nullptr);
    std::cout.flush();
    std::cerr.flush();
    std::clog.flush();
}

bool has_usual_reports(const Printed &printed)
{
    if (Halide::Internal::get_compiler_logger() != nullptr) {
        return false;
    }
    static const char kMessage[] = "halide-cache looks at how warnings are printed\n";
    flush_streams();
    const std::string out_before = read_printed(printed.out);
    const std::string err_before = read_printed(printed.err);
#ifdef _halide_user_warning
    const std::string expected = kMessage;
    Halide::Internal::issue_warning(kMessage);
#else
    // Halide 19 and 20.
    const std::string expected = std::string("Warning: ") + kMessage;
    {
        using Halide::Internal::ErrorReport;
        ErrorReport(__FILE__, __LINE__, nullptr, ErrorReport::User | ErrorReport::Warning)
                .ref()
            << kMessage;
    }
#endif
    flush_streams();
    return read_printed(printed.out) == out_before &&
           read_printed(printed.err) == err_before + expected;
}

} // namespace halidecache
