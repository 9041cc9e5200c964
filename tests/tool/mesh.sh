#!/bin/sh
# the words and exit codes of `verve mesh`.
#   mesh.sh <verve>
set -eu

verve=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

expect() { # exit code, words that stdout or stderr must hold, command...
    code=$1
    words=$2
    shift 2
    got=0
    "$@" >out 2>&1 || got=$?
    if [ "$got" -ne "$code" ] || ! grep -qF -- "$words" out; then
        echo "mesh: '$*' gave $got and this, want $code and '$words':" >&2
        cat out >&2
        exit 1
    fi
}

# make, convert and look
for shape in box bar sheet rope sphere cylinder torus tube tet; do
    expect 0 "$shape.vtk: " "$verve" mesh make $shape $shape.vtk
    expect 0 '"format": "vtk"' "$verve" mesh info $shape.vtk --json
done
expect 0 '27 vertices, 40 tets' "$verve" mesh make box b.msh --size 2,4,6 --cells 2
expect 0 '"volume": 48,' "$verve" mesh info b.msh --json
expect 0 '"lower": [-1, -2, -3]' "$verve" mesh info b.msh --json
expect 0 '"closed": true' "$verve" mesh info b.msh --json
expect 0 'c.node' "$verve" mesh convert b.msh c.node --scale 0.5 --rotate 0,0,90
expect 0 '"lower": [-1, -0.5, -1.5]' "$verve" mesh info c.ele --json
expect 0 'd.txt' "$verve" mesh convert c.node d.txt --format mesh
expect 0 '"volume": 6,' "$verve" mesh info d.txt --format mesh --json
expect 0 'skin.obj: 48 surface triangles; obj files hold no tets' "$verve" mesh convert b.msh skin.obj
expect 0 'MB/s' "$verve" mesh info c.node
expect 0 'info FILE | convert IN OUT | make SHAPE OUT | solid IN OUT | doctor FILE' "$verve" mesh --help

# a surface filled
expect 0 'tets' "$verve" mesh make tube t.obj
expect 0 'its holes were closed' "$verve" mesh solid t.obj t.mesh --edge 0.2
expect 0 '"pieces": 1' "$verve" mesh solid t.obj t.mesh --cells 5 --kind cage --json
expect 0 '"closed": true' "$verve" mesh info t.mesh --json
expect 2 "must be conforming or cage" "$verve" mesh solid t.obj e.obj --kind cag
expect 2 "--cells is '1', must be" "$verve" mesh solid t.obj e.obj --cells 1
expect 2 "has 320 tets already" "$verve" mesh solid box.vtk e.obj
expect 2 "encloses nothing" "$verve" mesh solid sheet.vtk e.obj

# a file mended, and moved
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 1\nf 1 3 2\nf 1 2 5\nf 1 3 4\nf 3 3 4\n' >ill.obj
expect 2 "names point 3 twice" "$verve" mesh info ill.obj
expect 2 "verve mesh doctor FILE --fix OUT" "$verve" mesh info ill.obj
expect 0 "1        points lie on others: would weld them" "$verve" mesh doctor ill.obj
expect 0 "mesh doctor ill.obj --fix mended.obj" "$verve" mesh doctor ill.obj
expect 0 "1        small holes: mended" "$verve" mesh doctor ill.obj --fix mended.obj
expect 0 '"closed": true' "$verve" mesh info mended.obj --json
expect 0 "nothing is wrong" "$verve" mesh doctor mended.obj
expect 0 '"weldedPoints": 1' "$verve" mesh doctor ill.obj --json --holes 0
expect 0 '"openHoles": 1' "$verve" mesh doctor ill.obj --json --holes 0

# two tets that nothing joins, each in a file of its own
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >two.obj
printf 'v 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n' >>two.obj
expect 0 "--split writes one file each" "$verve" mesh doctor two.obj
expect 0 "pieces" "$verve" mesh doctor two.obj --fix one.obj --split
expect 0 '"lower": [0, 0, 0]' "$verve" mesh info one-1.obj --json
expect 0 '"lower": [5, 0, 0]' "$verve" mesh info one-2.obj --json
expect 0 up.obj "$verve" mesh convert mended.obj up.obj --up z --unit cm --scale 10 --translate 1,2,3
expect 0 '"lower": [1, 2, 2.9]' "$verve" mesh info up.obj --json
expect 2 "must be y or z" "$verve" mesh convert mended.obj e.obj --up x
expect 2 "must be mm, cm, m or inch" "$verve" mesh convert mended.obj e.obj --unit foot

# what records have is read again
echo '{ "verve": 1, "frames": 1, "bodies": [ { "name": "ball", "mesh": { "shape": "sphere" }, "material": "jelly" },
    { "name": "rope", "mesh": { "shape": "rope" }, "material": "jelly" } ] }' >recorded.json
expect 0 "" "$verve" run recorded.json --out recorded --format usda,vtu,obj
expect 0 "" "$verve" mesh info recorded/frames-ball_000000.obj --json
counts=$(sed -n 's/.*\("vertices": .*"springs": [0-9]*\).*/\1/p' out)
expect 0 "$counts" "$verve" mesh info recorded/frames-ball.usda --json
expect 0 "$(echo "$counts" | sed 's/.*\("triangles": [0-9]*\).*/\1/')" "$verve" mesh info recorded/frames-ball_000001.vtu --json
expect 0 '"springs": 10' "$verve" mesh info recorded/frames-rope.usda --json
expect 0 '"springs": 10' "$verve" mesh info recorded/frames-rope_000001.vtu --json
expect 2 "it refers to ./frames-ball.usda" "$verve" mesh info recorded/frames.usda
expect 0 ball.mesh "$verve" mesh convert recorded/frames-ball_000001.vtu ball.mesh

# what is wrong is named; nothing is written
expect 2 "did you mean sphere?" "$verve" mesh make spher e.obj
expect 2 "is not info, convert, make, solid or doctor" "$verve" mesh
expect 2 "must be: verve mesh info FILE" "$verve" mesh info
expect 2 "--size is '1,2', must be three numbers" "$verve" mesh make box e.obj --size 1,2
expect 2 "--cells is '1.5', must be whole numbers" "$verve" mesh make box e.obj --cells 1.5
expect 2 "--edge is for models, and 'box' is none" "$verve" mesh make box e.obj --edge 0.1
expect 2 "--cells is there beside --edge" "$verve" mesh make horn e.obj --edge 0.1 --cells 4
expect 2 "--surface-edge needs --edge" "$verve" mesh make horn e.obj --surface-edge 0.1
expect 2 "surfaceEdge is 0.1 of the spacing" "$verve" mesh make horn e.obj --edge 0.1 --surface-edge 0.01
expect 0 'tets' "$verve" mesh make horn horn.mesh --edge 0.1 --surface-edge 0.06 --grading 1
expect 2 "cells along x is 0" "$verve" mesh make box e.obj --cells 0
expect 2 "scale is 0" "$verve" mesh convert b.msh e.obj --scale 0
expect 2 "neither read nor written" "$verve" mesh convert b.msh e.fbx
expect 2 "are read, not written" "$verve" mesh convert b.msh e.stl
expect 2 "has the ending of no format" "$verve" mesh convert b.msh e.xyz
expect 2 "no mesh format 'fbx'" "$verve" mesh convert b.msh e.obj --format fbx
echo 'v 0 0 zero' >broken.obj
expect 2 "broken.obj:1: vertex 1: 'zero' is not a finite number" "$verve" mesh info broken.obj
expect 3 "missing.obj: it cannot be opened" "$verve" mesh info missing.obj
expect 3 "cannot be written" "$verve" mesh make box no/such.obj
expect 3 "a directory" "$verve" mesh info . --format obj
if [ -e e.obj ] || [ -e e.stl ]; then
    echo "mesh: something was written after bad input" >&2
    exit 1
fi
echo "mesh: words and exit codes are right"
