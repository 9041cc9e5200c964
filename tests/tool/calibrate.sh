#!/bin/sh
# verve calibrate: words, JSON, exit codes, and that its advice brings the modulus back.
#   calibrate.sh <verve> <source-dir>
. "$(dirname "$0")/start.sh"

mkdir "$work/here"
cd "$work/here"
export VERVE_SCENES="$source/scenes"

# wants <exit code> <words...>: output in out and err; nothing is printed when it fails
wants() {
    code=$1
    shift
    status=0
    "$verve" calibrate "$@" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "$code" ] || fail "$*: exit $status, want $code: $(cat "$work/err")"
    [ "$code" -eq 0 ] || [ ! -s "$work/out" ] || fail "$*: printed a report and failed"
}

says() { # in the last output
    grep -qE -- "$1" "$work/out" || fail "no '$1' in: $(cat "$work/out")"
}

# too few substeps: it says so, and what it says helps
wants 0 swing --set integrator.method=small-steps --set integrator.substeps=2
says 'Courant    0.77'
says 'bent .*too soft'
says 'advice: small-steps at Courant 0.77 is [0-9.]+ % too soft: [0-9]+ substeps bring it below 0.3'
substeps=$(sed -n 's/.*soft: \([0-9]*\) substeps bring.*/\1/p' "$work/out")
wants 0 swing --set integrator.method=small-steps --set integrator.substeps="$substeps"
says 'Courant    0\.(2[5-9]|3:)'
says 'advice: as requested, within 5 %'

# a converged implicit method; the mesh is told apart
wants 0 swing
says 'advice: as requested, within 2 %'
says 'mesh .*bent 1.[0-9] times too stiff at 2 cells across: any method'

# backward Euler keeps the modulus and damps
wants 0 swing --set integrator.method=backward-euler --set integrator.solver=newton --set timestep=0.1
says "bent  .* within 0.01 %"
says 'advice: the numerics take'

# explicit, far beyond the limit
wants 0 stiff-beam --set integrator.method=verlet
says 'advice: verlet diverges: .* its limit is'

# cloth and ropes; equal bodies once
wants 0 hanging-cloth --set integrator.method=small-steps
says 'body cloth: a strip of 8 cells'
says 'resists no bending'
wants 0 two-boxes --json
says '"youngStretched": '
says '"asRequested": (true|false)'
! command -v /usr/bin/python3 >/dev/null || /usr/bin/python3 -m json.tool "$work/out" >/dev/null || fail "no JSON"

# rigid bodies and fluids: closed forms hold in enough substeps, and what is too coarse shows
cat >"$work/guests.json" <<'END'
{ "verve": 1, "colliders": [ { "shape": "plane" } ],
  "rigidBodies": [ { "name": "a", "shape": "box", "friction": 0.4, "restitution": 0.5, "position": [0, 3, 0] },
    { "name": "b", "shape": "box", "density": 10, "friction": 0.4, "restitution": 0.5, "position": [0, 2, 0] } ],
  "joints": [ { "kind": "ball", "a": "a", "b": "b", "point": [0, 2.5, 0] } ],
  "fluids": [ { "spacing": 0.05, "blocks": [ { "box": [[3, 0, 0], [3.3, 1, 0.3]] } ] },
    { "emitters": [ { "position": [5, 1, 0], "radius": 0.1, "speed": 1 } ] } ] }
END
wants 0 "$work/guests.json"
says 'friction +0.4: a cube at 2 m/s stops after (1.00|0.99)[0-9]* of'
says 'restitution 0.5: a ball leaves the ground with 0.(50|49)[0-9]* of its speed'
says 'pendulum .*swings with (1.000|0.999)[0-9]* of the period'
says 'joints .*carries 100 times the mass of its body gives way by [0-9.e-]+ m'
says '^fluid 0: a column of 20 layers, 10 substeps of a step: its weight compresses it by [01]\.[0-9]+ %'
says '^fluid 1: nothing to calibrate'
sag=$(sed -n 's/.*gives way by \([0-9.e-]*\) m.*/\1/p' "$work/out")
wants 0 "$work/guests.json" --json --set integrator.rigidSubsteps=80 --set fluids.0.substeps=3 --set fluids.0.maxSubsteps=3
/usr/bin/python3 - "$work/out" "$sag" <<'END' || fail "the JSON of rigid bodies and fluids: $(cat "$work/out")"
import json, sys
report = json.load(open(sys.argv[1]))
rigid, fluids = report["rigidBodies"], report["fluids"]
assert 0 <= rigid["sag"] < 1e-9 and 0 <= float(sys.argv[2]) < 1e-9 and len(rigid["surfaces"]) == 1 and abs(rigid["period"] - 1) < 1e-3
assert 0.02 < fluids[0]["compression"] < 0.3 and fluids[1]["compression"] is None
END

# the body itself: every kind of vibration; the default is exact, a long step is not and it is said what helps
wants 0 twisted-bar
says '^  bending    2.555 Hz, exact 2.555 \([+-]0.00 %\); damping .* loaded from rest [0-9.e+]* Pa, within 0.01 %'
says '^  torsion    4.213 Hz, exact 4.213'
says '^  stretching '
wants 0 twisted-bar --set integrator.method=implicit-midpoint --set integrator.solver=newton --set timestep=0.05
says 'advice: its torsion swings at .* Hz instead of 4.213 \(-[0-9.]+ %\): --set integrator.substeps=2, or --method small-midpoint'
wants 0 twisted-bar --set integrator.method=implicit-midpoint --set integrator.solver=newton --json
says '"kind": "torsion", "frequency": 26.05'
says '"exactFrequency": 26.4'

# a cylinder whose surface was filled: its sample is a rod with as many cells across, and what the cells do counts
"$verve" mesh make cylinder "$work/cylinder.obj" --size 0.2,0.8,0.2 --cells 8,20,1 >/dev/null
cat >"$work/cylinder.json" <<END
{ "verve": 1, "name": "cylinder",
  "bodies": [ { "name": "rod", "mesh": { "file": "cylinder.obj", "solid": { "edge": 0.05 } },
    "material": { "density": 1000, "young": 1e5, "poisson": 0.45 },
    "pins": [ { "where": { "box": [[-1, -1, -1], [1, -0.39, 1]] } } ] } ] }
END
wants 0 "$work/cylinder.json"
says 'sample     a rod filled like the body, 4 cells of 0.05 m across'
says 'compressed Young.s modulus (1e\+05|[0-9.]+e\+04|1.00[0-9]+e\+05) Pa'
says 'bent .*; 4 cells across bend [0-9.]+ % too stiffly by themselves: 7 across, edges of 0.029 m, or the model smoothed'
says 'advice: 4 cells across bend'

# the slowest bending of a slender bar of smoothed tets, whose mode is rounded most beside what is stiff
cat >"$work/bar.json" <<END
{ "verve": 1, "name": "bar",
  "bodies": [ { "name": "bar", "mesh": { "shape": "box", "size": [1, 0.1, 0.1], "cells": [10, 2, 2] },
    "material": { "model": "smoothed", "density": 1000, "young": 1e5, "poisson": 0.45 },
    "pins": [ { "where": { "box": [[-1, -1, -1], [-0.49, 1, 1]] } } ] } ] }
END
wants 0 "$work/bar.json"
says '^  bending    0.1843 Hz, exact 0.1843'

# mistakes
wants 2
wants 2 swing torus
wants 3 no-such-scene
wants 2 swing --set bodies.0.material.young=-1
grep -qF 'bodies[0].material.young is -1' "$work/err" || fail "$(cat "$work/err")"

[ -z "$(ls)" ] || fail "wrote $(ls)"
echo "calibrate: passed"
