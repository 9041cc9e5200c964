#!/bin/sh
# Advice can be followed: substeps and timesteps that the keys accept, methods other than the one in use, no circles; and
# what is printed as JSON is JSON, whatever the numbers. Over methods and stiffnesses.
#   advice.sh <verve> <source-dir>
. "$(dirname "$0")/start.sh"

# what out and err advise to somebody who uses method $1
follows() {
    cat out err >said
    for other in $(grep -o -- '--method [a-z0-9-]*\|method "[a-z0-9-]*"' said | sed 's/.* //; s/"//g'); do
        [ "$other" != "$1" ] || { cat said; fail "$1 is advised to $1"; }
        # one way: any, small-midpoint, backward-euler
        case $1:$other in
        small-midpoint:backward-euler | *:verlet) ;;
        small-midpoint:* | backward-euler:*) cat said && fail "$1 is sent back to $other" ;;
        esac
    done
    for count in $(sed -n 's/.*substeps[= ]\(to \)\{0,1\}\(-\{0,1\}[0-9][0-9.e+]*\).*/\2/p' said); do
        awk "BEGIN { exit !($count >= 1 && $count <= 10000) }" || { cat said; fail "$1: $count substeps are advised"; }
    done
    for step in $(sed -n 's/.*--set timestep=\([^, ]*\).*/\1/p' said); do
        awk "BEGIN { exit !($step >= 1e-9 && $step <= 10) }" || { cat said; fail "$1: a timestep of $step is advised"; }
    done
    grep -qiw -- '-\{0,1\}nan\|-\{0,1\}inf' said && { cat said; fail "$1: no number"; }
    true
}

is_json() {
    ! command -v /usr/bin/python3 >/dev/null ||
        /usr/bin/python3 -c 'import json, sys; json.load(open(sys.argv[1]), parse_constant=lambda s: sys.exit(s))' "$1" ||
        { cat "$1"; fail "no JSON: $2"; }
}

cat >bar.json <<'JSON'
{ "verve": 1, "frames": 3,
  "bodies": [ { "mesh": { "shape": "bar", "cells": [2, 1, 1] }, "material": { "young": 1e5 },
    "pins": [ { "where": { "vertices": [0] } } ] } ] }
JSON
methods=$("$verve" version | sed -n 's/^methods: //p')
for method in $methods; do
    for young in 1 1e5 1e9 1e13; do
        for mode in check run; do
            code=0
            words="bar.json --set integrator.method=$method --set bodies.0.material.young=$young --set bodies.0.material.density=0.01"
            [ $mode = check ] || words="$words --no-record"
            # shellcheck disable=SC2086 # words on purpose
            "$verve" $mode $words >out 2>err || code=$?
            [ $code -le 1 ] || { [ $code -eq 2 ] && grep -q 'bodies\|integrator' err; } || { cat err; fail "exit $code: $words"; }
            [ $code -eq 2 ] || follows "$method"
        done
    done
    # shellcheck disable=SC2086
    "$verve" check $words --json >out 2>err || continue
    is_json out "$method"
done

# a body that nothing can move, steps that are very short, meshes that are very large or small
echo '{"verve":1,"bodies":[{"mesh":{"shape":"tet"},"pins":[{"where":{"all":true}}]}]}' >still.json
"$verve" check still.json >out 2>err
follows small-midpoint
"$verve" check still.json --json >out
is_json out still.json
grep -q '"stableStep": null' out || fail "a body that cannot move has a stable step"
"$verve" check bar.json --set timestep=1e-9 --set integrator.substeps=10000 --json >out
is_json out "short steps"
for size in 1e-100 1e-50 1e-5 1 1e60 1e80 1e100 1e150; do
    printf 'v 0 0 0\nv %s 0 0\nv 0 %s 0\nv 0 0 %s\nf 1 2 3\nf 1 2 4\n' $size $size $size >sheet.obj
    printf 'MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n%s 0 0 0\n0 %s 0 0\n0 0 %s 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n' \
        $size $size $size >solid.mesh
    for file in sheet.obj solid.mesh; do
        code=0
        "$verve" mesh info $file >out 2>err || code=$?
        { [ $code -eq 0 ] || [ $code -eq 2 ] || [ $code -eq 3 ]; } || fail "exit $code: mesh info of $size m"
        [ $code -ne 0 ] || follows none
        code=0
        "$verve" mesh info $file --json >out 2>err || code=$?
        { [ $code -eq 0 ] || [ $code -eq 2 ] || [ $code -eq 3 ]; } || fail "exit $code: mesh info --json of $size m"
        [ $code -ne 0 ] || is_json out "mesh of $size m"
    done
done

# a run that lives on blends is not sent to the method it has; nobody hears of room that grew
export VERVE_SCENES="$source/scenes"
"$verve" run twisted-bar --set integrator.substeps=2 --set bodies.0.material.young=1e7 --no-record >out 2>err
grep -q 'strong blends' err || fail "no word about strong blends"
follows small-midpoint
"$verve" run mixed --frames 60 --no-record >out 2>err
grep -q 'room for' err && fail "a message for programmers: $(cat err)"
echo "advice: passed"
