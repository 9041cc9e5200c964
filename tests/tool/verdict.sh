#!/bin/sh
# What verve run says about energy and momenta: a run that gains says so first, and under --strict exits 1.
#   verdict.sh <verve> <source-dir>
. "$(dirname "$0")/start.sh"

value() { # the value of a key of the summary in JSON
    sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" out
}

holds() { # holds EXPRESSION...: of awk
    awk "BEGIN { exit !($1) }" || { cat out; fail "not so: $1"; }
}

# a stiff block that spins freely: midpoint's rule blows up at this step
cat >spin.json <<'JSON'
{ "verve": 1, "frames": 90, "gravity": [0, 0, 0],
  "bodies": [ { "mesh": { "shape": "box", "size": 0.3, "cells": 2 }, "material": { "preset": "rubber", "loss": 0 },
    "spin": [3, 12, 1] } ] }
JSON
expect 0 "$verve" run spin.json --method implicit-midpoint --no-record
head -1 out | grep -q '^ENERGY GAINED' || { cat out; fail "the first line does not say that energy was gained"; }
head -1 out | grep -q 'backward-euler' || fail "no remedy: $(head -1 out)"
expect 1 "$verve" run spin.json --method implicit-midpoint --no-record --strict --json
grep -q '^ENERGY GAINED' err || fail "an exit code without a word"
[ "$(value verdict)" = gained ] || fail "the verdict is $(value verdict)"
holds "$(value gained) > 1e6 && $(value exchanged) < 100 && $(value gainedShare) > 1e4"
holds "$(value numericalShare) > 1e4"

# where no body is soft no method is blamed: blocks of fluid that overlap fly apart
cat >overlap.json <<'JSON'
{ "verve": 1, "frames": 2, "gravity": [0, -0.1, 0],
  "fluids": [ { "spacing": 0.05, "blocks": [ { "box": [[0, 0, 0], [0.2, 0.2, 0.2]] },
                                             { "box": [[0.02, 0.03, 0.02], [0.2, 0.2, 0.2]] } ] } ] }
JSON
expect 0 "$verve" run overlap.json --no-record
head -1 out | grep -q '^ENERGY GAINED.*substeps and maxSubsteps of the fluid' || fail "no remedy of fluids: $(head -1 out)"
head -1 out | grep -q 'backward-euler' && fail "a method for a fluid: $(head -1 out)"

# the larger the gain, the larger the share, whatever the method: of the energy at the start, not of the blown-up state
for method in implicit-midpoint symplectic-euler verlet explicit-midpoint rk4 forward-euler newmark adams-bashforth-3; do
    "$verve" version | grep -qw -- "$method" || continue
    last=0 frames=0
    for frames in 2 4 8 16; do
        code=0
        "$verve" run spin.json --method "$method" --frames "$frames" --no-record --json >out 2>err || code=$?
        [ "$code" -le 1 ] || fail "exit $code: $method"
        share=$(value gainedShare)
        holds "$share >= $last"
        holds "$(value exchanged) < 100"
        [ "$(value verdict)" = diverged ] && break
        holds "($share > 0.1) == (\"$(value verdict)\" == \"gained\")"
        last=$share
    done
done

# a run that keeps its energy is silent about it
expect 0 "$verve" run "$source/scenes/spinning-cube.json" --frames 60 --no-record --strict
head -1 out | grep -q '^spinning cube' || fail "the first line of a good run: $(head -1 out)"
grep -q '^energy: the numerics' out || fail "no line about the energy"
grep -q '^free bodies: angular momentum within' out || fail "no line about free bodies"

# work that comes and goes: shares stay shares
for scene in flag-in-wind twisted-bar trampoline; do
    expect 0 "$verve" run "$source/scenes/$scene.json" --no-record --strict --json
    [ "$(value verdict)" = fine ] || fail "$scene: $(value verdict)"
    holds "$(value numericalShare) >= -1.01 && $(value numericalShare) < 0.1"
done

# what is booked as dissipated beyond what there is: tests/tool/audit_test.c, with ledgers

# angular momentum of a free body: seen where it goes, and not claimed where something holds or drags it
cat >plate.json <<'JSON'
{ "verve": 1, "frames": 120, "gravity": [0, -9.81, 0],
  "bodies": [ { "name": "plate", "mesh": { "shape": "box", "size": [1, 0.5, 0.2], "cells": [5, 3, 2] },
    "material": { "density": 1000, "young": 1e6, "poisson": 0.3 }, "spin": [0.02, 6, 0.03] } ] }
JSON
expect 0 "$verve" run plate.json --method backward-euler --no-record --json
holds "$(value angularMomentumDrift) > 0.02 && $(value momentumDrift) < 1e-9"
expect 0 "$verve" run plate.json --method stabilized --no-record --json
holds "$(value angularMomentumDrift) < 1e-9 && $(value momentumDrift) < 1e-9"
expect 0 "$verve" run plate.json --set 'bodies.0.damping.mass=1' --frames 5 --no-record --json
[ "$(value angularMomentumDrift)" = null ] || fail "a dragged body is called free"
expect 0 "$verve" run plate.json --set 'bodies.0.pins=[{"where":{"vertices":[0]}}]' --frames 5 --no-record --json
[ "$(value angularMomentumDrift)" = null ] || fail "a pinned body is called free"
expect 0 "$verve" run plate.json --set 'colliders=[{"shape":"plane","position":[0,-1.2,0]}]' --no-record --json
holds "$(value momentumDrift) < 1e-5" # the hit is no drift
# what the step does to the lowest vibration: the default nothing, long steps of backward Euler more than 5 %
expect 0 "$verve" run plate.json --frames 20 --no-record
grep -qE '^frequencies: the lowest vibration of plate \([a-z]+\) swings at ([0-9.]+) Hz, true \1 Hz \(\+0.0 %\)' out || fail "the frequency: $(grep ^freq out)"
! grep -q 'lowest vibration' err || fail "a warning about an exact frequency: $(cat err)"
expect 0 "$verve" run plate.json --frames 20 --no-record --method backward-euler
grep -qE 'warning: the lowest vibration of plate .* \(-[0-9.]+ %\): --set integrator.substeps=[0-9]+' err || fail "no warning: $(cat err)"
expect 0 "$verve" run plate.json --frames 20 --no-record --method backward-euler --json
holds "$(value frequencyError) < -0.05 && $(value frequency) < 0.95 * $(value exactFrequency)"
expect 0 "$verve" run "$source/scenes/hanging-cloth.json" --frames 5 --no-record --json
[ "$(value frequency)" = null ] || fail "hanging cloth has no lowest vibration"
# what was chosen and why, and what it took
expect 0 "$verve" run spin.json --frames 12 --no-record
grep -q '^method: small-midpoint (the default): [0-9]* substeps a frame by its rule' out || fail "the method: $(grep ^method: out)"
expect 0 "$verve" run spin.json --frames 12 --no-record --method stabilized
grep -q '^method: stabilized (asked for), solver newton (the default): [0-9.]* iterations a step' out || fail "the method: $(grep ^method: out)"
expect 0 "$verve" run spin.json --frames 12 --no-record --method backward-euler --solver local-global --set integrator.iterations=1
grep -q 'solver local-global (asked for): 1[.0-9]* iterations .*stopped before it converged in 100 % of the frames' out || fail "the method: $(grep ^method: out)"
grep -q 'residual' err && fail "a residual in metres tells nobody anything: $(cat err)"
expect 0 "$verve" run spin.json --frames 12 --no-record --method backward-euler --solver local-global --set integrator.iterations=1 --json
few=$(value largestCorrection)
expect 0 "$verve" run spin.json --frames 12 --no-record --method backward-euler --solver local-global --set integrator.iterations=20 --json
holds "$few > 10 * $(value largestCorrection) && $(value largestCorrection) > 0"
[ "$(value solver)" = local-global ] && [ "$(value solverChosen)" = asked ] || fail "the solver: $(value solver)"
expect 0 "$verve" run spin.json --frames 12 --no-record --method backward-euler --json
holds "$(value unconverged) == 0 && $(value largestCorrection) == 0 && $(value peakBytes) >= $(value memoryBytes)"
expect 0 "$verve" run spin.json --frames 12 --no-record --method verlet --set integrator.substeps=20 --json
[ "$(value solver)" = null ] || fail "verlet asks no solver"
expect 0 "$verve" check spin.json
grep -q 'small-midpoint (the default), steps of' out || fail "check does not say why the method"
expect 0 "$verve" check spin.json --set integrator.method=bdf2
grep -q 'bdf2 (asked for), solver newton (the default), steps of' out || fail "check does not say why the solver"

# what check says about memory is what the process had, beside the program itself
if [ -r /proc/self/status ] && command -v python3 >/dev/null && ! grep -q __asan_init "$verve"; then
    python3 - "$verve" <<'PYTHON' || fail "memory"
import json, resource, subprocess, sys
scene = '{"verve":1,"bodies":[{"mesh":{"shape":"box","cells":18}}]}'
open("large.json", "w").write(scene)
report = json.loads(subprocess.run([sys.argv[1], "check", "large.json", "--json"], capture_output=True).stdout)
resident = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("memory: peak", report["peakBytes"], "resident", resident)
sys.exit(not (report["peakBytes"] > 1.2 * report["memoryBytes"] and resident - 20e6 < 1.1 * report["peakBytes"]))
PYTHON
fi
echo "verdict: passed"
