#!/bin/sh
# a closed OBJ of somebody else becomes a jelly that falls, bounces and comes to rest, and plays as glTF with its texture
# coordinates; `verve export` makes the same file from what a killed run left.
#   export.sh <verve>
set -eu

verve=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

fail() {
    echo "export: $*" >&2
    exit 1
}

expect() { # exit code, words that stdout or stderr must hold, command...
    code=$1
    words=$2
    shift 2
    got=0
    "$@" >out 2>&1 || got=$?
    if [ "$got" -ne "$code" ] || ! grep -qF -- "$words" out; then
        echo "export: '$*' gave $got and this, want $code and '$words':" >&2
        cat out >&2
        exit 1
    fi
}

python3 -B "$here/melon.py" melon.obj
cat >melon.json <<'END'
{ "verve": 1, "frames": 900, "colliders": [ { "shape": "plane" } ], "bodies": [
  { "mesh": { "file": "melon.obj", "solid": { "kind": "cage", "cells": 5 } }, "material": "jelly", "position": [0, 0.5, 0] } ] }
END
"$verve" run melon.json --out melon --format glb --quiet || fail "the run failed"
awk -F, 'NR > 1 { if ($3 > most) most = $3; last = $3; if ($5 < low || low == "") { low = $5; rose = 0 } if ($5 - low > rose) rose = $5 - low }
    END { exit !(most > 10 && rose > 1 && last < 1e-3 * most) }' melon/ledger.csv || fail "the melon does not fall, bounce and rest"

expect 0 'loses its texture coordinates' "$verve" check melon.json --set bodies.0.mesh.solid.kind=conforming
"$verve" check melon.json | grep -q 'loses its texture' && fail "a cage keeps its texture coordinates"
expect 0 '128 faces; 153 texture coordinates, 0 groups, 2 materials' "$verve" mesh info melon.obj
expect 0 '"faces": 128, "textureCoordinates": 153' "$verve" mesh info melon.obj --json
"$verve" mesh doctor melon.obj --fix mended.obj >out
expect 0 '128 faces; 153 texture coordinates, 0 groups, 2 materials' "$verve" mesh info mended.obj
"$verve" mesh convert melon.obj welded.obj --weld >out
expect 0 '128 faces; 153 texture coordinates, 0 groups, 2 materials' "$verve" mesh info welded.obj

# the first second, every frame within a two-thousandth of the body
"$verve" run melon.json --out short --frames 60 --format glb,mdd,ply --quiet
python3 -B "$here/glb.py" short 1.3e-4
cp short/frames.glb whole.glb

# what a killed run leaves: the point cache, and no glTF
rm short/frames.glb
expect 0 '61 frames as glb' "$verve" export short
cmp whole.glb short/frames.glb || fail "the export differs from the run's own"
mv short/frames.mdd whole.mdd
expect 0 '61 frames as mdd,glb' "$verve" export short --format mdd,glb
cmp whole.mdd short/frames.mdd || fail "the MDD of the export differs"
python3 - <<'END' || fail "the MDD is not the point cache"
import struct
mdd, pc2 = open("short/frames.mdd", "rb").read(), open("short/frames.pc2", "rb").read()
frames, points = struct.unpack_from(">2i", mdd)
times = struct.unpack_from(">%df" % frames, mdd, 8)
values = struct.unpack_from(">%df" % (3 * frames * points), mdd, 8 + 4 * frames)
assert len(mdd) == 8 + 4 * frames + 12 * frames * points and frames == 61
assert values == struct.unpack_from("<%df" % (3 * frames * points), pc2, 32)
assert all(abs(t - i / 60) < 1e-6 for i, t in enumerate(times))
ply = open("short/frames_000060.ply", "rb").read()
head, body = ply.split(b"end_header\n", 1)
assert head.startswith(b"ply\nformat binary_little_endian 1.0\n") and b"element vertex %d\n" % points in head
assert body[: 12 * points] == pc2[-12 * points :]
# triangles at the poles, quads, and two texture coordinates for each corner
assert b"property list uchar float texcoord\n" in head
assert body[12 * points] == 3 and len(body) == 12 * points + 32 * (13 + 25) + 96 * (17 + 33)
END

# rigid bodies are nodes that move: beside soft bodies, and alone
"$verve" run "$here/../exports/rigid.json" --out rigid --format glb,usda,obj,ply,vtu --quiet || fail "rigid bodies were not recorded"
/usr/bin/python3 -B "$here/guests.py" rigid || fail "rigid bodies or fluids differ"
"$verve" run heavy-chain --frames 5 --out chain --format glb,usda --quiet || fail "a chain was not recorded"
for folder in rigid chain; do
    python3 -B "$here/glb_rigid.py" $folder || fail "rigid bodies differ in $folder"
    mkdir kept
    mv $folder/frames.glb $folder/frames_rigid.usda kept
    expect 0 'frames as glb,usda' "$verve" export $folder --format glb,usda
    cmp kept/frames.glb $folder/frames.glb && cmp kept/frames_rigid.usda $folder/frames_rigid.usda ||
        fail "the export of $folder differs from the run's own"
    rm -r kept
done

# the same of fluids, also alone, and USD without point caches
mv rigid/frames_fluid.usda kept.usda
expect 0 'frames as usda' "$verve" export rigid --format usda
cmp kept.usda rigid/frames_fluid.usda || fail "the export of fluids differs from the run's own"
"$verve" run dam-break --frames 2 --out dam --format glb,usda --quiet || fail "a fluid was not recorded"
cp dam/frames.glb kept.glb
expect 0 '3 frames as glb' "$verve" export dam
cmp kept.glb dam/frames.glb || fail "the export of a fluid differs from the run's own"
grep -qF 'def Points "fluid_0"' dam/frames_fluid.usda || fail "a fluid is no Points in USD"
"$verve" run "$here/../exports/rigid.json" --frames 2 --out layers --format usda --quiet || fail "USD needs no point caches"
[ ! -e layers/frames.pc2 ] && [ -e layers/frames_fluid.usda ] || fail "the layers of a record"

# a resumed run has the same bytes
"$verve" run "$here/../exports/rigid.json" --frames 15 --out again --format glb,usda,obj,ply,vtu --quiet
"$verve" run --resume again --frames 40 --quiet
rm rigid/scene.json again/scene.json
diff -r rigid again >out || fail "a resumed run with rigid bodies and fluids has other files: $(cat out)"
"$verve" run melon.json --out parts --frames 25 --format glb --quiet
"$verve" run --resume parts --frames 60 --quiet
cmp whole.glb parts/frames.glb || fail "a resumed run has another glTF"

# records as OBJ files will do, and folders without frames will not
"$verve" run melon.json --out texts --frames 60 --format obj --quiet
expect 0 '61 frames' "$verve" export texts
cmp whole.glb texts/frames.glb || fail "the glTF from OBJ files differs"
# particles without springs are points
cat >particles.json <<'END'
{ "verve": 1, "frames": 3, "bodies": [ { "mesh": { "points": [[0, 0, 0], [1, 0, 0], [2, 1, 0]] }, "material": { "model": "spring" } } ] }
END
for format in pc2 mdd obj ply vtu usda glb; do
    "$verve" run particles.json --out particles-$format --format $format --quiet || fail "particles were not recorded as $format"
done
grep -qaF '"mode":0' particles-glb/frames.glb || fail "particles are no points in glTF"
mkdir empty
expect 3 'holds neither scene.json nor frames' "$verve" export empty
expect 2 'is no format of an export' "$verve" export short --format gltf
expect 2 'takes the folder of one record' "$verve" export

# a body that is cut: a node for each mesh, one of which is shown, from point caches and from OBJ files
"$verve" run steak --frames 60 --out steak --format glb,obj --quiet || fail "the steak is not recorded"
python3 -B "$here/glb_changed.py" steak 1e-3 || fail "the glTF file of a cut body"
mv steak/frames.glb whole.glb
expect 0 "61 frames as glb" "$verve" export steak
cmp whole.glb steak/frames.glb || fail "export makes another file of a cut body"
rm steak/frames*.pc2
expect 0 "61 frames as glb" "$verve" export steak
python3 -B "$here/glb_changed.py" steak 1e-3 || fail "the glTF file of a cut body, from OBJ files"
