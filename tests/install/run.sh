#!/bin/sh
# installs a build into a staging folder, moves it, and uses it as a stranger would.
#   run.sh <build-dir> <source-dir>
set -eu

build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cc=${CC:-cc}
unset MAKEFLAGS MFLAGS MAKELEVEL

fail() {
    echo "install: $*" >&2
    exit 1
}

# runs a program and remembers what it printed: every build must print the same line
expected=
check_run() {
    label=$1
    shift
    line=$("$@") || fail "$label: the program failed"
    echo "$label: $line"
    if [ -z "$expected" ]; then expected=$line; fi
    [ "$line" = "$expected" ] || fail "$label: want '$expected'"
}

needed() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

# stage with DESTDIR, then move: neither pkg-config nor cmake may remember where it was
cp -R "$source/tests/install" "$work/user"
DESTDIR="$work/stage" cmake --install "$build" --prefix /opt/verve >"$work/log" || fail "cmake --install failed"
prefix="$work/moved"
mv "$work/stage/opt/verve" "$prefix"
[ -z "$(find "$work/stage" ! -type d)" ] || fail "files outside the prefix: $(find "$work/stage" ! -type d)"
[ -x "$prefix/bin/verve" ] || fail "the verve tool is not in bin"
[ -n "$(find "$prefix/share/doc" -name LICENSE)" ] || fail "no licence under share/doc"
grep -q '^.SS "verve run' "$prefix/share/man/man1/verve.1" || fail "no man page"
bash -n "$prefix/share/bash-completion/completions/verve" || fail "no completion for bash"
[ -s "$prefix/share/zsh/site-functions/_verve" ] || fail "no completion for zsh"
[ -s "$prefix/share/fish/vendor_completions.d/verve.fish" ] || fail "no completion for fish"
(cd "$work" && "$prefix/bin/verve" run swing --frames 2 --no-record --quiet) || fail "the installed tool does not find its scenes"
[ -f "$prefix/share/verve/scenes/swing.json" ] || fail "no scenes under share/verve"
(cd "$work" && unset VERVE_SCENES && "$prefix/bin/verve" check swing >"$work/log") || fail "verve check swing: no shipped scene found"
library=$(find "$prefix" -name libverve.so)
[ -n "$library" ] || fail "no libverve.so"
libraries=$(dirname "$library")
[ -f "$libraries/libverve.a" ] || fail "no libverve.a"

# the shared library: its soname, and no name that is not ours
soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = libverve.so.0 ] || fail "soname is '$soname', want libverve.so.0"
[ -e "$libraries/$soname" ] || fail "no $soname beside libverve.so"
names=$(nm -D --defined-only "$library" | awk '{ print $NF }')
strangers=$(echo "$names" | grep -v '^vv' || true)
[ -z "$strangers" ] || fail "exported names without vv:" $strangers
declared=$(cat $(ls "$prefix"/include/verve/*.h | grep -v /studio.h) | sed -n "s/^VV_API \([^(]*\)(.*/\1/p" | sed "s/.*[ *]//")
[ -n "$declared" ] || fail "no functions in the headers"
for name in $declared; do
    echo "$names" | grep -qx "$name" || fail "$name is declared but not exported"
done
echo "soname $soname, $(echo "$names" | wc -l) exported names, all vv"

# the studio: the names of its header and no others, and no second table of worlds inside
studio="$libraries/libverve-studio.so"
[ -f "$libraries/libverve-studio.a" ] || fail "no libverve-studio.a"
needed "$studio" | grep -qx "$soname" || fail "libverve-studio.so does not need $soname"
nm -D --defined-only "$studio" | awk '{ print $NF }' | sort >"$work/has"
sed -n "s/^VV_API \([^(]*\)(.*/\1/p" "$prefix/include/verve/studio.h" | sed "s/.*[ *]//" | sort >"$work/wants"
diff "$work/wants" "$work/has" || fail "libverve-studio.so does not export what studio.h declares"
nm "$build/libverve-studio.so" | awk '{ print $NF }' | grep -qx worldInsert && fail "libverve-studio.so has a table of worlds of its own"
nm -D --undefined-only "$studio" | grep -qw vvCreateWorld || fail "libverve-studio.so does not take vvCreateWorld from libverve.so"

# pkg-config, shared and static
PKG_CONFIG_PATH="$libraries/pkgconfig"
export PKG_CONFIG_PATH
cd "$work/user"
version=$(pkg-config --modversion verve)
eval "set -- $(pkg-config --cflags --libs verve)"
"$cc" -std=c17 -Wall -Wextra -Wpedantic -Werror program.c "$@" -o pkg_shared
needed pkg_shared | grep -qx "$soname" || fail "pkg_shared does not need $soname"
check_run "pkg-config shared" env LD_LIBRARY_PATH="$libraries" ./pkg_shared
case $expected in
"verve $version total "*) ;;
*) fail "pkg-config says $version, the library says: $expected" ;;
esac
eval "set -- $(pkg-config --static --cflags --libs verve)"
"$cc" -std=c17 -static program.c "$@" -o pkg_static
[ -z "$(needed pkg_static)" ] || fail "pkg_static needs $(needed pkg_static)"
check_run "pkg-config static" ./pkg_static

# the studio, shared and static: another expected line, of a scene whose shapes the shared one must know, too; the scenes are found beside
# the library
kept=$expected
expected=
eval "set -- $(pkg-config --cflags --libs verve-studio)"
"$cc" -std=c17 -Wall -Wextra -Wpedantic -Werror studio.c "$@" -o pkg_studio
check_run "pkg-config studio shared" env -u VERVE_SCENES LD_LIBRARY_PATH="$libraries" ./pkg_studio
eval "set -- $(pkg-config --static --cflags --libs verve-studio | sed 's/-lverve-studio/-l:libverve-studio.a/; s/-lverve /-l:libverve.a /')"
"$cc" -std=c17 studio.c "$@" -o pkg_studio_static
needed pkg_studio_static | grep -q verve && fail "pkg_studio_static needs libverve"
check_run "pkg-config studio static" ./pkg_studio_static "$prefix/share/verve/scenes/crate-on-jelly.json"
studio_line=$expected
expected=$kept

# each header alone, in C and in C++, read in one sitting and part of verve.h; then a C++ program
for header in "$prefix"/include/verve/*.h; do
    name=$(basename "$header")
    [ "$(wc -l <"$header")" -lt 300 ] || fail "$name has 300 lines or more"
    [ "$name" = verve.h ] || [ "$name" = studio.h ] || grep -q "^#include <verve/$name>" "$prefix/include/verve/verve.h" || fail "verve.h does not include $name"
    "$cc" -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -x c "$header"
    g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -x c++ "$header"
done
eval "set -- $(pkg-config --cflags --libs verve)"
g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror version.cpp "$@" -o version
[ "$(LD_LIBRARY_PATH="$libraries" ./version)" = "verve $version" ] || fail "the c++ program does not print $version"
echo "c++: verve $version"

# cmake: find_package, then as a subproject
check_project() {
    name=$1
    folder=$2
    needed "$folder/program_shared" | grep -qx "$soname" || fail "$name: program_shared does not need $soname"
    needed "$folder/program_static" | grep -q verve && fail "$name: program_static needs libverve"
    check_run "$name shared" "$folder/program_shared"
    check_run "$name static" "$folder/program_static"
}
cmake -S . -B found -DCMAKE_PREFIX_PATH="$prefix" -DVERVE_WANT="$version" >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "find_package: configure failed"; }
cmake --build found >"$work/log" 2>&1 || { cat "$work/log"; fail "find_package: build failed"; }
check_project "find_package" found
expected=$studio_line
check_run "find_package studio" found/studio_shared
check_run "find_package studio_static" found/studio_static "$prefix/share/verve/scenes/crate-on-jelly.json"
expected=$kept
sh "$source/tests/install/hosted.sh" "$source" "$build"
check_project "add_subdirectory" "$build/hosted"
echo "install: passed"
