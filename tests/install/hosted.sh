#!/bin/sh
# builds verve as the subproject of a user's project, by clang and with the flags of its host, in <build-dir>/hosted: one build
# for the tests that need another compiler's library (bits) and those that need a host (install). It is not optimised: compiling is
# all that it costs, and make soak has the other levels.
#   hosted.sh <source-dir> <build-dir>
set -eu

command -v clang >/dev/null || { echo "hosted: clang is missing: run 'scripts/setup test'" >&2; exit 1; }
unset MAKEFLAGS MFLAGS MAKELEVEL
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
log=$build/hosted.log
cmake -S "$source/tests/install" -B "$build/hosted" -DVERVE_SOURCE="$source" -DVERVE_WIDE=OFF -DCMAKE_C_COMPILER=clang \
    -DCMAKE_C_FLAGS=-O0 >"$log" 2>&1 || { cat "$log"; echo "hosted: configure failed" >&2; exit 1; }
cmake --build "$build/hosted" --parallel 2 >"$log" 2>&1 || { cat "$log"; echo "hosted: build failed" >&2; exit 1; }
# clang also makes the page, where its warnings are errors
! grep -n 'warning:' "$log" >&2 || { echo "hosted: clang warns" >&2; exit 1; }
