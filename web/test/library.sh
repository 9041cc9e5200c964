#!/bin/sh
# tests of the library as WebAssembly, under node: the program of tests/wasm/tests.cmake, one process for each test.
#   library.sh BUILD REGEX      BUILD: configured with Emscripten and VERVE_TESTS; REGEX: names of tests, "." for all
# JOBS of them run at a time (default: one per core). BUILD/library/NAME.log has what each said, times.txt the seconds.
# Not built are record_crash, record_failure, record_steps and linear_front_cholmod (posix_only in tests/CMakeLists.txt): they
# kill processes, replace functions of the C library, or need CHOLMOD; and tests that read PNG or GIF files back.
set -eu

build=$(cd "$1" && pwd)
logs=$build/library
export NODE_PATH=/usr/share/nodejs
threads='^base_workers$' # these start threads, and run in the program that has them

if [ "${3:-}" ]; then # one test: this script calls itself, so that xargs keeps JOBS of them at work
    program=wasm_tests
    if echo "$3" | grep -Eq "$threads"; then program=wasm_tests_threads; fi
    begin=$(date +%s)
    mkdir -p "$logs/$3" # some write files beside them
    cd "$logs/$3"
    # the glue of this Emscripten does not start where node has fetch
    if node --no-experimental-fetch "$build/tests/$program.js" "$3" >"$logs/$3.log" 2>&1; then word=passed; else word=failed; fi
    echo "$word $3 $(($(date +%s) - begin))" >>"$logs/times.txt"
    [ $word = passed ] || { echo "---- $3"; tail -8 "$logs/$3.log"; }
    exit 0
fi

jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
cmake --build "$build" --target wasm_tests wasm_tests_threads --parallel "$jobs" >"$build/library.log" 2>&1 ||
    { tail -20 "$build/library.log"; exit 1; }
rm -rf "$logs"
mkdir -p "$logs"
node --no-experimental-fetch "$build/tests/wasm_tests.js" | grep -E "$2" >"$logs/names.txt"
xargs -P "$jobs" -n 1 sh "$(cd "$(dirname "$0")" && pwd)/library.sh" "$build" . <"$logs/names.txt"
passed=$(grep -c '^passed ' "$logs/times.txt") || true
failed=$(sed -n 's/^failed \([^ ]*\) .*/ \1/p' "$logs/times.txt" | tr -d '\n')
echo "library: $passed of $(wc -l <"$logs/names.txt") tests passed under node${failed:+; failed:$failed}"
[ -z "$failed" ] && [ "$passed" -eq "$(wc -l <"$logs/names.txt")" ] && [ "$passed" -gt 0 ]
