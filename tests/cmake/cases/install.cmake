# Installs the package for the other cases (a fixture), and looks at what is there.

file(REMOVE_RECURSE "${PREFIX}")
run("${CMAKE_COMMAND}" --install "${PACKAGE}" --prefix "${PREFIX}")

file(GLOB_RECURSE files RELATIVE "${PREFIX}" "${PREFIX}/*")
foreach (
    name IN ITEMS
    bin/halide-cache
    "lib.*/cmake/HalideCache/HalideCacheConfig\\.cmake"
    "lib.*/cmake/HalideCache/HalideCacheConfigVersion\\.cmake"
    "lib.*/cmake/HalideCache/HalideCacheInject\\.cmake"
    "share/halidecache/src/probe/probe\\.cpp"
)
    set(found "${files}")
    list(FILTER found INCLUDE REGEX "^${name}$")
    list(LENGTH found count)
    expect_equal("files that match ${name}" 1 "${count}")
endforeach ()

# Relocatable: no file knows where it was made or is going to lie.
foreach (file IN LISTS files)
    if (file MATCHES "\\.cmake$")
        file(READ "${PREFIX}/${file}" text)
        foreach (place IN ITEMS "${PREFIX}" "${PACKAGE}" "${REPOSITORY}")
            expect_count("${file}" 0 "${place}" "${text}")
        endforeach ()
    endif ()
endforeach ()
