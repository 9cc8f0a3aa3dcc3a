# Makes small libraries of many formats, with and without marks that identify them:
#
#   cmake [-DGCC=<program>] [-DCLANG=<program>] [-DLLD_ELF=<ld.lld>] [-DLLD_MACHO=<ld64.lld>]
#         [-DLLD_PE=<lld-link>] [-DLIPO=<llvm-lipo>] [-DMINGW=<program>]
#         -DOUTPUT=<folder> -P make_identity.cmake
#
# The folder receives them and the file index.txt, with one line for each: what is
# expected, a space, and the name. That is an identity, or "elf", "macho", "pe" when only
# the linker knows it, or "sha256" when there is no mark, or "+" and the names of the
# slices of a fat file.

cmake_minimum_required(VERSION 3.25)

set(sources "${CMAKE_CURRENT_LIST_DIR}")
set(index "")
set(id 00112233445566778899aabbccddeeff01234567)

# Runs commands in turn; a toolchain that cannot do it leaves the file out.
macro(make expected name)
    cmake_parse_arguments(MAKE "" "" "FIRST;THEN" ${ARGN})
    set(made TRUE)
    foreach (command IN ITEMS FIRST THEN)
        if (made AND MAKE_${command})
            execute_process(
                COMMAND ${MAKE_${command}}
                WORKING_DIRECTORY "${OUTPUT}"
                RESULT_VARIABLE status
                OUTPUT_QUIET ERROR_QUIET
            )
            if (NOT status EQUAL 0)
                set(made FALSE)
            endif ()
        endif ()
    endforeach ()
    if (made)
        string(APPEND index "${expected} ${name}\n")
    endif ()
endmacro()

file(REMOVE_RECURSE "${OUTPUT}")
file(MAKE_DIRECTORY "${OUTPUT}")

if (GCC)
    set(gcc "${GCC}" -shared -fPIC -nostdlib "${sources}/tiny.c" -o)
    make("elf:${id}" gcc.so FIRST ${gcc} gcc.so -Wl,--build-id=0x${id})
    make("elf" gcc-sha1.so FIRST ${gcc} gcc-sha1.so -Wl,--build-id=sha1)
    make("elf" gcc-debug.so FIRST ${gcc} gcc-debug.so -g -Wl,--build-id=sha1)
    make("sha256" gcc-none.so FIRST ${gcc} gcc-none.so -Wl,--build-id=none)
    make("sha256" gcc-short.so FIRST ${gcc} gcc-short.so -Wl,--build-id=0x01020304)
    make("sha256" gcc-zero.so FIRST ${gcc} gcc-zero.so
         -Wl,--build-id=0x0000000000000000000000000000000000000000)
    make("elf:112233445566778899aabbccddeeff00" noted.o
         FIRST "${GCC}" -c "${sources}/noted.s" -o noted.o)
endif ()

if (CLANG AND LLD_ELF)
    foreach (target IN ITEMS x86_64 i386 aarch64 arm mips mips64 powerpc powerpc64
                             powerpc64le riscv64)
        make("elf:${id}" ${target}.so
             FIRST "${CLANG}" --target=${target}-linux-gnu -fPIC -c "${sources}/tiny.c"
                   -o ${target}.o
             THEN "${LLD_ELF}" -shared --build-id=0x${id} ${target}.o -o ${target}.so)
    endforeach ()
    make("elf" lld-fast.so
         FIRST "${LLD_ELF}" -shared --build-id=fast x86_64.o -o lld-fast.so)
endif ()

if (CLANG AND LLD_MACHO)
    foreach (arch IN ITEMS x86_64 arm64)
        set(link "${LLD_MACHO}" -dylib -arch ${arch} -platform_version macos 11.0 11.0
                 ${arch}-macos.o "${sources}/libSystem.tbd" -o)
        make("macho" ${arch}.dylib
             FIRST "${CLANG}" --target=${arch}-apple-macos11 -c "${sources}/tiny.c"
                   -o ${arch}-macos.o
             THEN ${link} ${arch}.dylib)
    endforeach ()
    if (LIPO)
        make("+x86_64.dylib,arm64.dylib" fat.dylib
             FIRST "${LIPO}" -create x86_64.dylib arm64.dylib -output fat.dylib)
    endif ()
endif ()

if (CLANG AND LLD_PE)
    foreach (arch IN ITEMS x86_64 i386 aarch64)
        set(object FIRST "${CLANG}" --target=${arch}-pc-windows-msvc -c
                   "${sources}/tiny.c" -o ${arch}.obj)
        set(link THEN "${LLD_PE}" -dll -noentry ${arch}.obj)
        make("pe" ${arch}.dll ${object} ${link} -debug -out:${arch}.dll)
        make("sha256" ${arch}-none.dll ${object} ${link} -out:${arch}-none.dll)
    endforeach ()
endif ()

if (MINGW)
    set(mingw "${MINGW}" -shared -nostdlib -Wl,-e,0 "${sources}/tiny.c" -o)
    make("pe" mingw.dll FIRST ${mingw} mingw.dll -Wl,--build-id)
    make("sha256" mingw-none.dll FIRST ${mingw} mingw-none.dll -Wl,--build-id=none)
endif ()

file(WRITE "${OUTPUT}/index.txt" "${index}")
