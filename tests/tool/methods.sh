#!/bin/sh
# Every method that `verve` itself lists runs 60 frames of a cube that drops onto a plane and of a hanging cloth; those with a
# limit do with enough substeps, and beyond it the explicit ones end with exit 1 and an autopsy.
set -eu
verve=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "methods: $*" >&2
    exit 1
}

# drag keeps what grows without it: forward Euler needs h omega^2 below the drag
cat >cube.json <<'JSON'
{ "verve": 1, "name": "cube", "timestep": 0.02, "frames": 60,
  "bodies": [ { "name": "cube", "mesh": { "shape": "box", "size": [0.4, 0.4, 0.4], "cells": [1, 1, 1] },
                "material": { "density": 1000, "young": 3e3, "poisson": 0.3 }, "spin": [0, 1, 0],
                "damping": { "mass": 4 }, "position": [0, 0.25, 0], "contactStiffness": 1e5 } ],
  "colliders": [ { "shape": "plane", "friction": 0.5 } ] }
JSON
cat >cloth.json <<'JSON'
{ "verve": 1, "name": "cloth", "timestep": 0.02, "frames": 60,
  "bodies": [ { "name": "cloth", "mesh": { "shape": "sheet", "size": [1, 1], "cells": [4, 4] },
                "material": { "preset": "cotton", "springStiffness": { "structural": 8, "shear": 4 } },
                "damping": { "mass": 4 }, "pins": [ { "where": { "vertices": [0, 4] } } ] } ] }
JSON

methods=$("$verve" version | sed -n 's/^methods: //p')
[ -n "$methods" ] || fail "no list of methods"
for scene in cube cloth; do
    for method in $methods; do
        # what has a limit at all finds a step of 10 s too large
        "$verve" check $scene.json --set timestep=10 --set "integrator.method=$method" --json >checked ||
            fail "check: $method"
        substeps=0
        if grep -q '"stepTooLarge": true' checked; then
            substeps=100
        fi
        code=0
        "$verve" run $scene.json --method "$method" --set "integrator.substeps=$substeps" --no-record --json >out 2>err ||
            code=$?
        [ "$code" -eq 0 ] || { cat err; fail "$scene, $method, $substeps substeps: exit $code"; }
        grep -q '"frames": 60' out || { cat out; fail "$scene, $method: not all frames"; }
    done
done

# beyond the limit: the same scenes, a thousand times stiffer, at one step a frame
for method in forward-euler explicit-midpoint symplectic-euler verlet rk4 rk23 rk45 runge-kutta adams-bashforth-2 \
    adams-bashforth-3 adams-bashforth-4; do
    echo " $methods " | grep -q " $method " || fail "there is no $method"
    for scene in cube cloth; do
        stiff=bodies.0.material.young=3e6
        [ $scene = cube ] || stiff=bodies.0.material.springStiffness.structural=8000
        code=0
        "$verve" run $scene.json --method "$method" --set "$stiff" --no-record >out 2>err || code=$?
        [ "$code" -eq 1 ] || fail "$scene, $method beyond its limit: exit $code instead of 1"
        grep -q autopsy err || { cat err; fail "$scene, $method: no autopsy"; }
        grep -q "what would work" err || { cat err; fail "$scene, $method: no advice"; }
    done
done

# a table of one's own, with control of its error
"$verve" run cube.json --method runge-kutta --no-record --quiet --set integrator.stepTolerance=1e-5 \
    --set 'integrator.tableau={"a":[[0],[1]],"b":[0.5,0.5],"embedded":[1,0]}' || fail "a table of one's own"
code=0
"$verve" run cube.json --method runge-kutta --no-record --set 'integrator.tableau={"a":[[0],[1]],"b":[0.5,0.6]}' 2>err ||
    code=$?
[ "$code" -eq 2 ] || fail "a bad table: exit $code instead of 2"
grep -q "integrator.*tableau.b sums to 1.1" err || { cat err; fail "a bad table: not said what is bad"; }
echo "methods: all run"
