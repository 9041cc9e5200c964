# python3 changed_vtk.py FOLDER: the VTU, OBJ and PLY files of a record of one body whose mesh changes, as VTK reads them.
# In the frame before and the one after every change, and in the first and the last, the triangles of the surface are
# those of the OBJ file of the frame, at the same points, and the PVD names the file at its time.
import os
import sys
import xml.etree.ElementTree as xml

import numpy
import vtk
from vtkmodules.util.numpy_support import vtk_to_numpy

folder = sys.argv[1]


def need(good, *words):
    if not good:
        sys.exit("vtk: " + " ".join(str(w) for w in words))


def obj(frame):
    points, triangles = [], []
    for line in open(os.path.join(folder, "frames_%06d.obj" % frame)):
        words = line.split()
        if words[0] == "v":
            points.append([float(w) for w in words[1:]])
        elif words[0] == "f":
            triangles.append([int(w.split("/")[0]) - 1 for w in words[1:]])
    return numpy.array(points, dtype=numpy.float32), numpy.array(triangles)


def polygons(mesh):
    points = vtk_to_numpy(mesh.GetPoints().GetData())
    # one object serves all cells
    return points, numpy.array([[mesh.GetCell(c).GetPointId(k) for k in range(3)] for c in range(mesh.GetNumberOfCells())])


def same(what, found, wanted):
    """Triangles at the same places, whatever their order and their first corner."""
    sorted_corners = []
    for points, triangles in (found, wanted):
        corners = points.astype(numpy.float32)[triangles]
        sorted_corners.append(sorted(tuple(sorted(tuple(p) for p in t)) for t in corners.tolist()))
    need(len(found[1]) == len(wanted[1]), what, "has", len(found[1]), "triangles, want", len(wanted[1]))
    need(sorted_corners[0] == sorted_corners[1], what, "has other points")


def read(reader, ending, frame):
    reader.SetFileName(os.path.join(folder, "frames_%06d%s" % (frame, ending)))
    reader.Update()
    return reader.GetOutput()


def surface(grid):
    if grid.GetCellType(0) != vtk.VTK_TETRA:
        return polygons(grid)
    skin = vtk.vtkDataSetSurfaceFilter()
    skin.SetInputData(grid)
    skin.Update()
    return polygons(skin.GetOutput())


sets = xml.parse(os.path.join(folder, "frames.pvd")).getroot().findall("Collection/DataSet")
listed = {s.get("file"): float(s.get("timestep")) for s in sets}
frames = len([name for name in os.listdir(folder) if name.startswith("frames_0") and name.endswith(".obj")])
meshes = [obj(f) for f in range(frames)]
changes = [f for f in range(1, frames) if meshes[f][1].shape != meshes[f - 1][1].shape or (meshes[f][1] != meshes[f - 1][1]).any()]
need(len(changes) > 0, "the mesh does not change")
for frame in sorted({0, frames - 1} | set(changes) | {f - 1 for f in changes}):
    points, triangles = meshes[frame]
    need("frames_%06d.vtu" % frame in listed, "the PVD does not have frame", frame)
    grid = read(vtk.vtkXMLUnstructuredGridReader(), ".vtu", frame)
    same("VTU %d" % frame, surface(grid), (points, triangles))
    if grid.GetCellType(0) != vtk.VTK_TETRA:
        need(grid.GetNumberOfPoints() == len(points), "VTU", frame, "has", grid.GetNumberOfPoints(), "points")
    for field, width in (("velocity", 3), ("force", 3)):
        array = grid.GetPointData().GetArray(field)
        need(array is not None and array.GetNumberOfTuples() == grid.GetNumberOfPoints(), "VTU", frame, field)
    same("OBJ %d" % frame, polygons(read(vtk.vtkOBJReader(), ".obj", frame)), (points, triangles))
    ply = read(vtk.vtkPLYReader(), ".ply", frame)
    need(ply.GetNumberOfPoints() == len(points), "PLY", frame, "has", ply.GetNumberOfPoints(), "points")
    same("PLY %d" % frame, polygons(ply), (points, triangles))
before, after = meshes[changes[0] - 1], meshes[changes[-1]]
print("vtk: VTU, OBJ and PLY agree through %d changes: %d points and %d triangles, then %d and %d" % (len(changes), len(before[0]), len(before[1]), len(after[0]), len(after[1])))
