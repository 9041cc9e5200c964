#!/bin/sh
# records a scene and reads it with Blender (OBJ, PLY, PC2, MDD, glTF), OpenUSD (USDA) and three.js (glTF), alone and in
# Chromium; so a jelly from an OBJ file with texture coordinates, and bodies whose mesh changes.
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
"$verve" run "$here/rigid.json" --out "$folder/rigid" --format glb,usda,obj --quiet
in_blender blender_rigid.py "$folder/rigid"

# bodies whose mesh changes: a steak that is cut, and a sheet that is shot through, torn in one frame after the other
for name in steak shot; do
    "$verve" run $name --frames 40 --out "$folder/$name" --format obj,ply,vtu,usda,glb --quiet
    /usr/bin/python3 -B "$here/changed_vtk.py" "$folder/$name"
    in_blender blender_changed.py "$folder/$name" 1e-3
done

# PLY as VTK reads it: quads, and points parted along the seam of the texture coordinates
"$verve" mesh convert "$folder/jelly/melon.obj" "$folder/jelly/melon.ply" >"$folder/convert.log"
/usr/bin/python3 - "$folder/jelly/melon.ply" <<'END'
import sys
import vtk

reader = vtk.vtkPLYReader()
reader.SetFileName(sys.argv[1])
reader.Update()
mesh = reader.GetOutput()
found = (mesh.GetNumberOfPoints(), mesh.GetNumberOfPolys(), mesh.GetCell(50).GetNumberOfPoints())
if found != (151, 128, 4) or mesh.GetPointData().GetTCoords() is None:
    sys.exit("exports: VTK reads a PLY file as %s" % (found,))
print("vtk: PLY with quads and texture coordinates agrees")
END

# what Blender writes: closed in spite of the seam, where its node puts it, with texture coordinates
in_blender blender_out.py "$folder/jelly"
for file in ball.glb ball.gltf embedded.gltf; do
    "$verve" mesh info "$folder/jelly/$file" --json |
        grep -q '"vertices": 114, .*"triangles": 224, .*"closed": true, .*"upper": \[1, 5, 1\]' || {
        echo "exports: $file of Blender is read as something else" >&2
        exit 1
    }
    "$verve" mesh convert "$folder/jelly/$file" "$folder/jelly/ball.obj" >"$folder/convert.log"
    grep -q '^f [0-9]*/[0-9]* [0-9]*/[0-9]* [0-9]*/[0-9]*$' "$folder/jelly/ball.obj" || {
        echo "exports: $file lost its texture coordinates" >&2
        exit 1
    }
done

# what it reads of a mesh with texture coordinates
"$verve" mesh convert "$folder/jelly/melon.obj" "$folder/jelly/melon.glb" >"$folder/convert.log"
in_blender blender_in.py "$folder/jelly/melon.glb" 114 224 2

# what it animates: a skin with a skeleton that moves and a shape key
in_blender blender_anim.py "$folder/jelly"
python3 -B "$here/dancer.py" "$folder/jelly" "$verve"

if [ ! -d "$place/node_modules/three-usdz-loader" ] || [ ! -d "$place/node_modules/playwright-core" ] ||
    [ ! -d "$place/node_modules/three" ]; then
    npm install --prefix "$place" --no-audit --no-fund --no-save --legacy-peer-deps \
        three-usdz-loader@1.0.9 playwright-core@1 three@0.160 >"$folder/npm.log" 2>&1 || {
        cat "$folder/npm.log" >&2
        exit 1
    }
fi
node "$here/usd.mjs" "$folder" "$place/node_modules" "$folder/rigid" "$folder/steak" "$folder/shot"
node "$here/gltf.mjs" "$place/node_modules" "$folder" "$folder/melon"
node "$here/gltf_fluid.mjs" "$place/node_modules" "$folder/rigid"
for name in steak shot; do node "$here/changed_gltf.mjs" "$place/node_modules" "$folder/$name" 1e-3; done
"$verve" run "$folder/jelly/melon.json" --frames 400 --set bodies.0.mesh.solid.cells=5 --out "$folder/long" --format glb --quiet
node "$here/gltf_page.mjs" "$place/node_modules" "$folder/long"
