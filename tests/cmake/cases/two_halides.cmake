# Two Halides in one tree: each is asked about, and gets a probe of its own.

# Where they are is in cache variables, which the second project has to change.
function(write_place name prefix)
    find_halide(place "${prefix}")
    set(code "")
    foreach (argument IN LISTS place)
        if (argument MATCHES "^([^=]+)=(.*)$")
            string(APPEND code "set(${CMAKE_MATCH_1} [[${CMAKE_MATCH_2}]] CACHE PATH \"\" FORCE)\n")
        endif ()
    endforeach ()
    file(WRITE "${WORK}/halides/${name}.cmake" "${code}")
endfunction()
write_place(first "${HALIDE}")
write_place(second "${OTHER_HALIDE}")

configure(
    two_halides build
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "HalideCache_DIR=${PACKAGE}"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
    -D "HALIDES=${WORK}/halides"
)
expect_warnings(0)
foreach (version IN ITEMS "${HALIDE_VERSION}" "${OTHER_HALIDE_VERSION}")
    expect_count("summary" 1 "-- HalideCache: on, ${CACHE_DIR} (${MODES}, Halide ${version}.0.0)\n" "${output}")
endforeach ()

# Which probe is made of which Halide, and used by whom.
read_build_files(text build)
string(REGEX MATCHALL "--probe=[^ ]*/CMakeFiles/HalideCache/[^ ]* [^\n]* -[nr] [a-z_]+" commands "${text}")
list(LENGTH commands count)
expect_equal("cached commands" 4 "${count}")
set(first "${HALIDE}")
set(second "${OTHER_HALIDE}")
foreach (name IN ITEMS first second)
    set(probes "")
    foreach (command IN LISTS commands)
        if (command MATCHES "--probe=${WORK}/build/([^ ]*) .*_${name}$")
            list(APPEND probes "${CMAKE_MATCH_1}")
        endif ()
    endforeach ()
    list(REMOVE_DUPLICATES probes)
    list(LENGTH probes count)
    expect_equal("probes of ${name}" 1 "${count}")
    string(REGEX MATCH "\nbuild ${probes}: [^\n]*" link "${text}")
    expect_contains("libraries of ${probes}" "${${name}}/" "${link}")
endforeach ()
