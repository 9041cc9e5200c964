#!/bin/sh
# runs the tests of a build with --coverage and prints the line coverage of every room; exit 1: a room of the library is below
# 95 %, or a test failed.
#   run.sh <source-dir> <build-dir>
# Left out: tests that compile on their own, and those that state long-run numbers of code that others walk through.
set -eu

cd "$1"
build=$2
find "$build" -name '*.gcda' -exec rm -f {} +
failed=0
ctest --test-dir "$build" --output-on-failure --no-tests=error -j2 --timeout 1500 \
    -E '^(bits|threads|fuzz|install)$|_reference|_convergence|^contact_bits|^tool_(calibrate|lab|advise|methods)' || failed=1
gcovr --root . --filter src/ -j 2 --json "$build/coverage.json" "$build/CMakeFiles"
python3 tests/coverage/rooms.py "$build/coverage.json" --lines >"$build/coverage.txt" || true
python3 tests/coverage/rooms.py "$build/coverage.json" || failed=1
echo "lines that were not run: $build/coverage.txt"
exit $failed
