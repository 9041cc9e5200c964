#!/bin/sh
# takes the library of other compilers and levels than the release, runs the scenes of bits.c twice each: all must print
# the same bits as the library of the release with its kernels for this processor.
#   run.sh <source-dir> <build-dir> [all]
# clang -O0 (tests/install/hosted.sh); with "all" also gcc -O1, gcc -O2, gcc -O3, clang -O1 and clang -O2 (make soak)
set -eu

source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
cd "$source"
all=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "bits: $compiler is missing: run 'scripts/setup test'" >&2; exit 1; }
done
[ -f "$build/libverve.a" ] || { echo "bits: $build/libverve.a is missing: build the release first" >&2; exit 1; }

flags="-std=c17 -ffp-contract=off -Iinclude -Isrc"
compile() { # compiler, level
    mkdir "$work/$1$2.o"
    for file in src/*/*.c; do
        case $file in
        src/tool/* | src/lab/* | src/live/* | src/studio/* | src/scene/* | src/draw/* | src/record/*) ;;
        *) echo "$file $work/$1$2.o/$(echo "$file" | tr / _).o" ;;
        esac
    done | xargs -P 2 -L 1 sh -c "$1 $2 $flags -c \"\$0\" -o \"\$1\""
    # shellcheck disable=SC2086 # words on purpose
    $1 "$2" $flags tests/bits/bits.c "$work/$1$2.o"/*.o -lm -pthread -o "$work/$1$2"
}

# shellcheck disable=SC2086
gcc -O2 $flags tests/bits/bits.c "$build/libverve.a" -lm -pthread -o "$work/release"
sh tests/install/hosted.sh "$source" "$build"
# shellcheck disable=SC2086
clang -O0 $flags tests/bits/bits.c "$build/hosted/verve/libverve.a" -lm -pthread -o "$work/clang-O0"
names="release clang-O0"
if [ "$all" = all ]; then
    for name in gcc-O1 gcc-O2 gcc-O3 clang-O1 clang-O2; do
        compile "${name%-*}" "-${name#*-}"
        names="$names $name"
    done
fi

different=0
for name in $names; do
    for run in 1 2; do
        "$work/$name" >"$work/$name.$run" || { echo "bits: a scene failed with $name" >&2; exit 1; }
        if ! cmp -s "$work/release.1" "$work/$name.$run"; then
            echo "bits: $name, run $run differs from the release:" >&2
            diff "$work/release.1" "$work/$name.$run" >&2 || true
            different=1
        fi
    done
done
cat "$work/release.1"
if [ $different -ne 0 ]; then exit 1; fi
echo "bits: $names agree, twice"
