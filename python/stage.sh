#!/bin/sh
# gathers what the package is made of in one folder: its sources, what is generated from the headers, the libraries and the
# scenes; with the extension built in place it can be imported from there (PYTHONPATH) and packed (python3 -m build).
#   stage.sh <source-dir> <build-dir> <python> [wheel]
set -eu

source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
python=$3
stage=$build/python/stage
mkdir -p "$stage/verve/lib"

# copies what changed, so that the extension is compiled again only then
place() { cmp -s "$1" "$2" 2>/dev/null || cp -L "$1" "$2"; }

for library in libverve.so.0 libverve-studio.so.0; do
    [ -f "$build/$library" ] || { echo "python: no $build/$library: run make first" >&2; exit 1; }
    place "$build/$library" "$stage/verve/lib/$library"
    ln -sf "$library" "$stage/verve/lib/${library%.0}"
done
# libpng comes along, with its licence: a machine with Python need not have it
png=$(ldd "$build/libverve-studio.so.0" | sed -n 's/.*\(libpng[^ ]*\) => \([^ ]*\) .*/\2/p')
if [ -n "$png" ]; then
    place "$png" "$stage/verve/lib/$(basename "$png")"
    if [ -f /usr/share/doc/libpng16-16/copyright ]; then place /usr/share/doc/libpng16-16/copyright "$stage/verve/lib/libpng.copyright"; fi
fi
rm -rf "$stage/include" "$stage/verve/scenes" "$stage/build"
cp -R "$source/include" "$stage/include"
mkdir "$stage/verve/scenes"
cp "$source"/scenes/*.json "$stage/verve/scenes/"
find "$source/scenes" -maxdepth 1 -name '*.obj' -exec cp {} "$stage/verve/scenes/" \;
for file in setup.py pyproject.toml build_native.py native.c README.md MANIFEST.in; do place "$source/python/$file" "$stage/$file"; done
for file in "$source"/python/verve/*.py "$source"/python/verve/py.typed; do place "$file" "$stage/verve/$(basename "$file")"; done
place "$source/LICENSE" "$stage/LICENSE"
sed -n 's/^project(verve VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt" >"$stage/VERSION"
"$python" -B "$source/python/generate.py" "$source/include" "$build/python/generated"
for file in _cdef.h _api.py _api.pyi _core.pyi _extra.pyi _native.pyi _worlds.pyi; do place "$build/python/generated/$file" "$stage/verve/$file"; done

# the extension, where something that it is made of is newer
cd "$stage"
if [ ! -f verve/_native.abi3.so ] || [ -n "$(find verve/_cdef.h native.c build_native.py -newer verve/_native.abi3.so)" ]; then
    "$python" -B setup.py -q build_ext --inplace >"$build/python/native.log" 2>&1 ||
        { cat "$build/python/native.log" >&2; echo "python: the extension was not built" >&2; exit 1; }
fi
