#!/bin/sh
# runs what uses threads under ThreadSanitizer: any data race fails.
#   run.sh <source-dir> <build-dir> [all]
# The rooms whose code runs in tasks are compiled with it; what only the caller runs comes from build-dir/libverve.a. With
# "all" every room is, and threads with worlds of their own run beside each other.
set -eu

build=$(cd "$2" && pwd)
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

rooms="base linear energy contact solve"
tests="tests/base/workers_test.c tests/solve/local_global_test.c"
if [ "${3:-}" = all ]; then
    rooms="$rooms mesh shape integrate ledger world record"
    tests="$tests tests/world/threads_soak.c"
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
