#!/bin/sh
# unpacks the wheel as an installer would, and uses it from another folder.
#   wheel.sh <folder of the wheel> <python>
set -eu

folder=$(cd "$1" && pwd)
python=$2
wheel=$(ls -t "$folder"/verve-*.whl | head -n 1)
[ -n "$wheel" ] || { echo "wheel: no wheel in $folder" >&2; exit 1; }
case $wheel in
*-cp39-abi3-*) ;;
*) echo "wheel: $wheel is not of the stable ABI" >&2; exit 1 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m zipfile -e "$wheel" "$work/site"
for file in "$work"/site/verve/lib/*.so.* "$work"/site/verve/*.so; do
    if readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -v 'libpng' | grep -qE '\[[^]]*/[^]]*\]' &&
        ! readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -qE '\[\$ORIGIN(/lib)?\]'; then
        echo "wheel: $file remembers a path of the machine that made it" >&2
        exit 1
    fi
done
cd "$work"
env -u LD_LIBRARY_PATH -u VERVE_SCENES PYTHONPATH="$work/site" "$python" -B -c '
import os, verve
assert verve.__file__.startswith(os.getcwd()), verve.__file__
assert verve.scene_folder().startswith(os.path.realpath(os.getcwd())), verve.scene_folder()
world = verve.Scene("swing").world()
world.run(3)
assert world.picture().png()[1:4] == b"PNG"
maps = open("/proc/self/maps").read()
for library in ("libverve.so", "libverve-studio.so", "libpng"):
    used = {line.split()[-1] for line in maps.splitlines() if library in line}
    assert used and all(name.startswith(os.path.realpath(os.getcwd())) for name in used), used
print("wheel:", verve.__version__, world)
'
echo "wheel: $wheel"
