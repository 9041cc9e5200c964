#!/bin/sh
# Files, paths and names as input: what is in the way stays, scenes read what is theirs, text of others is only text.
#   files.sh <verve> <source-dir>
. "$(dirname "$0")/start.sh"

says() { # says WORDS: in what the last command said
    grep -qF -- "$1" out err || { cat out err; fail "does not say: $1"; }
}

cat >box.json <<'END'
{ "verve": 1, "name": "box", "frames": 2, "bodies": [ { "mesh": { "shape": "box", "cells": [1, 1, 1] } } ] }
END
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >tet.obj

# ---- what lies in the folder of a new record ---------------------------------------------------------------------------

# every file that a record would write, by somebody else: refused, nothing written, nothing changed
for name in scene.json ledger.csv snapshot.vvs frames.pc2 frames.obj frames.usda frames.pvd frames_000001.vtu frames-a.usda; do
    rm -rf precious
    mkdir precious
    echo "mine" >"precious/$name"
    echo "other" >precious/notes.txt
    expect 2 "$verve" run box.json --out precious --format pc2,vtu,usda
    says "precious/$name"
    says "--force"
    [ "$(ls precious | wc -l)" -eq 2 ] || fail "wrote beside $name: $(ls precious)"
    [ "$(cat "precious/$name")" = mine ] || fail "replaced $name"
done
expect 0 "$verve" run box.json --out precious --format pc2,vtu,usda --force --quiet
[ "$(cat precious/notes.txt)" = other ] || fail "--force touched a file that is in nobody's way"
# what is in nobody's way does not matter; a record may be replaced by another, of other formats too
for name in frames.txt frames2.pc2 ledger.txt image.obj; do
    mkdir "beside-$name"
    echo "mine" >"beside-$name/$name"
    expect 0 "$verve" run box.json --out "beside-$name" --quiet
    expect 0 "$verve" run box.json --out "beside-$name" --quiet --frames 1
    expect 0 "$verve" run box.json --out "beside-$name" --quiet --format vtu
    expect 0 "$verve" run box.json --out "beside-$name" --quiet --format vtu --set record.ledger=energy.csv
    expect 0 "$verve" run box.json --out "beside-$name" --quiet --format vtu --set record.ledger=null --set record.snapshot=null
    [ "$(cat "beside-$name/$name")" = mine ] || fail "replaced $name"
done
# beside a record, a file that the record did not write is still somebody's
rm -rf old
expect 0 "$verve" run box.json --out old --quiet
echo mine >old/frames.usda
expect 2 "$verve" run box.json --out old --format usda
[ "$(cat old/frames.usda)" = mine ] || fail "replaced a file beside a record"
# a scene written by hand is no record
mkdir hand
cp box.json hand/scene.json
expect 2 sh -c "cd hand && exec '$verve' run scene.json --out ."
cmp -s box.json hand/scene.json || fail "replaced a scene that was written by hand"
[ "$(ls hand)" = scene.json ] || fail "wrote beside it: $(ls hand)"

# ---- names of records --------------------------------------------------------------------------------------------------

for key in ledger snapshot; do
    for name in scene.json Scene.JSON frames.obj x.part; do
        expect 2 "$verve" check box.json --set "record.$key=$name"
        says "record.$key"
        expect 2 "$verve" run box.json --set "record.$key=$name" --out named
        [ ! -e named ] || fail "record.$key=$name left a folder"
    done
done
expect 2 "$verve" check box.json --set record.ledger=a --set record.snapshot=A
expect 0 "$verve" check box.json --set record.ledger=a --set record.snapshot=b

# ---- unfinished files --------------------------------------------------------------------------------------------------

# a link with the name of an unfinished file is not followed, and what a killed run left is replaced
for name in scene.json ledger.csv frames.obj frames.pc2 frames.usda frames.pvd frames_000001.vtu snapshot.vvs; do
    rm -rf linked target
    mkdir linked
    echo "target" >target
    ln -s ../target "linked/$name.part"
    expect 0 "$verve" run box.json --out linked --format pc2,vtu,usda --quiet
    [ "$(cat target)" = target ] || fail "$name.part: wrote through a link"
    [ -s "linked/$name" ] && [ ! -L "linked/$name" ] || fail "$name is a link, or missing"
done
for name in a.png a.gif; do
    rm -f target
    echo "target" >target
    ln -s target "$name.part"
    expect 0 "$verve" render linked --out "$name" --size 64x48
    [ "$(cat target)" = target ] && [ ! -L "$name" ] || fail "$name: wrote through a link"
    ln -s target "$name.part"
    expect 0 "$verve" render linked --out "$name" --size 64x48 # and again, over its own
done
# ffmpeg is given a file, whatever the name looks like
mkdir bin
cat >bin/ffmpeg <<'END'
#!/bin/sh
for word; do last=$word; done
printf '%s\n' "$last" >"$RECORDED"
cat >/dev/null
case $last in file:*) echo movie >"${last#file:}" ;; esac
END
chmod +x bin/ffmpeg
for name in -x.mp4 pipe:1.mp4; do
    expect 0 env RECORDED="$work/words" PATH="$work/bin:$PATH" "$verve" render linked "--out=$name" --size 64x48
    [ "$(cat words)" = "file:$name.part" ] || fail "ffmpeg was given $(cat words)"
    [ -s "./$name" ] || fail "$name was not written"
done
rm -f -- ./-x.mp4.part target
echo "target" >target
ln -s target ./-x.mp4.part
expect 0 env RECORDED="$work/words" PATH="$work/bin:$PATH" "$verve" render linked --out=-x.mp4 --size 64x48
[ "$(cat target)" = target ] || fail "ffmpeg wrote through a link"

# ---- what a scene may read ---------------------------------------------------------------------------------------------

mkdir -p scene/inner elsewhere
cp tet.obj elsewhere/tet.obj
cp tet.obj scene/inner/tet.obj
printf '3 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 0 1\n' >elsewhere/split.node
printf '4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 0 1\n4 0 1 0\n' >scene/split.node
printf '1 4 0\n1 1 2 3 4\n' >elsewhere/split.ele
ln -s ../elsewhere/tet.obj scene/link.obj
ln -s ../elsewhere scene/folder
ln -s inner/tet.obj scene/alias.obj
ln -s ../elsewhere/split.ele scene/split.ele
scene_with() { # scene_with FILE FORMAT: a body, an example or a collider of that file
    cat >scene/body.json <<END
{ "verve": 1, "frames": 1, "bodies": [ { "mesh": { "file": "$1" }, "material": "cotton" } ] }
END
    cat >scene/collider.json <<END
{ "verve": 1, "frames": 1, "bodies": [ { "mesh": { "shape": "box" }, "position": [0, 2, 0] } ],
  "colliders": [ { "shape": "mesh", "file": "$1" } ] }
END
    cat >scene/example.json <<END
{ "verve": 1, "frames": 1, "bodies": [ { "mesh": { "shape": "sheet", "cells": 1 }, "examples": [ { "file": "$1" } ] } ] }
END
}
for file in "$work/elsewhere/tet.obj" ../elsewhere/tet.obj inner/../../elsewhere/tet.obj link.obj folder/tet.obj \
    folder/none.obj /nowhere/none.obj ../none.obj split.node split.ele /etc/passwd; do
    scene_with "$file"
    for kind in body collider example; do
        for command in check run; do
            expect 2 "$verve" "$command" "scene/$kind.json"
            says "outside the scene's folder"
            says "$file"
            [ ! -e "$kind" ] || fail "$command $kind.json with $file wrote a folder"
        done
    done
done
for file in inner/tet.obj ./inner/../inner/tet.obj alias.obj "$work/scene/inner/tet.obj"; do
    scene_with "$file"
    expect 0 "$verve" check scene/body.json
    expect 0 "$verve" check scene/collider.json
    (cd scene && expect 0 "$verve" check body.json)
    (cd scene/inner && expect 0 "$verve" check ../body.json)
done
# permitted by an option, by VERVE_MESH_DIR, or by typing it
scene_with ../elsewhere/tet.obj
for command in "check" "run --out permitted" "calibrate"; do
    # shellcheck disable=SC2086 # words on purpose
    expect 0 "$verve" $command scene/body.json --allow-outside
done
expect 0 env VERVE_MESH_DIR="$work/elsewhere" "$verve" check scene/body.json
expect 2 env VERVE_MESH_DIR="$work/scene" "$verve" check scene/body.json
expect 0 "$verve" check box.json --set 'bodies.0.mesh={ "file": "elsewhere/tet.obj" }'
expect 0 "$verve" check scene/body.json --set "bodies.0.mesh.file=$work/elsewhere/tet.obj"
expect 2 "$verve" check scene/body.json --set "bodies.0.material.young=2e5"
# a record goes on and is drawn from wherever its meshes were
expect 0 "$verve" run --resume permitted --frames 3 --quiet
expect 0 "$verve" render permitted --out a.png --size 64x48
scene_with inner/tet.obj
expect 0 "$verve" run scene/body.json --out inside --quiet
(cd elsewhere && expect 0 "$verve" run --resume ../inside --frames 3 --quiet)
expect 0 "$verve" render inside --out a.png --size 64x48
# a message does not show what is in a file that is no mesh
echo "topsecret:word" >scene/secret
for format in obj msh node mesh vtk; do
    cp scene/secret scene/secret.node
    cat >scene/secret.json <<END
{ "verve": 1, "bodies": [ { "mesh": { "file": "secret", "format": "$format" } } ] }
END
    code=0
    "$verve" check scene/secret.json >out 2>err || code=$?
    [ "$code" -eq 2 ] || fail "a file that is no mesh as $format: exit $code"
    grep -q topsecret out err && fail "a message shows the file: $(cat err)"
done

# ---- text of others ----------------------------------------------------------------------------------------------------

# control characters, 8-bit and 7-bit, and marks that reverse the direction, wherever a name can stand
evil=$(printf 'e\033[31m\a\r\302\2332J\342\200\256\377x')
clean() { # clean command...: what it prints has no control characters but the ends of lines
    code=0
    "$@" >out 2>err </dev/null || code=$?
    [ "$code" -le 3 ] || fail "exit $code: $*"
    cat out err >both
    [ -s both ] || fail "says nothing: $*"
    # ASCII and C1 controls but the line's end, marks that reverse the direction, a byte that is no text
    if LC_ALL=C grep -qaP '[\x00-\x09\x0b-\x1f\x7f\xff]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]' both; then
        cat -v both
        fail "prints raw bytes: $*"
    fi
}
mkdir "$evil"
cat >"$evil/$evil.json" <<'END'
{ "verve": 1, "name": "a\u001b[31m\u0007\n\u009b2J\u202e", "description": "d\u001b]0;owned\u0007\r", "frames": 2,
  "bodies": [ { "name": "b\u009b2J\u202e", "mesh": { "shape": "box", "cells": 1 } } ] }
END
cp tet.obj "$evil/$evil.obj"
bad="$evil/$evil.json"
for words in check "check --json" run "run --json" "run --method forward-euler --set timestep=100" calibrate "calibrate --json"; do
    # shellcheck disable=SC2086 # words on purpose
    clean "$verve" $words "$bad" --set frames=3
done
[ -d "$evil" ] || fail "the folder is gone"
clean "$verve" run "$bad" --out "$evil/out" --force
clean "$verve" render "$evil/out" --out "$evil/$evil.png" --size 64x48
clean "$verve" render "$evil/out" --out "$evil/$evil.png" --size 64x48 --json
clean "$verve" mesh info "$evil/$evil.obj"
clean "$verve" mesh info "$evil/$evil.obj" --json
clean "$verve" mesh convert "$evil/$evil.obj" "$evil/$evil.mesh"
clean "$verve" scenes --folder "$evil"
clean "$verve" run "$bad" --resume "$evil"
for command in run check advise calibrate render mesh scenes bench ode lab help version; do
    clean "$verve" "$command" "$evil"
    clean "$verve" "$command" "--$evil"
done
clean "$verve" "$evil"
clean "$verve" check "$bad" --set "$evil=1"
clean "$verve" check "$bad" --set "frames=$evil"
clean "$verve" check "$bad" --set "bodies.0.mesh={\"file\":\"$evil\"}"
clean "$verve" run "$bad" --frames "$evil"
clean "$verve" run "$bad" --method "$evil"
clean "$verve" run "$bad" --format "$evil"
clean "$verve" run "$bad" --threads "$evil"
clean "$verve" render "$evil" --out "$evil"
clean "$verve" render "$evil" --out a.png --size "$evil"
clean "$verve" render "$evil" --out a.png --eye "$evil"
clean "$verve" render "$evil" --out a.png --colour "$evil"
clean "$verve" mesh "$evil" a b
clean "$verve" mesh make "$evil" a.obj
clean "$verve" mesh make box a.obj --size "$evil"
clean "$verve" ode --problem "$evil" --method rk4
clean "$verve" ode --method "$evil" --problem decay
clean "$verve" help --completion "$evil"

# ---- reasons and remedies ----------------------------------------------------------------------------------------------

expect 3 "$verve" run box.json --out /proc/verve
says "choose one on a disk"
echo "file" >file
expect 3 "$verve" run box.json --out file/inside
says "a file has that name"
expect 3 sh -c "exec '$verve' run box.json --no-record >/dev/full"
says "could not be written; "
for files in 4 5 6 7 8; do
    rm -rf few
    code=0
    sh -c "ulimit -n $files; exec '$verve' run box.json --out few --format pc2,vtu,usda" >out 2>err || code=$?
    [ "$code" -eq 127 ] && continue # not even the program
    [ "$code" -eq 0 ] || { [ "$code" -eq 3 ] && says "ulimit -n"; } || fail "$files files: exit $code: $(cat err)"
done
for ending in fbx FBX dae abc step; do
    cp tet.obj "mesh.$ending"
    expect 2 "$verve" mesh info "mesh.$ending"
    says "neither read nor written"
done
expect 0 "$verve" mesh info mesh.dae --format obj

# ---- meshes that look right ------------------------------------------------------------------------------------------------

# quads that share no corners, a closed surface of jelly, and millimetres: one sentence each, whose command mends it
: >quads.obj
for i in 0 1 2 3; do
    j=$((i + 1))
    printf 'v %s 0 0\nv %s 0 0\nv %s 0 1\nv %s 0 1\nf -4 -1 -2 -3\n' "$i" "$j" "$j" "$i" >>quads.obj
done
echo '{ "verve": 1, "frames": 1, "bodies": [ { "mesh": { "file": "quads.obj" }, "material": "cotton" } ] }' >quads.json
for words in "mesh info quads.obj" "check quads.json" "run quads.json --no-record"; do
    # shellcheck disable=SC2086 # words on purpose
    expect 0 "$verve" $words
    says "4 pieces that nothing joins, and 6 of its vertices lie on others"
done
weld=$(grep -o 'mesh convert .*--weld' err)
expect 0 "$verve" check quads.json --set bodies.0.mesh.scale=2
says "has triangles of 2.14 m and a thickness of"
# shellcheck disable=SC2086 # words on purpose
expect 0 "$verve" $weld
expect 0 "$verve" mesh info welded.obj
says "components    1"
grep -q "note: it is" out && fail "a welded mesh is in pieces: $(cat out)"
"$verve" mesh make sphere ball.obj --cells 2 >/dev/null
echo '{ "verve": 1, "frames": 1, "bodies": [ { "mesh": { "file": "ball.obj" }, "material": "jelly" } ] }' >ball.json
for words in "mesh info ball.obj" "check ball.json" "run ball.json --no-record"; do
    # shellcheck disable=SC2086 # words on purpose
    expect 0 "$verve" $words
    says "a hollow shell"
    says "solid"
done
says "warning: body1 is a closed surface of jelly"
expect 0 "$verve" mesh solid ball.obj a.mesh
says "dihedral"
for set in bodies.0.mesh.file=a.mesh "bodies.0.mesh.solid={}" 'bodies.0.mesh.solid={"edge":0.3,"kind":"cage"}'; do
    expect 0 "$verve" check ball.json --set "$set"
    grep -q "note\|warning" out && fail "a solid gets a note: $(cat out)"
    expect 0 "$verve" run ball.json --no-record --quiet --set "$set"
done
# a cage is recorded, and drawn, as the surface it carries
expect 0 "$verve" run ball.json --out caged --quiet --format obj,pc2 --set 'bodies.0.mesh.solid={"kind":"cage","cells":3}'
[ "$(grep -c '^[vf] ' caged/frames_000001.obj)" -eq "$(grep -c '^[vf] ' ball.obj)" ] || fail "another surface is recorded: $(head -2 caged/frames_000001.obj)"
"$verve" render caged --out caged.png --size 64x64 --colour strain >out 2>err || grep -q libpng err || fail "a cage is not drawn: $(cat err)"
# what is too thin for the lattice is said: a ball with a fin
{ cat ball.obj; printf 'v 0 0 0\nv 2 0 0\nv 2 0 0.2\nv 0 0 0.2\nv 0 0.01 0\nv 2 0.01 0\nv 2 0.01 0.2\nv 0 0.01 0.2\nf -8 -7 -6 -5\nf -1 -2 -3 -4\nf -8 -4 -3 -7\nf -7 -3 -2 -6\nf -6 -2 -1 -5\nf -5 -1 -4 -8\n'; } >fin.obj
expect 0 "$verve" check ball.json --set bodies.0.mesh.file=fin.obj --set 'bodies.0.mesh.solid={"cells":8}'
says "too thin for edges of"
expect 0 "$verve" check ball.json --set bodies.0.mesh.file=fin.obj --set 'bodies.0.mesh.solid={"cells":8}' --json
! command -v /usr/bin/python3 >/dev/null || /usr/bin/python3 -c 'import json; b = json.load(open("out"))["bodies"][0]
assert len(b["notes"]) == 1 and "too thin for edges of" in b["notes"][0] and b["warnings"] == [], b' || fail "not in JSON: $(cat out)"
expect 0 "$verve" check ball.json --json
! command -v /usr/bin/python3 >/dev/null || /usr/bin/python3 -c 'import json; b = json.load(open("out"))["bodies"][0]
assert b["notes"] == [] and len(b["warnings"]) == 1 and "a hollow shell" in b["warnings"][0], b' || fail "not in JSON: $(cat out)"
expect 0 "$verve" check ball.json --set bodies.0.mesh.file=fin.obj --set 'bodies.0.mesh.solid={"cells":8,"kind":"cage"}'
says "thinner than the edges of its cage"
expect 2 "$verve" check ball.json --set 'bodies.0.mesh.solid={"edge":0.3,"cells":4}'
says "solid.cells is there beside edge"
expect 2 "$verve" check ball.json --set bodies.0.mesh.file=a.mesh --set 'bodies.0.mesh.solid={}'
says "tets already"
expect 0 "$verve" check ball.json --set bodies.0.mesh.unit=mm --set bodies.0.mesh.scale=1000 --set 'bodies.0.mesh.solid={}'
grep -q note out && fail "a metre in millimetres gets a note: $(cat out)"
expect 0 "$verve" check ball.json --set bodies.0.mesh.unit=mm --set bodies.0.mesh.scale=0.5
says "only 0.0005 m large"
says "bodies.0.mesh.scale=1000"
for set in bodies.0.material=cotton bodies.0.pressure=100 bodies.0.material.shapeStiffness=1e4 bodies.0.material.thickness=0.005; do
    expect 0 "$verve" check ball.json --set "$set"
    grep -q note out && fail "$set: a skin is meant, and gets a note: $(cat out)"
done
expect 0 "$verve" run ball.json --no-record --quiet
[ ! -s err ] || fail "--quiet: $(cat err)"
expect 0 "$verve" check ball.json --set bodies.0.mesh.scale=1000
says "bodies.0.mesh.scale=0.01 or 0.001 (--set bodies.0.mesh.unit=mm)"
expect 0 "$verve" mesh info ball.obj --scale 1000
says '"scale": 0.01 or 0.001'
# what the lattice parts is told with the remedy, which helps
"$verve" mesh make figure person.obj --cells 3 >/dev/null
expect 0 "$verve" check ball.json --set bodies.0.mesh.file=person.obj --set 'bodies.0.mesh.solid={"cells":24}'
says "became 3 pieces that nothing joins: its thinnest part is"
expect 0 "$verve" check ball.json --set bodies.0.mesh.file=person.obj --set 'bodies.0.mesh.solid={"cells":24,"kind":"cage"}'
grep -q "nothing joins" out && fail "a cage is parted: $(cat out)"
# a figure that walks: the surface and its points over time, which a collider follows
expect 0 "$verve" mesh make figure walk.obj --cells 3 --frames 3 --fps 12
says "walk.pc2: 3 frames"
[ "$(wc -c <walk.pc2)" -eq $((32 + 3 * 12 * $(grep -c '^v ' walk.obj))) ] || fail "walk.pc2 has another size: $(wc -c <walk.pc2)"
echo '{ "verve": 1, "frames": 2, "bodies": [ { "mesh": { "shape": "tet", "size": 0.1 } } ],
  "colliders": [ { "shape": "mesh", "file": "walk.obj", "animation": { "file": "walk.pc2", "fps": 12 } } ] }' >walk.json
expect 0 "$verve" run walk.json --no-record --quiet
expect 2 "$verve" mesh make dog dog.obj --cells 3 --frames 3
says "--frames is for a figure"
expect 2 "$verve" mesh make figure walk.msh --frames 3
says "is no .obj"
expect 2 "$verve" mesh make figure walk.obj --frames 3 --scale 2
says "--frames goes with --size only"
expect 2 "$verve" check box.json --set bodies.0.mesh.time=1
says "time is for figures"
# shipped scenes are silent
for scene in "$source"/scenes/*.json; do
    case $scene in */verve.schema.json) continue ;; esac
    "$verve" check "$scene" >out 2>err || fail "$scene: $(cat err)"
    # settings for other methods are noted too, and welcome
    grep -h 'note:' out err | grep -q -v 'has no effect' && fail "$scene: $(grep note: out err)"
done
echo "files: passed"
