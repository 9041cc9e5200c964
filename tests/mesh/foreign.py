#!/usr/bin/python3
# writes a mesh of Gmsh again with VTK and meshio, in the formats that Gmsh does not write.
#   foreign.py TETS.vtk SKIN.vtk
import sys

import meshio
import vtk


def read(path):
    reader = vtk.vtkUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def surface(grid):
    keep = vtk.vtkGeometryFilter()
    keep.SetInputData(grid)
    keep.Update()
    return keep.GetOutput()


def write(writer, data, path, **settings):
    writer.SetFileName(path)
    writer.SetInputData(data)
    for name, value in settings.items():
        getattr(writer, name)(*value)
    if writer.Write() != 1:
        sys.exit(f"foreign: VTK could not write {path}")


tets, skin = read(sys.argv[1]), surface(read(sys.argv[2]))

write(vtk.vtkPLYWriter(), skin, "vtk-ascii.ply", SetFileTypeToASCII=())
for order in ("LittleEndian", "BigEndian"):
    write(vtk.vtkPLYWriter(), skin, f"vtk-{order}.ply", SetFileTypeToBinary=(), **{f"SetDataByteOrderTo{order}": ()})
write(vtk.vtkSTLWriter(), skin, "vtk-ascii.stl", SetFileTypeToASCII=())
write(vtk.vtkSTLWriter(), skin, "vtk-binary.stl", SetFileTypeToBinary=())

for version in (42, 51):
    binary = {"SetFileTypeToBinary": (), "SetFileVersion": (version,)}
    write(vtk.vtkUnstructuredGridWriter(), tets, f"tets-{version}.vtk", **binary)
    write(vtk.vtkPolyDataWriter(), skin, f"vtk-{version}.vtk", **binary)

solid = meshio.read(sys.argv[1])
meshio.write("tets-meshio.meshb", meshio.Mesh(solid.points, {"tetra": solid.cells_dict["tetra"]}))
meshio.write("tets-single.meshb", meshio.Mesh(solid.points.astype("float32"),
                                              {"tetra": solid.cells_dict["tetra"].astype("int32")}))

mesh = meshio.read(sys.argv[2])
mesh = meshio.Mesh(mesh.points, {"triangle": mesh.cells_dict["triangle"]})
meshio.write("meshio.off", mesh)
meshio.write("meshio-ascii.ply", mesh, binary=False)
meshio.write("meshio-binary.ply", mesh, binary=True)
