#!/bin/sh
# records a scene and reads it with Blender (OBJ, PC2) and OpenUSD (USDA).
#   tests/exports/record.sh RECORD_SCENE PLACE    npm packages are installed into PLACE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scene=$1
mkdir -p "$2"
place=$(cd "$2" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$scene" "$folder"

# -noaudio and no user settings: the same on every machine
blender -b -noaudio --factory-startup --python "$here/blender.py" -- "$folder" >"$folder/blender.log" 2>&1 || {
    cat "$folder/blender.log" >&2
    exit 1
}
grep '^blender:' "$folder/blender.log"

if [ ! -d "$place/node_modules/three-usdz-loader" ] || [ ! -d "$place/node_modules/playwright-core" ]; then
    npm install --prefix "$place" --no-audit --no-fund --no-save --legacy-peer-deps \
        three-usdz-loader@1.0.9 playwright-core@1 >"$folder/npm.log" 2>&1 || {
        cat "$folder/npm.log" >&2
        exit 1
    }
fi
node "$here/usd.mjs" "$folder" "$place/node_modules"
