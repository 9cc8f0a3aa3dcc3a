# A generator runs again when something that its outputs are made of has changed, and not
# because the probe or the helper did.

# A package of this case's own, to be able to touch its helper.
file(COPY "${PREFIX}/" DESTINATION "${WORK}/prefix")
file(COPY "${PROJECTS}/argv/" DESTINATION "${WORK}/source")
set(ENV{FIND_HALIDECACHE} yes)
configure(
    "${WORK}/source" build
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "CMAKE_PREFIX_PATH=${WORK}/prefix"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
)
if (GENERATOR STREQUAL "Ninja Multi-Config")
    set(folder "${WORK}/build/CMakeFiles/HalideCache/Debug")
else ()
    set(folder "${WORK}/build/CMakeFiles/HalideCache")
endif ()

# The stand-in writes this file on every run. No build rule knows of it.
set(written "${WORK}/build/plain.argv")
function(expect_run expected)
    build(build plain.update)
    if (EXISTS "${written}")
        set(ran yes)
    else ()
        set(ran no)
    endif ()
    file(REMOVE "${written}")
    expect_equal("the generator ran" "${expected}" "${ran}")
endfunction()

function(change file)
    # Files with the same second in their time count as unchanged for some.
    execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1)
    file(TOUCH "${file}")
endfunction()

expect_run(yes)
if (NOT EXISTS "${folder}/halide-cache-probe.so")
    fail("the probe was not built before the generator ran")
endif ()
expect_run(no)

change("${WORK}/prefix/share/halidecache/src/probe/channel.cpp")
file(TIMESTAMP "${folder}/halide-cache-probe.so" before "%s")
expect_run(no)
file(TIMESTAMP "${folder}/halide-cache-probe.so" after "%s")
if (before EQUAL after)
    fail("the probe was not built again")
endif ()

change("${WORK}/prefix/bin/halide-cache")
expect_run(no)

change("${WORK}/source/fake.cpp")
expect_run(yes)
expect_run(no)

# Nor does configuring again.
configure("${WORK}/source" build)
expect_run(no)
