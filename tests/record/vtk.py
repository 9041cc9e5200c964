# reads the VTU files that the PVD lists with VTK and compares them with truth.txt
import os
import sys
import xml.etree.ElementTree as xml

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

CELLS = {0: 10, 1: 5, 2: 3}  # tets, triangles, lines by body


def truth(folder):
    frames = {}
    for line in open(os.path.join(folder, "truth.txt")):
        words = line.split()
        frame, body, time = int(words[0]), int(words[1]), float(words[2])
        entry = frames.setdefault((frame, body), (time, [], []))
        entry[1].append([float(w) for w in words[4:7]])
        entry[2].append([float(w) for w in words[7:10]])
    return frames


def check(condition, *words):
    if not condition:
        sys.exit("vtk: " + " ".join(str(w) for w in words))


folder = sys.argv[1]
known = truth(folder)
sets = xml.parse(os.path.join(folder, "frames.pvd")).getroot().findall("Collection/DataSet")
check(len(sets) == len(known), "the PVD lists", len(sets), "files, want", len(known))
seen = {}
for entry in sets:
    part = int(entry.get("part"))
    frame = seen[part] = seen.get(part, -1) + 1
    time, position, velocity = known[(frame, part)]
    check(float(entry.get("timestep")) == time, "time of frame", frame)
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(os.path.join(folder, entry.get("file")))
    reader.Update()
    grid = reader.GetOutput()
    check(reader.GetErrorCode() == 0 and grid.GetNumberOfPoints() == len(position), entry.get("file"), "points")
    check(grid.GetNumberOfCells() > 0 and grid.GetCellType(0) == CELLS[part], entry.get("file"), "cells")
    points = vtk_to_numpy(grid.GetPoints().GetData())
    check((points == position).all(), entry.get("file"), "positions differ")
    data, cells = grid.GetPointData(), grid.GetCellData()
    check((vtk_to_numpy(data.GetArray("velocity")) == velocity).all(), entry.get("file"), "velocities differ")
    force, density = vtk_to_numpy(data.GetArray("force")), vtk_to_numpy(data.GetArray("energyDensity"))
    check(force.shape == points.shape and density.shape == (len(points),), "force or energyDensity")
    stretch = vtk_to_numpy(cells.GetArray("stretch"))
    check(stretch.shape == (grid.GetNumberOfCells(),) and (abs(stretch - 1) < 0.5).all(), "stretch")
    if frame > 0:
        check((density > 0).any() and (force != 0).any(), entry.get("file"), "has no force or energy")
    check(vtk_to_numpy(grid.GetFieldData().GetArray("TimeValue"))[0] == time, entry.get("file"), "TimeValue")
print("vtk:", len(sets), "files of", len(seen), "bodies agree")
