# writes OUT, a C source with the bytes of STYLE and SCRIPT
set(text "// made by cmake/player.cmake\n")
foreach(name STYLE SCRIPT)
  file(READ "${${name}}" hex HEX)
  string(LENGTH "${hex}" size)
  math(EXPR size "${size} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(SUBSTRING "${name}" 0 1 first)
  string(SUBSTRING "${name}" 1 -1 rest)
  string(TOLOWER "${rest}" rest)
  string(APPEND text "extern const unsigned char player${first}${rest}[];\nextern const unsigned player${first}${rest}Size;\n"
    "const unsigned char player${first}${rest}[] = { ${bytes} };\nconst unsigned player${first}${rest}Size = ${size};\n")
endforeach()
file(WRITE "${OUT}" "${text}")
