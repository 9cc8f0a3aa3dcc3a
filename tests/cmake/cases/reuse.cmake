# With real generators: a build, and the same in a new folder, write what an uncached build
# writes; the second compiles no pipeline. After a change that changes no pipeline, the
# build tool does no more than it has to, and finds nothing to do the next time.

file(COPY "${PROJECTS}/steps" "${PROJECTS}/everything" DESTINATION "${WORK}")
set(arguments
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D CMAKE_BUILD_TYPE=Release
    -D "HalideCache_DIR=${PACKAGE}"
    -D STEPS=cache,halide,generator,runtime,lib:a,sub,lib:b -D SUB_STEPS=lib:s
)

# The files that Halide's programs write.
set(outputs a.h a.o b.h b.o rt.o sub/s.h sub/s.o)

function(read_outputs out)
    set(digests "")
    foreach (file IN LISTS outputs)
        file(SHA256 "${WORK}/build/${file}" digest)
        string(APPEND digests "${file} ${digest}\n")
    endforeach ()
    set(${out} "${digests}" PARENT_SCOPE)
endfunction()

# Counts of the cache.
function(expect_stats misses hits)
    run("${HELPER}" stats --json --dir "${CACHE_DIR}")
    set(expected "${misses} misses, ${hits} hits, 0 bypasses, 0 errors")
    foreach (name IN ITEMS direct_hits pipeline_hits misses bypasses errors)
        string(JSON ${name} GET "${output}" "${name}")
    endforeach ()
    math(EXPR all_hits "${direct_hits} + ${pipeline_hits}")
    expect_equal(
        "counts" "${expected}"
        "${misses} misses, ${all_hits} hits, ${bypasses} bypasses, ${errors} errors"
    )
endfunction()

configure("${WORK}/steps" build ${arguments} -D Halide_CACHE_DIR=)
build(build)
read_outputs(uncached)
list(TRANSFORM outputs PREPEND "${WORK}/build/" OUTPUT_VARIABLE files)
file(REMOVE ${files})

configure("${WORK}/steps" build ${arguments} -D "Halide_CACHE_DIR=${CACHE_DIR}")
build(build)
read_outputs(cached)
expect_same_text("outputs of the first cached build" "${uncached}" "${cached}")
expect_stats(4 0)
file(REMOVE_RECURSE "${WORK}/build")

configure("${WORK}/steps" build ${arguments} -D "Halide_CACHE_DIR=${CACHE_DIR}")
build(build)
read_outputs(cached)
expect_same_text("outputs of the second cached build" "${uncached}" "${cached}")
expect_stats(4 4)

# The generator's program changes, its pipeline does not.
file(APPEND "${WORK}/everything/gen.cpp" "\nint some_number = 7;\n")
build(build)
expect_stats(4 7)
if (GENERATOR MATCHES "Ninja")
    expect_count("what followed" 0 "Linking CXX static library" "${output}")
endif ()
build(build)
expect_count("work for nothing" 0 "Generating" "${output}")
expect_stats(4 7)
read_outputs(cached)
expect_same_text("outputs after the change" "${uncached}" "${cached}")
