#!/bin/sh
# compiles the library with every compiler and level, runs the scenes of bits.c twice each: all must print the same bits.
#   run.sh <source-dir> [all]
# gcc -O1 and clang -O2; with "all" also gcc -O2, gcc -O3 and clang -O1 (make soak)
set -eu

cd "$1"
all=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "bits: $compiler is missing: run 'scripts/setup test'" >&2; exit 1; }
done

set -- tests/bits/bits.c
for file in src/*/*.c; do
    case $file in
    src/tool/* | src/scene/* | src/draw/* | src/record/*) ;;
    *) set -- "$@" "$file" ;;
    esac
done

build() { # compiler, level, sources
    compiler=$1
    level=$2
    shift 2
    $compiler -std=c17 "$level" -ffp-contract=off -Iinclude -Isrc "$@" -lm -pthread -o "$work/$compiler$level"
}

# one chain per compiler, side by side
names="gcc-O1 clang-O2"
if [ "$all" = all ]; then names="$names gcc-O2 gcc-O3 clang-O1"; fi
chain_of() { # compiler, sources
    chosen=$1
    shift
    for name in $names; do
        case $name in
        "$chosen"-*) build "$chosen" "-${name#*-}" "$@" || return 1 ;;
        esac
    done
}
chain_of clang "$@" &
chain=$!
chain_of gcc "$@"
wait $chain || { echo "bits: clang failed" >&2; exit 1; }

different=0
for name in $names; do
    for run in 1 2; do
        "$work/$name" >"$work/$name.$run" || { echo "bits: a scene failed with $name" >&2; exit 1; }
        if ! cmp -s "$work/gcc-O1.1" "$work/$name.$run"; then
            echo "bits: $name, run $run differs from gcc-O1:" >&2
            diff "$work/gcc-O1.1" "$work/$name.$run" >&2 || true
            different=1
        fi
    done
done
cat "$work/gcc-O1.1"
if [ $different -ne 0 ]; then exit 1; fi
echo "bits: $names agree, twice"
