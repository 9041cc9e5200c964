# python3 glb_rigid.py FOLDER: the rigid bodies of FOLDER/frames.glb and, where it is there, of frames_rigid.usda against
# the poses in frames_rigid.csv.
import csv
import json
import os
import re
import struct
import sys

folder = sys.argv[1]
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def need(good, *words):
    if not good:
        print("glb_rigid:", *words, file=sys.stderr)
        sys.exit(1)


def same(a, b):
    return len(a) == len(b) and all(abs(x - y) <= 1e-6 * max(1, abs(y)) for x, y in zip(a, b))


with open(os.path.join(folder, "frames_rigid.csv")) as file:
    rows = [[float(cell) for cell in row] for row in list(csv.reader(file))[1:]]
count = (len(rows[0]) - 2) // 7
data = open(os.path.join(folder, "frames.glb"), "rb").read()
text = struct.unpack_from("<I", data, 12)[0]
gltf = json.loads(data[20 : 20 + text])


def accessor(number):
    a = gltf["accessors"][number]
    view = gltf["bufferViews"][a["bufferView"]]
    width, offset = WIDTHS[a["type"]], a.get("byteOffset", 0)
    letter = {5125: "I", 5126: "f"}[a["componentType"]]
    need(offset + 4 * width * a["count"] <= view["byteLength"], "accessor", number, "is too long")
    flat = struct.unpack_from("<%d%s" % (a["count"] * width, letter), data, 28 + text + view["byteOffset"] + offset)
    return [flat[i : i + width] for i in range(0, len(flat), width)]


numbers = {node["name"]: i for i, node in enumerate(gltf["nodes"])}
moved = 0
for body in range(count):
    poses = [row[2 + 7 * body : 9 + 7 * body] for row in rows]
    number = numbers["rigid_%d" % body]
    node = gltf["nodes"][number]
    need(same(node["translation"], poses[0][:3]) and same(node["rotation"], poses[0][4:] + poses[0][3:4]), node)
    part = gltf["meshes"][node["mesh"]]["primitives"][0]
    points, normals = accessor(part["attributes"]["POSITION"]), accessor(part["attributes"]["NORMAL"])
    index = [row[0] for row in accessor(part["indices"])]
    need(len(points) == len(normals) and max(index) < len(points) and "targets" not in part, "the shape of", body)
    need(all(abs(sum(x * x for x in n) - 1) < 1e-5 for n in normals), "normals of", body)
    outward = 0  # six times the volume, about the frame's origin
    for a, b, c in zip(*[iter(points[i] for i in index)] * 3):
        outward += sum(a[k] * (b[k - 2] * c[k - 1] - b[k - 1] * c[k - 2]) for k in range(3))
    need(outward > 0, "triangles of", body, "are turned inside out")
    channels = {}
    for animation in gltf.get("animations", []):
        for channel in animation["channels"]:
            if channel["target"]["node"] == number:
                channels[channel["target"]["path"]] = animation["samplers"][channel["sampler"]]
    need(bool(channels) == any(pose != poses[0] for pose in poses), "the channels of", body)
    if not channels:
        continue
    moved += 1
    step = rows[1][1] - rows[0][1]
    times = [row[0] for row in accessor(channels["translation"]["input"])]
    need(same(times, [step * i for i in range(len(rows))]), "the times of", body)
    need(same(sum(accessor(channels["translation"]["output"]), ()), sum((pose[:3] for pose in poses), [])), "places")
    before = None
    for found, pose in zip(accessor(channels["rotation"]["output"]), poses):
        x, y, z, w = found
        need(abs(abs(w * pose[3] + x * pose[4] + y * pose[5] + z * pose[6]) - 1) < 1e-6, "a rotation of", body)
        need(before is None or sum(a * b for a, b in zip(before, found)) >= 0, "a rotation goes the long way")
        before = found
need(moved > 0, "nothing moves")

layer = os.path.join(folder, "frames_rigid.usda")
if os.path.exists(layer):
    usd = open(layer).read()
    for body in range(count):
        prim = usd[usd.index('def Xform "rigid_%d"' % body) :]
        for op, first, last in (("translate", 0, 3), ("orient", 3, 7)):
            block = re.search(r"xformOp:%s\.timeSamples = \{\n(.*?)\}" % op, prim, re.S).group(1)
            samples = re.findall(r"(\d+): \(([^)]*)\)", block)
            need([int(frame) for frame, _ in samples] == list(range(len(rows))), "samples of", body)
            for (_, value), row in zip(samples, rows):
                want = row[2 + 7 * body + first : 2 + 7 * body + last]
                need(same([float(word) for word in value.split(",")], want), "a sample of", body)
print("glb_rigid: %d rigid bodies, %d frames" % (count, len(rows)))
