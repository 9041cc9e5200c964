#!/bin/sh
# verve run as its users know it: records, resuming after kill -9, full disks, divergence, mistakes.
#   run.sh <verve> <source-dir>
. "$(dirname "$0")/start.sh"

hash_of() { # the hash of a summary in JSON
    sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' "$1"
}

# a whole run: what it leaves behind
expect 0 "$verve" run "$source/scenes/swing.json" --frames 60 --out whole --format pc2,obj,vtu,usda --json
whole=$(hash_of out)
[ -n "$whole" ] || fail "no hash in the summary"
for file in scene.json ledger.csv frames.pc2 frames.obj frames.pvd frames.usda frames_000060.obj; do
    [ -s "whole/$file" ] || fail "whole/$file is missing"
done
[ "$(wc -l <whole/ledger.csv)" -eq 62 ] || fail "ledger.csv has $(wc -l <whole/ledger.csv) lines, must have 62"
head -1 whole/ledger.csv | grep -qx 'frame,time,kinetic,elastic,gravity,contact,added,dissipated,total,target,numerical,alpha,px,py,pz,lx,ly,lz,iterations,residual,hash' ||
    fail "the columns of ledger.csv: $(head -1 whole/ledger.csv)"
tail -1 whole/ledger.csv | grep -q "$whole" || fail "the last row does not have the hash $whole"

# the same scene by name, with another number of threads, from the folder's own scene.json: the same bits
expect 0 env VERVE_SCENES="$source/scenes" "$verve" run swing --frames 60 --no-record --threads 2 --json
[ "$(hash_of out)" = "$whole" ] || fail "by name: another hash"
[ ! -e swing ] || fail "--no-record wrote a folder"
expect 0 "$verve" run whole/scene.json --no-record --json
[ "$(hash_of out)" = "$whole" ] || fail "from scene.json: another hash"

# stopped short, then resumed
expect 0 "$verve" run "$source/scenes/swing.json" --frames 37 --out short --format pc2,obj,vtu,usda --quiet
[ ! -s out ] && [ ! -s err ] || fail "--quiet printed something"
expect 0 "$verve" run --resume short --frames 60 --json
[ "$(hash_of out)" = "$whole" ] || fail "resumed: another hash"
for file in ledger.csv frames.pc2 frames.pvd frames.usda; do
    cmp "whole/$file" "short/$file" || fail "resumed: $file differs"
done
expect 0 "$verve" run --resume short --frames 60
grep -q '^swing: 60 frames, all of them there already; --frames N goes on$' out || { cat out; fail "nothing left to do"; }

# resumed with another method: the one asked for, said once, and kept by the next --resume
for pair in small-midpoint:backward-euler backward-euler:small-steps small-steps:small-midpoint; do
    rm -rf other
    expect 0 "$verve" run "$source/scenes/swing.json" --frames 5 --method "${pair%:*}" --out other --quiet
    expect 0 "$verve" run --resume other --frames 8 --method "${pair#*:}" --json
    grep -q "is of ${pair%:*}; the run goes on with ${pair#*:}" err || fail "$pair: not said on resuming"
    grep -q "\"method\": \"${pair#*:}\"" other/scene.json || fail "$pair: scene.json has another method"
    expect 0 "$verve" run --resume other --frames 9 --json
    [ ! -s err ] || { cat err; fail "$pair: resumed again, and something is said"; }
done

# kill -9 at 20 moments: every finished frame is there, and the resumed run ends with the same bits
moment=1
while [ "$moment" -le 20 ]; do
    rm -rf killed
    "$verve" run "$source/scenes/swing.json" --frames 60 --set record.snapshotEvery=7 --out killed --format pc2,vtu --quiet &
    child=$!
    # moments spread over the run: from its start to its end
    sleep "$(awk "BEGIN { print 0.012 * $moment }")"
    kill -9 "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
    if [ -s killed/frames.pc2 ]; then
        # a point cache: 32 bytes, then 12 for every point; the header says how many frames are complete
        set -- $(od -An -t d4 -j 16 -N 16 killed/frames.pc2)
        size=$(wc -c <killed/frames.pc2)
        [ "$size" -ge $((32 + 12 * $1 * $4)) ] || fail "moment $moment: frames.pc2 holds less than its header says"
    fi
    if [ -s killed/scene.json ]; then
        expect 0 "$verve" run --resume killed --json
        [ "$(hash_of out)" = "$whole" ] || fail "moment $moment: resumed with another hash"
        cmp -s whole/ledger.csv killed/ledger.csv || fail "moment $moment: ledger.csv differs"
        cmp -s whole/frames.pc2 killed/frames.pc2 || fail "moment $moment: frames.pc2 differs"
    fi
    moment=$((moment + 1))
done

# an interrupt ends between two frames and keeps all
"$verve" run "$source/scenes/swing.json" --frames 100000 --out stopped --quiet &
child=$!
sleep 0.4
kill -TERM "$child"
code=0
wait "$child" || code=$?
[ "$code" -eq 143 ] || fail "SIGTERM: exit $code instead of 143"
expect 0 "$verve" run --resume stopped --frames 100 --json
expect 0 "$verve" run "$source/scenes/swing.json" --frames 100 --no-record --json
straight=$(hash_of out)
[ "$(tail -1 stopped/ledger.csv | awk -F, '$1 == 100 { print $NF }')" = "$straight" ] ||
    [ "$(tail -1 stopped/ledger.csv | awk -F, '$1 > 100 { print "further" }')" = further ] || fail "after SIGTERM: another hash"

# a run that explodes keeps its frames and says why
expect 1 "$verve" run "$source/scenes/swing.json" --method symplectic-euler --set timestep=0.05 --out exploded
grep -q autopsy err || fail "no autopsy"
for word in "worst element" "highest frequency" "largest stable step" "what would work" "integrator.substeps="; do
    grep -q "$word" err || { cat err; fail "the autopsy does not say: $word"; }
done
rows=$(wc -l <exploded/ledger.csv)
[ "$rows" -ge 2 ] || fail "the frames before the explosion are gone"
# and its advice works
advice=$(sed -n 's/.*integrator.substeps=\([0-9]*\).*/\1/p' err)
expect 0 "$verve" run "$source/scenes/swing.json" --method symplectic-euler --set timestep=0.05 \
    --set "integrator.substeps=$advice" --frames 100 --no-record --quiet

# a full disk: exit 3, what was finished stays
expect 3 sh -c "ulimit -f 40; trap '' XFSZ; exec '$verve' run '$source/scenes/swing.json' --frames 60 --out full --quiet"
grep -q resume err || { cat err; fail "a full disk: no hint how to go on"; }
set -- $(od -An -t d4 -j 16 -N 16 full/frames.pc2)
[ "$4" -ge 1 ] || fail "a full disk: no frame is left"
expect 0 "$verve" run --resume full --json
[ "$(hash_of out)" = "$whole" ] || fail "after a full disk: another hash"
if mkdir small && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
    code=0
    "$verve" run "$source/scenes/swing.json" --frames 60 --out small/full --quiet >out 2>err || code=$?
    cp -r small/full rescued
    umount small
    [ "$code" -eq 3 ] || fail "a full file system: exit $code instead of 3"
    expect 0 "$verve" run --resume rescued --json
    [ "$(hash_of out)" = "$whole" ] || fail "after a full file system: another hash"
else
    echo "run: no tmpfs here, the full file system is skipped"
fi
expect 3 sh -c "'$verve' run '$source/scenes/swing.json' --frames 3 --no-record >/dev/full"
expect 3 "$verve" run "$source/scenes/swing.json" --out /proc/verve

# mistakes: exit 2 and nothing written
for words in "" "a b" "nothing.json" "swing.json --frames -1" "swing.json --method newon" "swing.json --thread 2" \
    "swing.json --format mov" "swing.json --set bodies.0.mass=1" "swing.json --set frames" "--resume nowhere" \
    "swing.json --threads 65" "swing.json --resume --no-record"; do
    mkdir -p clean
    # shellcheck disable=SC2086 # words on purpose
    (
        cd clean
        cp "$source/scenes/swing.json" .
        code=0
        "$verve" run $words >../out 2>../err || code=$?
        [ "$code" -eq 2 ] || [ "$code" -eq 3 ] || fail "exit $code: verve run $words"
        [ -s ../err ] || fail "silent: verve run $words"
        [ "$(ls)" = swing.json ] || fail "wrote $(ls): verve run $words"
    )
done

# a run that lives on blending says so, with what would help; one that does not keeps quiet
expect 0 "$verve" run "$source/scenes/spinning-cube.json" --method stabilized-explicit --solver local-global --frames 60 --no-record
grep -q 'held by strong blends' err || fail "no warning about a run that lives on blending: $(cat err)"
grep -q 'integrator.iterations' err || fail "the warning names no remedy: $(cat err)"
grep -q '^blended: ' out || fail "no word about blending in the summary"
expect 0 "$verve" run "$source/scenes/spinning-cube.json" --method stabilized --solver local-global --frames 60 --no-record
grep -q 'strong blends' err && fail "a warning about a run that is well: $(cat err)"

# a body that tears: the frames have its mesh, a point cache goes on in another file, and a resumed run ends alike
points() { sed -n '1s/.*: \([0-9]*\) vertices.*/\1/p' "$1"; }
expect 0 "$verve" run "$source/scenes/rip.json" --frames 25 --out torn
[ "$(points torn/frames_000000.obj)" -lt "$(points torn/frames_000025.obj)" ] || fail "no frame shows the tear"
grep -q "^torn: the mesh of 'cloth' changed" out || fail "no word about the tear"
grep -q '^records: torn (26 frames)' out || fail "not all frames of a torn body are recorded"
hash=$(grep '^state hash' out)
expect 0 "$verve" run "$source/scenes/rip.json" --frames 22 --out part
expect 0 "$verve" run --resume part --frames 25
[ "$hash" = "$(grep '^state hash' out)" ] && cmp torn/frames_000025.obj part/frames_000025.obj ||
    fail "a torn run that was resumed ends otherwise"
expect 0 "$verve" run "$source/scenes/rip.json" --frames 25 --out cache --format pc2
[ -f cache/frames_mesh1.pc2 ] && [ -f cache/frames_mesh1.obj ] || fail "the point cache of a torn body does not go on"
echo "run: passed"
