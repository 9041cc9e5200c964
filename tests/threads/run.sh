#!/bin/sh
# runs what uses threads under ThreadSanitizer: any data race fails.
#   run.sh <source-dir>
set -eu

cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

flags="-std=c17 -O1 -g -fsanitize=thread -ffp-contract=off -Iinclude -Isrc -Itests"
for file in src/*/*.c; do
    case $file in
    src/tool/* | src/scene/* | src/draw/* | src/record/*) ;;
    *) echo "$file $work/$(echo "$file" | tr / _).o" ;;
    esac
done | xargs -P 2 -L 1 sh -c "gcc $flags -c \"\$0\" -o \"\$1\""

for test in tests/base/workers_test.c tests/solve/local_global_test.c; do
    # shellcheck disable=SC2086 # words on purpose
    gcc $flags "$test" "$work"/*.o -lcmocka -lm -pthread -o "$work/test"
    TSAN_OPTIONS=halt_on_error=1 "$work/test"
done
echo "threads: no data race in the workers and in local/global"
