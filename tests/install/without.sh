#!/bin/sh
# configures without the optional libraries, switched off and not found, and compiles the files that would use them.
#   without.sh <source-dir>
set -eu

source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset MAKEFLAGS MFLAGS MAKELEVEL

fail() {
    echo "without: $*" >&2
    exit 1
}

try() { # name, options of cmake
    name=$1
    shift
    cmake -S "$source" -B "$work/$name" -G "Unix Makefiles" -DVERVE_EXAMPLES=OFF "$@" >"$work/log" 2>&1 ||
        { cat "$work/log"; fail "$name: configure failed"; }
    for package in libpng-dev libgif-dev; do
        grep -q "will write no .*$package" "$work/log" || fail "$name: cmake does not name $package"
    done
    for file in png gif; do
        make -C "$work/$name" "src/draw/$file.o" >"$work/log" 2>&1 || { cat "$work/log"; fail "$name: $file.c"; }
    done
    strangers=$(find "$work/$name" \( -name png.c.o -o -name gif.c.o \) -exec nm -u {} + | grep -E ' (png_|EGif|Gif)' || true)
    [ -z "$strangers" ] || fail "$name: these are asked for:" $strangers
    [ "$(find "$work/$name" \( -name png.c.o -o -name gif.c.o \) | wc -l)" -eq 2 ] || fail "$name: no objects"
}
try off -DVERVE_PNG=OFF -DVERVE_GIF=OFF
try absent -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON -DCMAKE_DISABLE_FIND_PACKAGE_GIF=ON
echo "without: passed"
