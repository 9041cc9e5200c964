#!/usr/bin/python3
# writes a mesh of Gmsh again with VTK and meshio, in the formats that Gmsh does not write.
#   foreign.py TETS.vtk SKIN.vtk
import struct
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

codings = [("Ascii", "None", 0), ("Binary", "None", 0), ("Binary", "ZLib", 0)]
codings += [("Appended", packing, base64) for packing in ("None", "ZLib") for base64 in (0, 1)]
for i, (mode, packing, base64) in enumerate(codings):
    settings = {f"SetDataModeTo{mode}": (), f"SetCompressorTypeTo{packing}": (), "SetEncodeAppendedData": (base64,)}
    settings["SetBlockSize"] = (4096,)
    settings["SetByteOrderTo" + ("BigEndian" if i % 2 else "LittleEndian")] = ()
    settings["SetHeaderTypeTo" + ("UInt32" if i % 3 else "UInt64")] = ()
    coding = f"{mode}-{packing}-{'base64' if base64 else 'plain'}"
    write(vtk.vtkXMLUnstructuredGridWriter(), tets, f"tets-{coding}.vtu", **settings)

solid = meshio.read(sys.argv[1])
only = meshio.Mesh(solid.points, {"tetra": solid.cells_dict["tetra"]})
meshio.write("tets-meshio-zlib.vtu", only)
meshio.write("tets-meshio-plain.vtu", only, compression=None)
meshio.write("tets-meshio-packed.vtu", only, header_type="UInt64")
meshio.write("tets-meshio.meshb", only)
meshio.write("tets-single.meshb", meshio.Mesh(solid.points.astype("float32"),
                                              {"tetra": solid.cells_dict["tetra"].astype("int32")}))

mesh = meshio.read(sys.argv[2])
mesh = meshio.Mesh(mesh.points, {"triangle": mesh.cells_dict["triangle"]})
meshio.write("meshio.off", mesh)
with open("plain-binary.off", "wb") as file:  # as the manual of Geomview says
    faces = mesh.cells_dict["triangle"]
    file.write(b"OFF BINARY\n" + struct.pack(">3i", len(mesh.points), len(faces), 0))
    for point in mesh.points:
        file.write(struct.pack(">3f", *point))
    for face in faces:
        file.write(struct.pack(">5i", 3, *face, 0))
meshio.write("meshio-ascii.ply", mesh, binary=False)
meshio.write("meshio-binary.ply", mesh, binary=True)
