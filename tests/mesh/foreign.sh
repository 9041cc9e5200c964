#!/bin/sh
# meshes that Gmsh, TetGen, VTK, meshio, OpenMesh and FreeFem write must load: counts as the programs state them, volumes as geometry says.
#   foreign.sh <verve>
set -eu

verve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

for program in gmsh tetgen anytooff OpenMesh-mconvert FreeFem++ gcc; do
    command -v $program >/dev/null || { echo "foreign: $program is missing: run 'scripts/setup exports'" >&2; exit 1; }
done

# a value of the JSON object that `verve mesh info` prints
value() { # file, key
    "$verve" mesh info "$1" --json | sed -n "s/.*\"$2\": \([^,}]*\).*/\1/p"
}

check() { # file, key, value, relative tolerance
    got=$(value "$1" "$2")
    if ! awk -v a="$got" -v b="$3" -v t="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b
        exit !(a != "" && d <= t * b) }'; then
        echo "foreign: $1 has $2 = $got, must be $3" >&2
        "$verve" mesh info "$1" >&2
        exit 1
    fi
}

# ---- Gmsh: a box and a sphere in every format that both know -------------------------------------------

cat >box.geo <<'END'
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 2, 1, 1};
Physical Volume("body") = {1};
Physical Surface("skin") = {1 : 6};
Mesh.MeshSizeMax = 0.25;
END
cat >ball.geo <<'END'
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Mesh.MeshSizeMax = 0.2;
END
cat >plate.geo <<'END'
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 3, 2};
Mesh.MeshSizeMax = 0.3;
END

nodes() { # as the log of Gmsh says
    sed -n 's/^Info *: \([0-9]*\) nodes [0-9]* elements.*/\1/p' log | tail -n 1
}

for format in msh2 msh41 vtk mesh; do
    case $format in msh*) ending=msh ;; *) ending=$format ;; esac
    gmsh -3 -format $format -o box-$format.$ending box.geo >log 2>&1
    check box-$format.$ending vertices "$(nodes)" 0
    check box-$format.$ending volume 2 1e-12
    check box-$format.$ending area 10 1e-12
    [ "$(value box-$format.$ending closed)" = true ] || { echo "foreign: the box is not closed" >&2; exit 1; }
    check box-$format.$ending components 1 0
    gmsh -3 -format $format -o ball-$format.$ending ball.geo >log 2>&1
    check ball-$format.$ending volume 4.18879 0.03
    echo "foreign: gmsh $format: $(value box-$format.$ending tets) and $(value ball-$format.$ending tets) tets"
done
# the same mesh in every format has the same tets
for format in msh41.msh vtk.vtk mesh.mesh; do
    check box-$format tets "$(value box-msh2.msh tets)" 0
    check box-$format volume "$(value box-msh2.msh volume)" 1e-12
done

# second order: the middles of edges are left out
gmsh -3 -order 2 -format msh41 -o box2.msh box.geo >log 2>&1
total=$(nodes)
check box2.msh volume 2 1e-12
check box2.msh tets "$(value box-msh41.msh tets)" 0
check box2.msh vertices "$(value box-msh41.msh vertices)" 0
check box2.msh dropped $((total - $(value box2.msh vertices))) 0

# triangles where there are no tets
for format in msh2 msh41 vtk mesh; do
    case $format in msh*) ending=msh ;; *) ending=$format ;; esac
    gmsh -2 -format $format -o plate-$format.$ending plate.geo >log 2>&1
    check plate-$format.$ending area 6 1e-12
    check plate-$format.$ending tets 0 0
done

# ---- surfaces: the skin of the box, closed, with every corner once ---------------------------------------------------

gmsh -2 -format vtk -o skin.vtk box.geo >log 2>&1
gmsh -2 -format stl -o gmsh-ascii.stl box.geo >log 2>&1
gmsh -2 -bin -format stl -o gmsh-binary.stl box.geo >log 2>&1
/usr/bin/python3 "$source/foreign.py" box-vtk.vtk skin.vtk
# binary OFF: OpenMesh writes its form; Geomview, whose format it is, writes none but must read the plain form as we do
OpenMesh-mconvert -b vtk-ascii.ply openmesh.off >log 2>&1
OpenMesh-mconvert vtk-ascii.ply openmesh.obj >log 2>&1
head -c 10 openmesh.off | grep -q 'OFF BINARY' || { echo "foreign: OpenMesh wrote no binary OFF" >&2; exit 1; }
anytooff plain-binary.off | tr -d '{}' >geomview.off # in braces, as a part of a scene
for file in gmsh-*.stl vtk-*.stl vtk-*.ply vtk-*.vtk meshio*.ply meshio*.off openmesh.off openmesh.obj plain-binary.off \
    geomview.off; do
    check "$file" vertices "$(value skin.vtk vertices)" 0
    check "$file" triangles "$(value skin.vtk triangles)" 0
    check "$file" area 10 1e-6
    check "$file" components 1 0
    [ "$(value "$file" closed)" = true ] || { echo "foreign: $file is not closed" >&2; exit 1; }
    echo "foreign: $file: $(value "$file" triangles) triangles"
done

# ---- bytes: the same box as binary files -----------------------------------------------------------------------------

for format in msh2 msh41 vtk; do
    gmsh -3 -bin -format $format -o "gmsh-$format.${format%%[0-9]*}" box.geo >log 2>&1
done
# meshb of versions 1 and 2: libMeshb's own code, in FreeFem
cp box-mesh.mesh box.mesh
gcc -shared -fPIC -o gmf.so "$source/foreign_gmf.c"
echo 'load "./gmf"' >gmf.edp
FreeFem++ -nw -v 0 gmf.edp >log 2>&1
cat >save.edp <<'END'
load "msh3"
mesh3 box = readmesh3("box.mesh");
savemesh(box, "freefem.meshb");
END
FF_LOADPATH=/usr/lib/freefem++ FreeFem++ -nw -v 0 save.edp >log 2>&1 || { cat log >&2; exit 1; }
for pair in gmf-1.meshb:1 gmf-2.meshb:2 freefem.meshb:2; do
    [ "$(od -An -t d4 -j 4 -N 4 "${pair%:*}" | tr -d ' ')" = "${pair#*:}" ] ||
        { echo "foreign: $pair has another version" >&2; exit 1; }
done
gmsh -3 -bin -format msh41 -setnumber Mesh.SaveParametric 1 -o gmsh-parametric.msh box.geo >log 2>&1
for file in gmsh-*.msh gmsh-vtk.vtk tets-* gmf-*.meshb freefem.meshb; do
    check "$file" vertices "$(value box-msh2.msh vertices)" 0
    check "$file" tets "$(value box-msh2.msh tets)" 0
    check "$file" volume 2 1e-6
    check "$file" area 10 1e-6
    echo "foreign: $file: $(value "$file" tets) tets"
done
gmsh -3 -bin -order 2 -format msh41 -o second.msh box.geo >log 2>&1
check second.msh dropped "$(value box2.msh dropped)" 0
check second.msh volume 2 1e-12

# ---- TetGen: a cube from its faces, plain and of second order --------------------------------------------------------

cat >cube.poly <<'END'
8 3 0 0
1 0 0 0
2 2 0 0
3 2 2 0
4 0 2 0
5 0 0 2
6 2 0 2
7 2 2 2
8 0 2 2
6 0
1
4 1 2 3 4
1
4 5 6 7 8
1
4 1 2 6 5
1
4 2 3 7 6
1
4 3 4 8 7
1
4 4 1 5 8
0
0
END
stated() { # a number from TetGen's statistics
    sed -n "s/^ *$1: *\([0-9]*\).*/\1/p" log | tail -n 1
}
for flags in pq pqz pqa0.02 pqo2; do
    name=cube$(echo $flags | tr -d .)
    cp cube.poly "$name.poly"
    tetgen -$flags "$name.poly" >log 2>&1
    check "$name.1.ele" volume 8 1e-12
    check "$name.1.node" area 24 1e-12
    check "$name.1.node" tets "$(stated 'Mesh tetrahedra')" 0
    # of second order, the middles of edges are points that nothing uses here
    check "$name.1.node" vertices $(($(stated 'Mesh points') - $(value "$name.1.node" dropped))) 0
    echo "foreign: tetgen -$flags: $(value "$name.1.ele" tets) tets, $(value "$name.1.ele" dropped) points left out"
done

# ---- and they read ours: Gmsh checks what we write --------------------------------------------------------------------

"$verve" mesh make cylinder ours.msh >log
tets=$(value ours.msh tets)
for ending in mesh vtk; do
    "$verve" mesh convert ours.msh ours.$ending >log
done
for ending in msh mesh vtk; do
    gmsh -3 ours.$ending -save -format msh2 -o back-$ending.msh >log 2>&1
    check back-$ending.msh tets "$tets" 0
    check back-$ending.msh volume "$(value ours.msh volume)" 1e-9
    echo "foreign: gmsh read our .$ending"
done
"$verve" mesh convert ours.msh ours.node >log
tetgen -r ours.node >log 2>&1
check ours.1.node volume "$(value ours.msh volume)" 1e-9
echo "foreign: tetgen read our .node and .ele"
"$verve" mesh convert skin.vtk ours.obj >log
OpenMesh-mconvert ours.obj back.off >log 2>&1
check back.off triangles "$(value skin.vtk triangles)" 0
check back.off area 10 1e-5
echo "foreign: OpenMesh read our .obj"
echo "foreign: Gmsh, TetGen, VTK, meshio, OpenMesh, Geomview and FreeFem agree with us"
