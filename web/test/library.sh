#!/bin/sh
# tests of the library as WebAssembly, under node.
#   library.sh BUILD REGEX      BUILD: configured with Emscripten and VERVE_TESTS; REGEX: names of tests, "." for all
set -eu

export NODE_PATH=/usr/share/nodejs
targets=$(cmake --build "$1" --target help | sed -n 's/^\(test_[a-z0-9_]*\):.*/\1/p; s/^\.\.\. \(test_[a-z0-9_]*\)$/\1/p' | sort -u)
passed=0
failed=
for target in $targets; do
    echo "${target#test_}" | grep -Eq "$2" || continue
    cmake --build "$1" --target "$target" >"$1/library.log" 2>&1 || { tail -5 "$1/library.log"; failed="$failed $target"; continue; }
    # the glue of this Emscripten does not start where node has fetch
    if node --no-experimental-fetch "$1/tests/$target.js" >"$1/library.log" 2>&1; then
        passed=$((passed + 1))
    else
        tail -5 "$1/library.log"
        failed="$failed $target"
    fi
done
echo "library: $passed tests passed under node${failed:+; failed:$failed}"
[ -z "$failed" ] && [ "$passed" -gt 0 ]
