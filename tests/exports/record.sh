#!/bin/sh
# records a scene and reads it with Blender (OBJ, PLY, PC2, MDD, glTF), OpenUSD (USDA) and three.js (glTF); so a jelly from
# an OBJ file with texture coordinates.
#   tests/exports/record.sh RECORD_SCENE PLACE VERVE    npm packages are installed into PLACE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scene=$1
mkdir -p "$2"
place=$(cd "$2" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
verve=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
"$scene" "$folder"

mkdir "$folder/jelly"
python3 -B "$here/../tool/melon.py" "$folder/jelly/melon.obj"
cat >"$folder/jelly/melon.json" <<'END'
{ "verve": 1, "frames": 90, "colliders": [ { "shape": "plane" } ], "bodies": [
  { "mesh": { "file": "melon.obj", "solid": { "kind": "cage" } }, "material": "jelly", "position": [0, 0.5, 0] } ] }
END
"$verve" run "$folder/jelly/melon.json" --out "$folder/melon" --format glb --quiet

in_blender() { # script, words
    script=$1
    shift
    # -noaudio and no user settings: the same on every machine
    blender -b -noaudio --factory-startup --python "$here/$script" -- "$@" >"$folder/blender.log" 2>&1 || {
        cat "$folder/blender.log" >&2
        exit 1
    }
    grep '^blender:' "$folder/blender.log"
}
in_blender blender.py "$folder"
in_blender blender_gltf.py 64 "$folder"
in_blender blender_gltf.py 60 "$folder/melon"

if [ ! -d "$place/node_modules/three-usdz-loader" ] || [ ! -d "$place/node_modules/playwright-core" ] ||
    [ ! -d "$place/node_modules/three" ]; then
    npm install --prefix "$place" --no-audit --no-fund --no-save --legacy-peer-deps \
        three-usdz-loader@1.0.9 playwright-core@1 three@0.160 >"$folder/npm.log" 2>&1 || {
        cat "$folder/npm.log" >&2
        exit 1
    }
fi
node "$here/usd.mjs" "$folder" "$place/node_modules"
node "$here/gltf.mjs" "$place/node_modules" "$folder" "$folder/melon"
