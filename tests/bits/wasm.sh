#!/bin/sh
# the scenes of bits.c in WebAssembly, with and without its vectors: the same bits as on this machine.
#   wasm.sh <source-dir>
set -eu

cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

set -- tests/bits/bits.c
for file in src/*/*.c; do
    case $file in
    src/tool/* | src/lab/* | src/live/* | src/studio/* | src/scene/* | src/draw/* | src/record/*) ;;
    *) set -- "$@" "$file" ;;
    esac
done

# where Debian keeps the node modules that its emcc needs. The program is standalone, run by wasm.mjs: the node glue of
# this emcc does not start on a newer node. Why no vectorizer of straight code: CMakeLists.txt
export NODE_PATH=/usr/share/nodejs
flags="-std=c17 -O2 -ffp-contract=off -Wall -Wextra -Werror -Wno-psabi -Iinclude -Isrc"
wasm="-sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH"
# shellcheck disable=SC2086 # the flags are words on purpose
{
    gcc $flags "$@" -lm -pthread -o "$work/here"
    emcc $flags $wasm "$@" -lm -o "$work/scalar.wasm"
    emcc $flags $wasm -msimd128 -fno-slp-vectorize "$@" -lm -o "$work/simd128.wasm"
}
"$work/here" >"$work/here.txt"
for name in scalar simd128; do
    node tests/bits/wasm.mjs "$work/$name.wasm" >"$work/$name.txt"
    diff "$work/here.txt" "$work/$name.txt"
done
cat "$work/simd128.txt"
echo "bits: WebAssembly, scalar and SIMD128, and this machine agree"
