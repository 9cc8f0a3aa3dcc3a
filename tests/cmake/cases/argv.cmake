# A generator gets the very same arguments, whatever is in them and in the paths of the
# source, build and cache folders.

# What works without the cache, that is.
set(odd "odd (1) 'q' ä € & @x@ ~ !")
file(COPY "${PROJECTS}/argv/" DESTINATION "${WORK}/${odd}/source")

function(build_and_keep name)
    build("${odd}/build" plain.update odd.update)
    foreach (library IN ITEMS plain odd)
        file(READ "${WORK}/${odd}/build/${library}.argv" arguments)
        set(${name}_${library} "${arguments}" PARENT_SCOPE)
    endforeach ()
endfunction()

set(arguments
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "HalideCache_DIR=${PACKAGE}"
)
set(ENV{FIND_HALIDECACHE} "")
configure("${WORK}/${odd}/source" "${odd}/build" ${arguments})
build_and_keep(without)
expect_contains("arguments" "c='single' \"double\" `back`\n" "${without_odd}")
file(REMOVE_RECURSE "${WORK}/${odd}/build")

# More is possible in the name of the cache folder.
set(ENV{FIND_HALIDECACHE} yes)
set(cache "${WORK}/${odd}/cache;]=] \"d\" \${x} $HOME #")
file(WRITE "${WORK}/cache.cmake" "set(Halide_CACHE_DIR [==[${cache}]==] CACHE PATH \"\")\n")
configure("${WORK}/${odd}/source" "${odd}/build" ${arguments} -C "${WORK}/cache.cmake")
expect_warnings(0)
if (NOT IS_DIRECTORY "${cache}")
    fail("the cache folder was not made" "${cache}" "")
endif ()
build_and_keep(with)
expect_same_text("arguments of plain" "${without_plain}" "${with_plain}")
expect_same_text("arguments of odd" "${without_odd}" "${with_odd}")
