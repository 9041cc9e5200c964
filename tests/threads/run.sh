#!/bin/sh
# runs what uses threads under ThreadSanitizer: any data race fails.
#   run.sh <source-dir> <build-dir> [all]
# The workers alone, the rest comes from build-dir/libverve.a; with "all" (make soak) every room is compiled with it, the
# solver runs, and threads with worlds of their own run beside each other.
set -eu

build=$(cd "$2" && pwd)
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

rooms="base"
tests="tests/base/workers_test.c"
if [ "${3:-}" = all ]; then
    rooms="$rooms linear energy contact solve rigid fluid mesh shape integrate ledger world record"
    tests="$tests tests/solve/local_global_test.c tests/world/threads_soak.c"
fi
flags="-std=c17 -O1 -g1 -Wno-psabi -fsanitize=thread -ffp-contract=off -Iinclude -Isrc -Itests"
for room in $rooms; do
    for file in src/"$room"/*.c; do
        echo "$file $work/$(echo "$file" | tr / _).o"
    done
done | xargs -P 2 -L 1 sh -c "gcc $flags -c \"\$0\" -o \"\$1\""

for test in $tests; do
    # shellcheck disable=SC2086 # words on purpose
    gcc $flags "$test" "$work"/*.o "$build/libverve.a" -lcmocka -lm -pthread -o "$work/test"
    TSAN_OPTIONS=halt_on_error=1 "$work/test"
done
echo "threads: no data race in $tests"
