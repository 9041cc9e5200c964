#!/bin/sh
# verve check and verve scenes: exit codes, what they print, and that nothing is written.
#   check.sh <verve> <source-dir>
. "$(dirname "$0")/start.sh"

# wants <exit code> <part of stderr, or -> <words...>: stdout must be empty when it fails
wants() {
    code=$1
    part=$2
    shift 2
    status=0
    "$verve" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "$code" ] || fail "$*: exit $status, want $code: $(cat "$work/err")"
    if [ "$code" -ne 0 ]; then
        [ ! -s "$work/out" ] || fail "$*: printed a report and failed"
        grep -qF -- "$part" "$work/err" || fail "$*: no '$part' in: $(cat "$work/err")"
    else
        [ ! -s "$work/err" ] || fail "$*: $(cat "$work/err")"
        [ "$part" = - ] || grep -qF -- "$part" "$work/out" || fail "$*: no '$part' in: $(cat "$work/out")"
    fi
}

mkdir here
cd here
export VERVE_SCENES="$source/scenes"

# every shipped scene, by name and by file
for file in "$source"/scenes/*.json; do
    name=$(basename "$file" .json)
    [ "$name" = verve.schema ] && continue
    word='highest frequency' field='"highestFrequency"'
    grep -q '"bodies"' "$file" || { word='particles' field='"particles"'; }
    ! grep -q '"rigidBodies"' "$file" || { word='rigid bodies' field='"rigidBodies"'; }
    wants 0 "$word" check "$name"
    [ "$(grep -c 'warning' "$work/out")" -eq 0 ] || fail "$name: $(grep warning "$work/out")"
    seen=$((${seen:-0} + 1))
    [ -n "${VERVE_WHOLE:-}" ] || [ $((seen % 4)) -eq 0 ] || continue
    wants 0 "$field" check "$file" --json
    ! command -v /usr/bin/python3 >/dev/null || /usr/bin/python3 -m json.tool "$work/out" >/dev/null || fail "$name: no JSON"
done

# rigid bodies and fluids: substeps for the masses that joints hold, and for the speed of what falls
wants 0 'rigidSubsteps=53 makes that 1 mm' check heavy-chain --set integrator.rigidSubsteps=20
wants 0 'takes 15 substeps a step' check dam-break
wants 0 'substeps=6 makes that 3 %' check dam-break --set fluids.0.substeps=3
wants 0 'takes 15 substeps' check dam-break
! grep -q 'makes that 3 %' "$work/out" || fail "a shallow column with 10 substeps is not compressed"
for boxes in 15 40; do
    bodies=$(i=0; while [ $i -lt $boxes ]; do
        printf '%s{ "shape": "box", "size": 0.1, "position": [0, %d.%02d, 0] }' "$([ $i -eq 0 ] || echo ', ')" \
            $((i / 10)) $((i % 10 * 10 + 5)); i=$((i + 1)); done)
    printf '{ "verve": 1, "rigidBodies": [ %s ], "colliders": [ { "shape": "plane" } ] }' "$bodies" >"$work/tower.json"
    wants 0 'rigid bodies' check "$work/tower.json"
    if [ $boxes -eq 40 ]; then said=1; else said=0; fi
    [ "$(grep -c 'stack of 40 rigid bodies has 39 times' "$work/out")" -eq $said ] || fail "a tower of $boxes boxes"
done

# the step of an explicit method
wants 0 'warning: the step is' check swing --set integrator.method=symplectic-euler
wants 0 '"stepTooLarge": true' check swing --set integrator.method=symplectic-euler --json

# the substeps of methods that divide a step by themselves are those that the run takes
for method in small-midpoint small-steps pbd; do
    for young in 1e4 1e7; do
        scene="swing --set integrator.method=$method --set bodies.0.material.young=$young"
        wants 0 '"mostSubsteps"' run $scene --frames 1 --no-record --json
        count=$(sed -n 's/.*"mostSubsteps": \([0-9]*\).*/\1/p' "$work/out")
        wants 0 "\"stepSubsteps\": $count," check $scene --json
        wants 0 "takes $count substep" check $scene
    done
done
wants 0 '"stepSubsteps": null' check swing --set integrator.method=stabilized --json

# settings without effect are a note of check and of the run's JSON; nothing is said on those that are used, or the default
unused='integrator.accelerate has no effect: newmark with newton does not use it (used by local-global'
scene='swing --set integrator.method=newmark --set integrator.gamma=0.6 --set integrator.substeps=2 --set integrator.jacobi=false'
wants 0 "note: $unused" check $scene --set integrator.accelerate=true
[ "$(grep -c 'note:' "$work/out")" -eq 1 ] || fail "notes on settings: $(grep note: "$work/out")"
wants 0 "\"notes\": [\"$unused" check $scene --set integrator.accelerate=true --json
wants 0 "\"notes\": [\"$unused" run $scene --set integrator.accelerate=true --frames 1 --no-record --json
wants 0 '"notes": [],' run $scene --frames 1 --no-record --json
wants 0 '"notes": ["integrator.substeps has no effect: pbd' check swing --set integrator.method=pbd --set integrator.substeps=2 --json

wants 0 - check spinning-cube --set integrator.method=stabilized --set integrator.solver=newton
! grep 'few iterations' "$work/out" || fail "newton is said to have few iterations"

# a body that its own weight makes flow: 1800 kg/m^3, 0.12 m high are 2.12 kPa
sags='clay yields at 2e+03 Pa, and as high as it is its own weight makes 2.1'
wants 0 "note: $sags" check clay --set bodies.0.material.plasticity.yield=2000
wants 0 "\"notes\": [\"$sags" check clay --set bodies.0.material.plasticity.yield=2000 --json
bears() {
    wants 0 - check clay "$@"
    ! grep 'yields at' "$work/out" || fail "clay that bears its weight is said to sag"
}
bears --set bodies.0.material.plasticity.yield=2200
bears --set bodies.0.material.plasticity.yield=2000 --set gravity=[0,0,0]

# colliders, and what bodies press with: 10 young / size
# elements by the model
wants 0 'of the springs' check hanging-cloth
wants 0 '1800 triangles' check hanging-cloth --set bodies.0.material.model=triangle
wants 0 'of the edges' check hanging-cloth --set bodies.0.material.model=membrane
wants 0 'of the springs' check stiff-beam --set bodies.0.material.model=spring
wants 0 'of the tets' check stiff-beam --set bodies.0.material.model=stable-neo-hookean

wants 0 'collider 0: plane, friction 0.5, restitution 0, stiffness of the body' check drop
wants 0 'contact stiffness  1e+06 N/m^3' check spheres
wants 0 'stiffness 1e+05 N/m^3' check drop --set colliders.0.stiffness=1e5
wants 0 '"colliders": [' check incline --json
wants 2 'colliders[0].radius cannot be used' check drop --set colliders.0.radius=1

# mistakes
wants 2 'bodies[0].material.young is -1' check swing --set bodies.0.material.young=-1
wants 2 'bodies[3] does not exist' check swing --set bodies.3.name=x
wants 2 'selects no vertex' check swing --set 'bodies.0.pins.0.where={"box": [[8, 8, 8], [9, 9, 9]]}'
wants 2 'points[0] has 2 numbers, must have 3' check swing --set 'bodies.0.mesh={"points": [[0, 1]]}'
wants 2 'springs[0] has 3, must be a whole number from 0 to 1' check swing --set 'bodies.0.mesh={"points": [[0, 1, 0], [1, 1, 0]], "springs": [[0, 3]]}'
wants 2 'springs is there, but no points' check swing --set 'bodies.0.mesh.springs=[[0, 1]]'
wants 2 'cells is there beside points' check swing --set 'bodies.0.mesh={"points": [[0, 1, 0]], "cells": 3}'
wants 2 'takes one scene' check
wants 2 'takes one scene' check swing torus
wants 2 'no option' check swing --st frames=3
wants 3 'cannot be opened' check no-such-scene
for command in check run calibrate advise; do
    wants 3 'did you mean "swing"' $command swng
done
wants 3 'did you mean "cloth-on-sphere"' run cloth-on-sphre.json
wants 3 'check the name' check nothing-like-it
mkdir ../pendulum ../other
wants 3 'did you mean "../pendulum"' render ../pendlum --out ../a.png
wants 3 "name a folder that 'verve run" render ../nothing-like-it --out ../a.png
wants 3 'record it first: verve run swing' render swing --out ../a.png
wants 2 'did you mean .png?' render ../pendulum --out ../a.pgn
wants 2 '--out is missing' render ../pendulum
wants 2 'did you mean strain?' render ../pendulum --out ../a.png --colour strian
mkfifo ../pipe
wants 3 'a pipe or a device' check ../pipe
wants 3 'a pipe or a device' run ../pipe
wants 3 'a folder' check ..
# numbers as people write them; the cause where they cannot be meant
for number in .5 +.5 0.5 5e-1 +5.e-1; do
    wants 0 'steps of 0.5 s' check swing --set timestep=$number
done
wants 0 'steps of 1 s' check swing --set timestep=1.
for number in 1e 1..2 .. + . 1e5x; do
    wants 2 'must be a number' check swing --set timestep=$number
done
wants 2 'begin with a digit' check swing --set 'gravity=[0, .9, 1]'
for word in check run; do
    wants 2 'timestep is 5e-10, must be 1e-09 to 10 s' $word swing --set timestep=5e-10
done
# keys that belong elsewhere
wants 2 'it belongs to the scene as "wind"' check swing --set bodies.0.wind=1
wants 2 'did you mean "material.model"' check swing --set bodies.0.model=spring
wants 2 'did you mean "name"' check swing --set bodies.0.nme=spring
printf '{ "verve": 1, "bodies": [ { "mesh": { "shape": "box" }, "wind": { "velocity": [1, 0, 0] } } ] }' >../broken.json
wants 2 'it belongs to the scene as "wind"' check ../broken.json
printf '{ "verve": 1, "bodies": [ { "mesh": { "shape": "box" }, "model": "spring" } ] }' >../broken.json
wants 2 'did you mean "material.model"' check ../broken.json
printf '{ "verve": 1, "bodies": [ { "mesh": { "shape": "box" } } ], "joints": [ { "kind": "ball", "b": "x", "point": [0, 0, 0] } ] }' >../broken.json
wants 2 'joints[0].b is "x", must be the name of a rigid body' check ../broken.json
wants 3 'bodies[0].mesh: ' check swing --set 'bodies.0.mesh={"file": "none.obj"}'
printf '{ "verve": 1,\n  "bodies": [ }' >../broken.json
wants 2 'broken.json:2:15: ' check ../broken.json
printf '{ "verve": 1,\n  "bodies": [ { "mesh": { "shape": "box" },\n "mas": 1 } ] }' >../broken.json
wants 2 "broken.json:3:9: bodies[0].mas is not a key" check ../broken.json

# the library and the format
wants 0 'wrecking-ball' scenes
wants 0 'in '"$source/scenes" scenes --folder "$source/scenes"
wants 3 'cannot be read' scenes --folder "$work/nowhere"
wants 2 'takes no words' scenes swing
wants 0 '"definitions"' scenes --schema
cmp -s "$work/out" "$source/scenes/verve.schema.json" || fail "the schema file is old"
wants 0 '### material' scenes --keys
[ -z "$(ls -A .)" ] || fail "something was written: $(ls -A .)"
echo "check: passed"
