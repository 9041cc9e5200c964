#!/bin/sh
# what the tests of the rooms do not see of the build for Windows: the same bits, records and words as on this machine, and
# functions exported by the DLL.
#   run.sh <source-dir> <build-dir> <windows-build-dir>
set -eu

cd "$1"
here=$2
there=$3
wine=$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "windows: $*" >&2
    exit 1
}

flags="-std=c17 -O2 -ffp-contract=off -Iinclude -Isrc"
# shellcheck disable=SC2086 # the flags are words on purpose
{
    gcc $flags tests/bits/bits.c "$here/libverve.a" -lm -pthread -o "$work/here"
    x86_64-w64-mingw32-gcc $flags -D__USE_MINGW_ANSI_STDIO=1 tests/bits/bits.c "$there/libverve.a" -lm -o "$work/static.exe"
    x86_64-w64-mingw32-gcc $flags -D__USE_MINGW_ANSI_STDIO=1 -DVERVE_SHARED examples/hello.c "$there/libverve.dll.a" -lm \
        -o "$work/shared.exe"
}
"$work/here" >"$work/here.txt"
"$wine" "$work/static.exe" | tr -d '\r' >"$work/there.txt"
diff "$work/here.txt" "$work/there.txt"
cat "$work/there.txt"

cp "$there/libverve.dll" "$work"
(cd "$work" && "$wine" ./shared.exe >shared.txt) || fail "a program with the DLL does not run"
[ -s "$work/shared.txt" ] || fail "a program with the DLL prints nothing"

# the same files from both tools; a folder whose name is not ASCII, and is not there yet
for scene in swing pile; do
    "$here/verve" run $scene --frames 12 --threads 2 --quiet --out "$work/Länder/here-$scene"
    (cd "$work" && "$wine" "$OLDPWD/$there/verve.exe" run $scene --frames 12 --threads 2 --quiet --out "Länder\\there-$scene")
    for file in "$work/Länder/here-$scene"/*; do
        name=$(basename "$file")
        cmp "$file" "$work/Länder/there-$scene/$name" || fail "$scene: $name is different"
    done
done
"$here/verve" version >"$work/here.txt"
"$wine" "$there/verve.exe" version >"$work/there.txt"
grep -v '^instruction' "$work/here.txt" >"$work/a"
grep -v '^instruction' "$work/there.txt" >"$work/b"
diff "$work/a" "$work/b"
code=0
"$wine" "$there/verve.exe" run no-such-scene >"$work/words.txt" 2>&1 || code=$?
[ $code -ne 0 ] || fail "a scene that is not there was run"
"$wine" "$there/verve.exe" render "$work/Länder/there-swing" --out "$work/x.png" >"$work/words.txt" 2>&1 && fail "a picture without libpng"
grep -q libpng "$work/words.txt" || fail "render does not say which library is missing: $(cat "$work/words.txt")"
echo "windows: bits, records and words agree with this machine"
