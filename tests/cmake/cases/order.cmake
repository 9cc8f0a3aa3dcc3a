# Whatever finds what, in whichever order, as often and wherever: what is added after both
# packages were found is cached.

# One build tree is configured again and again: it is faster, and has to work too.
function(expect_steps wrapped summary steps)
    set(sub_steps "")
    if (ARGC GREATER 3)
        set(sub_steps "${ARGV3}")
    endif ()
    configure(
        steps build
        -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
        -D "HalideCache_DIR=${PACKAGE}"
        -D "Halide_CACHE_DIR=${CACHE_DIR}"
        -D "STEPS=${steps}"
        -D "SUB_STEPS=${sub_steps}"
    )
    expect_summary("${summary}")
    expect_warnings(0)
    expect_wrapped("${wrapped}" build)
    # Halide's own messages are not repeated.
    expect_count("messages" 1 "platform triple:   " "${output}")
endfunction()

set(on "on, ${CACHE_DIR} (${MODES}, Halide ${HALIDE_VERSION}.0.0)")

# Either first.
expect_steps(2 "${on}" cache,halide,generator,runtime,lib:a)
expect_steps(2 "${on}" halide,cache,generator,runtime,lib:a)

# What came before is left as it is.
expect_steps(1 "${on}" halide,generator,runtime,lib:a,cache,lib:b)

# Found twice, and again in a subfolder, as Halide's own apps do: the original helper file
# is loaded again, and must not stay.
expect_steps(2 "${on}" halide,cache,halide,cache,generator,runtime,lib:a)
expect_steps(4 "${on}" cache,halide,generator,runtime,lib:a,sub,lib:b halide,lib:s)
expect_steps(4 "${on}" halide,cache,generator,runtime,lib:a,sub,lib:b halide,cache,lib:s)

# In a subfolder only, with the generators of the folder above.
expect_steps(2 "${on}" halide,generator,runtime,lib:a,sub,lib:b cache,lib:s)
expect_steps(3 "${on}" sub,halide,generator,runtime,lib:a,lib:b cache)

# A project within the project.
expect_steps(4 "${on}" cache,halide,generator,runtime,lib:a,sub,lib:b project,cache,halide,lib:s)

# HalideHelpers alone: add_halide_generator then finds Halide, in its folder, and
# Halide::Halide is not visible in others.
expect_steps(2 "${on}" cache,helpers,generator,runtime,lib:a)
expect_steps(2 "${on}" helpers,cache,generator,runtime,lib:a)
expect_steps(2 "${on}" cache,helpers,sub,runtime,lib:a generator)

# A folder that wants none of it, but finds Halide again.
expect_steps(3 "${on}" cache,halide,generator,runtime,lib:a,sub,lib:b off,halide,lib:s)
expect_steps(3 "${on}" cache,halide,generator,runtime,lib:a,off,lib:b,on,lib:c)

# Found quietly, Halide says nothing, and the copy neither.
configure(
    steps build
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "HalideCache_DIR=${PACKAGE}" -D "Halide_CACHE_DIR=${CACHE_DIR}"
    -D STEPS=quiet,cache,generator,runtime,lib:a
)
expect_summary("${on}")
expect_count("messages" 0 "platform triple:   " "${output}")
expect_wrapped(2 build)

# Nothing to do.
set(found_nothing "off: HalideHelpers were found, but no Halide::Halide to make a probe for")
expect_steps(0 "${found_nothing}" cache,helpers,runtime)

configure(
    steps build
    -D "HalideCache_DIR=${PACKAGE}" -D "Halide_CACHE_DIR=${CACHE_DIR}" -D STEPS=cache
)
expect_summary("off: no Halide was found")
