# guests.py FOLDER: the rigid bodies and fluids of a record of tests/exports/rigid.json in every format that holds them (OBJ,
# PLY, VTU through the PVD as VTK reads it, glTF, USD), compared with the poses in frames_rigid.csv and with each other.
import csv
import json
import os
import re
import struct
import sys
import xml.etree.ElementTree as xml

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOPLY import vtkPLYReader
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

NEAR = 1e-6  # m: float32 at coordinates of some metres
SIZE = (0.2, 0.3, 0.4)  # m, of rigid_0
folder = sys.argv[1]


def check(condition, *words):
    if not condition:
        sys.exit("guests: " + " ".join(str(w) for w in words))


def path(*words):
    return os.path.join(folder, "".join(words))


def rotation(w, x, y, z):
    return numpy.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(open(path("frames_rigid.csv")))]
last = len(rows) - 1


def corners(frame):
    row = rows[frame]
    at = numpy.array([row["0." + k] for k in "xyz"])
    own = [[(i - 0.5) * SIZE[0], (j - 0.5) * SIZE[1], (k - 0.5) * SIZE[2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    return at + numpy.array(own) @ rotation(*(row["0.q" + k] for k in "wxyz")).T


def same(what, found, want):
    check(found.shape == want.shape, what, found.shape, "points, want", want.shape)
    away = max(min(numpy.abs(p - q).max() for q in found) for p in want)
    check(away <= NEAR, what, "is", away, "m away")


def read_obj(frame):
    objects = {}
    for line in open(path("frames_rigid_%06d.obj" % frame)):
        words = line.split()
        if words[0] == "o":
            objects[words[1]] = now = ([], [])
        elif words[0] == "v":
            now[0].append([float(w) for w in words[1:]])
        elif words[0] == "f":
            now[1].append([int(w) for w in words[1:]])
    return objects


def read_points(frame, fluid):
    raw = open(path("frames-fluid-%d_%06d.ply" % (fluid, frame)), "rb").read()
    count = int(re.search(rb"element vertex (\d+)", raw).group(1))
    data = raw[raw.index(b"end_header\n") + 11 :]
    check(len(data) == 28 * count, "bytes of a PLY file")
    found = sorted((struct.unpack_from("<I", data, 28 * i + 24)[0], struct.unpack_from("<3f", data, 28 * i)) for i in range(count))
    return [i for i, _ in found], numpy.array([p for _, p in found], dtype=numpy.float32).reshape(-1, 3)


# ---- rigid bodies as OBJ and PLY -------------------------------------------------------------------------------------

for frame in (0, 7, last):
    objects = read_obj(frame)
    check(list(objects) == ["rigid_0", "rigid_1", "rigid_2"], "objects", list(objects))
    same("the box in OBJ, frame %d" % frame, numpy.array(objects["rigid_0"][0]), corners(frame))
    first = 1
    for name, (points, faces) in objects.items():
        seen = {i for face in faces for i in face}
        check(seen == set(range(first, first + len(points))), name, "uses points of others")
        first += len(points)
    reader = vtkPLYReader()
    reader.SetFileName(path("frames_rigid_%06d.ply" % frame))
    reader.Update()
    points = vtk_to_numpy(reader.GetOutput().GetPoints().GetData())
    same("PLY, frame %d" % frame, points[:8], corners(frame))
    check(len(points) == first - 1 and reader.GetOutput().GetNumberOfPolys() == sum(len(f) for _, f in objects.values()), "PLY sizes")

# ---- all parts as VTU ------------------------------------------------------------------------------------------------

sets = xml.parse(path("frames.pvd")).getroot().findall("Collection/DataSet")
check(len(sets) == 4 * (last + 1), "the PVD lists", len(sets), "files")
before = None
for entry in sets:
    part, name = int(entry.get("part")), entry.get("file")
    frame = int(name[-10:-4])
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(path(name))
    reader.Update()
    grid = reader.GetOutput()
    check(reader.GetErrorCode() == 0, name)
    check(abs(vtk_to_numpy(grid.GetFieldData().GetArray("TimeValue"))[0] - float(entry.get("timestep"))) < 1e-12, name, "TimeValue")
    if part == 0 or grid.GetNumberOfPoints() == 0:
        continue
    points = vtk_to_numpy(grid.GetPoints().GetData()).astype(float)
    velocity = vtk_to_numpy(grid.GetPointData().GetArray("velocity"))
    if part == 1:
        same(name, points[:8], corners(frame))
        body = vtk_to_numpy(grid.GetCellData().GetArray("body"))
        check(set(body) == {0, 1, 2} and (body[:12] == 0).all() and grid.GetCellType(0) == 5, name, "cells")
        # in free flight the mean of two velocities is what the points do between two frames, to second order
        if frame in (1, 2):
            moved = (points - before[0])[:8] * 60
            check(numpy.abs(moved - 0.5 * (velocity + before[1])[:8]).max() < 0.02, name, "velocities")
        before = (points, velocity)
    else:
        ids, want = read_points(frame, part - 2)
        order = numpy.argsort(vtk_to_numpy(grid.GetPointData().GetArray("id")))
        check((points[order] == want).all() and grid.GetCellType(0) == 1, name, "differs from the PLY file")

# ---- fluids as glTF --------------------------------------------------------------------------------------------------

raw = open(path("frames.glb"), "rb").read()
size = struct.unpack_from("<I", raw, 12)[0]
gltf = json.loads(raw[20 : 20 + size])
buffer = raw[28 + size :]
names = [node["name"] for node in gltf["nodes"]]


def numbers(accessor):
    a = gltf["accessors"][accessor]
    view = gltf["bufferViews"][a["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3}[a["type"]]
    at = view["byteOffset"] + a.get("byteOffset", 0)
    check(a.get("byteOffset", 0) + 4 * width * a["count"] <= view["byteLength"], "an accessor leaves its view")
    return numpy.frombuffer(buffer, "<f4", width * a["count"], at).reshape(-1, width)


animation = gltf["animations"][0]
scale = {}
for channel in animation["channels"]:
    if channel["target"]["path"] == "scale":
        sampler = animation["samplers"][channel["sampler"]]
        check(sampler["interpolation"] == "STEP", "interpolation of a scale")
        scale[channel["target"]["node"]] = (numbers(sampler["input"])[:, 0], numbers(sampler["output"])[:, 0])


def seen_at(node, time):
    if node not in scale:
        return gltf["nodes"][node].get("scale", [1])[0] == 1
    times, values = scale[node]
    return values[max(numpy.searchsorted(times, time, "right") - 1, 0)] == 1


roots = gltf["scenes"][gltf["scene"]]["nodes"]
for fluid in (0, 1):
    root = names.index("fluid_%d" % fluid)
    check(root in roots, "the root of fluid", fluid)
    for frame in range(last + 1):
        seen = [n for n in gltf["nodes"][root]["children"] if seen_at(n, (frame + 0.25) / 60)]
        want = read_points(frame, fluid)[1]
        check(len(seen) == (1 if len(want) > 0 else 0), "frame", frame, "shows", [names[n] for n in seen])
        if seen:
            (primitive,) = gltf["meshes"][gltf["nodes"][seen[0]]["mesh"]]["primitives"]
            found = numbers(primitive["attributes"]["POSITION"])
            bounds = gltf["accessors"][primitive["attributes"]["POSITION"]]
            check(primitive["mode"] == 0 and found.shape == want.shape and (found == want).all(), "places of frame", frame)
            check(numpy.allclose(bounds["min"], want.min(0)) and numpy.allclose(bounds["max"], want.max(0)), "bounds")

# ---- fluids as USD ---------------------------------------------------------------------------------------------------

text = open(path("frames_fluid.usda")).read()
check("references = @./frames_rigid.usda@" in text, "the layer of rigid bodies is not in that of fluids")
prims = re.split(r"def Points ", text)[1:]
check(len(prims) == 2 and "float[] widths = [0.05]" in prims[0], "the prims of fluids")
counts = set()
for fluid, prim in enumerate(prims):
    samples = {key: dict(re.findall(r"(\d+): \[(.*)\],", block)) for key, block in re.findall(r"(\w+)\.timeSamples = {\n((?:.*\],\n)*)", prim)}
    check(set(samples) == {"extent", "ids", "points"}, "samples of a fluid", list(samples))
    for frame in range(last + 1):
        ids, want = read_points(frame, fluid)
        found = [float(w) for w in re.findall(r"[-+.\de]+", samples["points"][str(frame)])]
        check(len(found) == 3 * len(want) and (numpy.array(found, dtype=numpy.float32) == want.flatten()).all(), "USD places", frame)
        check([int(w) for w in re.findall(r"\d+", samples["ids"][str(frame)])] == ids, "USD ids", frame)
        counts.add((fluid, len(ids)))
check(len(counts) > 4, "fluids neither flow nor drain away")
print("guests: %d rigid bodies and 2 fluids agree in all formats" % len(objects))
