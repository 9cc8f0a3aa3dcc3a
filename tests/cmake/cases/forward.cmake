# _halidecache_custom_command hands on every argument exactly. No Halide, no project: the
# real add_custom_command is replaced by one that keeps what it gets.

include("${REPOSITORY}/cmake/HalideCacheCommand.cmake")
include("${REPOSITORY}/cmake/HalideCacheForward.cmake")

function(add_custom_command)
    set(record "${ARGC} arguments")
    math(EXPR last "${ARGC} - 1")
    foreach (i RANGE ${last})
        string(APPEND record "\n<${ARGV${i}}>")
    endforeach ()
    set_property(GLOBAL PROPERTY record "${record}")
endfunction()

# Stands for the decision whether to cache: everything that is a generator.
set_property(GLOBAL PROPERTY prefixed "")
function(_halidecache_prefix out target)
    set_property(GLOBAL APPEND_STRING PROPERTY prefixed "<${target}>")
    set(${out} "[=[helper;1]=] run [[--x=]] --" PARENT_SCOPE)
endfunction()

function(record_of out code)
    cmake_language(EVAL CODE "${code}")
    get_property(record GLOBAL PROPERTY record)
    set(${out} "${record}" PARENT_SCOPE)
endfunction()

# Arguments as they may stand in a call.
set(plain [====[
    OUTPUT a "b" "" "" COMMAND "" "-g" " " "a b" "a;b" ";" ";;" "a;" ";a" "\\" "\\\\" "a\;b" "a\\;b" "c:\\d\\"
    "\"" "'" "`" "\$x" "\${PLAIN}" "$$" "\$ENV{HOME}" "@PLAIN@" "%" "!" "^" "&" "|" "<" ">" "~" "*" "?" "{" "}"
    "]" "]]" "]]]" "]=]" "]==]" "]===]" "[" "[[" "[=[" "[==[" "a]" "a]=" "]=" "]==" "]=a" "[a]" "[[a]]" "[=[a]=]"
    "(" ")" "()" "#" "# a" "#[[a]]" "//" "
" "
a" "a
" "

a" "\n" "\r\n" "\r" "\t" "\r\na" "ä" "€uro" "😀" "$<1:a,b>" "$<SEMICOLON>" "$<COMMA>" "$<JOIN:a;b,;>"
    [[ ]] [[a;b]] [=[]]]=] [==[
]==] ${LIST} "${LIST}" "" VERBATIM ""
]====])
set(LIST "one;two;;three four;[five;six];\\")
set(PLAIN "wrong")
record_of(expected "add_custom_command(${plain})")
record_of(actual "_halidecache_custom_command(${plain})")
expect_same_text("arguments" "${expected}" "${actual}")
get_property(prefixed GLOBAL PROPERTY prefixed)
expect_equal("prefixed commands" "" "${prefixed}")

# The caller's variables, which a function sees, make no difference.
foreach (name IN ITEMS code compiles last i argument is_program type python prefix after equals position out value)
    set(${name} "surprise;]=]")
endforeach ()
record_of(actual "_halidecache_custom_command(${plain})")
expect_same_text("arguments" "${expected}" "${actual}")

# Python generators are known by the way Halide starts them; the prefix comes before the
# whole command.
set(python [=["${CMAKE_COMMAND}" -E env "PYTHONPATH=$<PATH:NORMAL_PATH,$<TARGET_FILE:x>/..>" -- launcher python gen.py -n x -g y "a;b"]=])
record_of(expected "add_custom_command(OUTPUT a COMMAND [=[helper;1]=] run --x= -- ${python} DEPENDS x)")
record_of(actual "_halidecache_custom_command(OUTPUT a COMMAND ${python} DEPENDS x)")
expect_same_text("Python generator" "${expected}" "${actual}")
get_property(prefixed GLOBAL PROPERTY prefixed)
expect_equal("prefixed commands" "<>" "${prefixed}")

# Other commands of Halide's are not generators.
foreach (
    other IN ITEMS
    "TARGET t POST_BUILD COMMAND /usr/bin/lipo -create a b -output c VERBATIM"
    "TARGET t POST_BUILD COMMAND powershell -NoProfile -ExecutionPolicy Bypass -File x.ps1 VERBATIM"
    "TARGET t POST_BUILD COMMAND [[${CMAKE_COMMAND}]] -E copy_if_different a b"
    "OUTPUT a COMMAND [[${CMAKE_COMMAND}]] -E env X=1 -- python gen.py -g y"
    "OUTPUT a COMMAND [[${CMAKE_COMMAND}]] -E env PYTHONPATH=x -- python tool.py"
)
    record_of(expected "add_custom_command(${other})")
    record_of(actual "_halidecache_custom_command(${other})")
    expect_same_text("not a generator" "${expected}" "${actual}")
endforeach ()
get_property(prefixed GLOBAL PROPERTY prefixed)
expect_equal("prefixed commands" "<>" "${prefixed}")
