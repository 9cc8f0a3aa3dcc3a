# A Halide that the probe cannot work with: one warning, the reason in the summary line, no
# command changed.

set(arguments
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "HalideCache_DIR=${PACKAGE}"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
)

# In a tree of its own, to know no more than a new user's does.
function(expect_off summary details)
    file(REMOVE_RECURSE "${WORK}/build")
    configure(steps build ${arguments} -D STEPS=cache,halide,generator,runtime,lib:a,halide,lib:b)
    expect_warnings(1)
    string(REGEX REPLACE "[ \n]+" " " flowing "${output}")
    expect_contains("warning" "HalideCache: off: ${summary}." "${flowing}")
    expect_contains("details" "${details}" "${flowing}")
    expect_contains("consequence" "The build goes on, uncached." "${flowing}")
    expect_summary("off: ${summary}")
    expect_wrapped(0 build)
endfunction()

copy_halide(doctored doctored)
set(HALIDE "${doctored}")
file(GLOB library "${doctored}/lib*/libHalide.so")
file(GLOB targets "${doctored}/lib*/cmake/Halide/Halide-shared-targets.cmake")

# A static library.
edit_file("${targets}" "Halide::Halide SHARED IMPORTED" "Halide::Halide STATIC IMPORTED")
expect_off("Halide is a static library" "has to share libHalide with them (${library})")
edit_file("${targets}" "Halide::Halide STATIC IMPORTED" "Halide::Halide SHARED IMPORTED")

# A library without the functions, as Halide up to 16 is.
file(READ_SYMLINK "${library}" real_library)
file(REMOVE "${library}")
file(WRITE "${WORK}/without.cpp" "int nothing() { return 0; }\n")
run(c++ -shared -fPIC -o "${library}" "${WORK}/without.cpp")
expect_off("Halide ${HALIDE_VERSION}.0.0 has no serialization" "A call of Halide::serialize_pipeline does not link")

# One that was built with WITH_SERIALIZATION=OFF.
file(WRITE "${WORK}/off.cpp" [[
#include <cstdint>
#include <map>
#include <string>
#include <vector>
namespace Halide {
struct Error {
    virtual ~Error();
    virtual const char *what() const noexcept;
};
Error::~Error() {}
const char *Error::what() const noexcept { return "Error: Deserialization is not supported in this build of Halide; try rebuilding with WITH_SERIALIZATION=ON."; }
struct CompileError final : Error {};
class Parameter { void *contents; };
class Pipeline { void *contents; public: ~Pipeline() {} };
void serialize_pipeline(const Pipeline &, std::vector<uint8_t> &) { throw CompileError(); }
Pipeline deserialize_pipeline(const std::string &, const std::map<std::string, Parameter> &) { throw CompileError(); }
}
]])
run(c++ -shared -fPIC -std=c++17 -o "${library}" "${WORK}/off.cpp")
expect_off("Halide ${HALIDE_VERSION}.0.0 has no serialization" "Deserialization is not supported in this build of Halide; try rebuilding")

# A version that nobody has tested: tried out, and used if the probe compiles.
file(REMOVE "${library}")
file(CREATE_LINK "${real_library}" "${library}" SYMBOLIC)
foreach (package IN ITEMS Halide HalideHelpers)
    file(GLOB version_file "${doctored}/lib*/cmake/${package}/${package}ConfigVersion.cmake")
    edit_file("${version_file}" "PACKAGE_VERSION \"${HALIDE_VERSION}.0.0\"" "PACKAGE_VERSION \"99.0.0\"")
endforeach ()
cmake_path(GET targets PARENT_PATH folder)
edit_file("${folder}/HalideConfig.cmake" "\"${HALIDE_VERSION}.0.0\" EXACT" "\"99.0.0\" EXACT")
file(REMOVE_RECURSE "${WORK}/build")
configure(steps build ${arguments} -D STEPS=cache,halide,generator,runtime,lib:a)
expect_warnings(0)
expect_summary("on, ${CACHE_DIR} (${MODES}, Halide 99.0.0)")
expect_wrapped(2 build)

file(REMOVE "${doctored}/include/Halide.h")
file(WRITE "${doctored}/include/Halide.h" "#error everything is new in 99\n")
expect_off("the probe does not compile with Halide 99.0.0" "HalideCache does not know this version.")

# A real one, where there is one: the libraries are built, too.
if (HALIDE_WITHOUT_SERIALIZATION)
    set(HALIDE "${HALIDE_WITHOUT_SERIALIZATION}")
    file(REMOVE_RECURSE "${WORK}/build")
    configure(steps build ${arguments} -D STEPS=cache,halide14,generator,lib14:a -D MORE_LANGUAGES=C)
    expect_warnings(1)
    string(REGEX MATCH "-- HalideCache: off: Halide [0-9.]+ has no serialization\n" line "${output}")
    if (line STREQUAL "")
        fail("summary" "off: Halide <version> has no serialization" "${output}")
    endif ()
    expect_wrapped(0 build)
    build(build a)
endif ()
