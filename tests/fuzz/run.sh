#!/bin/sh
# runs every tests/fuzz/<noun>_fuzz.c under libFuzzer with the address and undefined sanitizers.
#   [RUNS=n] run.sh SECONDS [source-dir] [build-dir] [noun]
# With RUNS in the environment every target gets so many executions instead of SECONDS; one that is no plain reader says how
# many times fewer, "// fewer: 100". make test has a short look without libFuzzer (replay.c). A target names what is compiled with the
# sanitizers, "// rooms: base mesh"; the rest of the library comes from build-dir/../libverve.a as it is. Seeds are in tests/fuzz/corpus/<noun>. A failing input stays in the build directory as
# crash-<noun>-*; moved into the corpus, every later run tries it first.
set -eu

seconds=${1:-60}
runs=${RUNS:-}
root=$(cd "${2:-$(dirname "$0")/../..}" && pwd)
build=${3:-$root/build/fuzz}
only=${4:-}
mkdir -p "$build"
cd "$root"

command -v clang >/dev/null || { echo "fuzz: clang is missing: run 'scripts/setup test'" >&2; exit 1; }
flags="-std=c17 -O1 -gline-tables-only -ffp-contract=off -fno-omit-frame-pointer -fno-sanitize-recover=all -DVERVE_ASSERT_LEVEL=3
    -Iinclude -Isrc"
instrument=fuzzer-no-link,address,undefined

# a header that changed makes every object old
newest=$(find include src \( -name '*.h' -o -name '*.inc' \) -newer "$build/stamp" 2>/dev/null | head -n 1)
if [ ! -e "$build/stamp" ] || [ -n "$newest" ]; then rm -rf "$build/objects"; fi
touch "$build/stamp"

compile_room() { # the objects of a room, compiled where they are missing or old
    mkdir -p "$build/objects/$1"
    for file in src/"$1"/*.c; do
        object=$build/objects/$1/$(basename "$file" .c).o
        if [ ! -e "$object" ] || [ -n "$(find "$file" -newer "$object")" ]; then echo "$file $object"; fi
    done | xargs -P 2 -L 1 sh -c "[ -z \"\${1:-}\" ] || clang $(echo $flags) -fsanitize=$instrument -c \"\$0\" -o \"\$1\""
}

failed=0
found=0
for source in tests/fuzz/*_fuzz.c; do
    name=$(basename "$source" _fuzz.c)
    if [ -n "$only" ] && [ "$only" != "$name" ]; then continue; fi
    found=1
    rooms=$(sed -n 's,^// rooms: ,,p' "$source")
    objects=
    for room in $rooms; do
        compile_room "$room"
        objects="$objects $build/objects/$room/*.o"
    done
    # shellcheck disable=SC2086 # lists of words on purpose
    clang $flags -fsanitize=fuzzer,address,undefined "$source" $objects "$build/../libverve.a" -lm -pthread -o "$build/$name"
    # what is found goes to the build directory; the seeds stay as they are
    mkdir -p "$build/corpus/$name"
    limit=-max_total_time=$seconds
    if [ -n "$runs" ]; then
        fewer=$(sed -n 's,^// fewer: ,,p' "$source")
        limit=-runs=$((runs / ${fewer:-1}))
    fi
    echo "fuzz: $name, $limit"
    # a file of 4 kB has no business with blocks of 16 MB
    if ! "$build/$name" -seed=1 "$limit" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
        -malloc_limit_mb=16 -print_final_stats=1 -artifact_prefix="$build/crash-$name-" \
        "$build/corpus/$name" "tests/fuzz/corpus/$name" >"$build/$name.log" 2>&1; then
        tail -n 40 "$build/$name.log"
        echo "fuzz: $name failed; the input is $build/crash-$name-*" >&2
        failed=1
    fi
    grep -E 'number_of_executed_units|peak_rss' "$build/$name.log" || true
done
if [ $found -eq 0 ]; then echo "fuzz: no target '$only'" >&2; exit 2; fi
if [ $failed -ne 0 ]; then exit 1; fi
echo "fuzz: every target survived"
