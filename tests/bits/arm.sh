#!/bin/sh
# the scenes of bits.c on ARM (NEON) under emulation: the same bits as on this machine.
#   arm.sh <source-dir>
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

flags="-std=c17 -O2 -ffp-contract=off -Iinclude -Isrc"
# shellcheck disable=SC2086 # the flags are words on purpose
gcc $flags "$@" -lm -pthread -o "$work/here" && aarch64-linux-gnu-gcc $flags "$@" -static -lm -pthread -o "$work/arm"
"$work/here" >"$work/here.txt"
qemu-aarch64 "$work/arm" >"$work/arm.txt"
diff "$work/here.txt" "$work/arm.txt"
cat "$work/arm.txt"
echo "bits: ARM and this machine agree"
