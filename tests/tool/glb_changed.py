# python3 glb_changed.py FOLDER TOLERANCE: FOLDER/frames.glb against the OBJ file of every frame, for one body whose mesh
# changes. One node is shown in every frame, with the triangles of its file at its points within TOLERANCE m.
import json
import os
import struct
import sys

folder, tolerance = sys.argv[1], float(sys.argv[2])


def need(good, *words):
    if not good:
        print("glb_changed:", *words, file=sys.stderr)
        sys.exit(1)


with open(os.path.join(folder, "frames.glb"), "rb") as file:
    data = file.read()
text_size = struct.unpack_from("<I", data, 12)[0]
gltf = json.loads(data[20 : 20 + text_size])
start = 28 + text_size
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def accessor(number):
    a = gltf["accessors"][number]
    view = gltf["bufferViews"][a["bufferView"]]
    width = WIDTHS[a["type"]]
    offset = start + view["byteOffset"] + a.get("byteOffset", 0)
    letter = {5125: "I", 5126: "f"}[a["componentType"]]
    need(a.get("byteOffset", 0) + 4 * a["count"] * width <= view["byteLength"], "accessor", number, "is too long")
    flat = struct.unpack_from("<%d%s" % (a["count"] * width, letter), data, offset)
    for bound, pick in (("min", min), ("max", max)):
        for c in range(width if bound in a else 0):
            found = pick(flat[c::width])
            need(abs(found - a[bound][c]) <= 1e-6 * abs(found), "accessor", number, bound)
    return [flat[i : i + width] for i in range(0, len(flat), width)] if width > 1 else list(flat)


animation = gltf["animations"][0]
tracks = {}
for channel in animation["channels"]:
    sampler = animation["samplers"][channel["sampler"]]
    key = (channel["target"]["node"], channel["target"]["path"])
    need(key not in tracks, "two channels move", key)
    tracks[key] = (accessor(sampler["input"]), accessor(sampler["output"]), sampler["interpolation"])


def place(times, time):
    """The key before a time and the share of the way to the next."""
    if time <= times[0]:
        return 0, 0.0
    for k in range(len(times) - 1):
        if time < times[k + 1]:
            return k, (time - times[k]) / (times[k + 1] - times[k])
    return len(times) - 1, 0.0


def scale_of(node, time):
    scale = gltf["nodes"][node].get("scale", [1, 1, 1])
    if (node, "scale") in tracks:
        times, values, kind = tracks[(node, "scale")]
        need(kind == "STEP", "scales are not stepped")
        scale = values[place(times, time)[0]]
    need(tuple(scale) in ((0, 0, 0), (1, 1, 1)), "a scale is", scale)
    return scale[0]


loaded = {}


def mesh_of(node):
    if node not in loaded:
        part = gltf["meshes"][gltf["nodes"][node]["mesh"]]["primitives"]
        need(len(part) == 1, "a mesh has", len(part), "parts")
        targets = [accessor(t["POSITION"]) for t in part[0].get("targets", [])]
        loaded[node] = (accessor(part[0]["attributes"]["POSITION"]), accessor(part[0]["indices"]), targets)
    return loaded[node]


def triangles_at(node, time):
    base, index, targets = mesh_of(node)
    points = [list(p) for p in base]
    if (node, "weights") in tracks:
        times, weights, _ = tracks[(node, "weights")]
        k, share = place(times, time)
        for t, target in enumerate(targets):
            weight = weights[k * len(targets) + t] * (1 - share)
            weight += weights[(k + 1) * len(targets) + t] * share if share > 0 else 0
            for p, by in zip(points, target) if weight != 0 else ():
                for c in range(3):
                    p[c] += weight * by[c]
    return [[points[index[i + c]] for c in range(3)] for i in range(0, len(index), 3)]


def obj_triangles(frame):
    points, triangles = [], []
    with open(os.path.join(folder, "frames_%06d.obj" % frame)) as file:
        for line in file:
            words = line.split()
            if words and words[0] == "v":
                points.append([float(w) for w in words[1:]])
            elif words and words[0] == "f":
                corner = [int(w.split("/")[0]) - 1 for w in words[1:]]
                triangles += [[points[corner[0]], points[a], points[b]] for a, b in zip(corner[1:], corner[2:])]
    return triangles


with open(os.path.join(folder, "ledger.csv")) as file:
    times = [float(line.split(",")[1]) for line in file if line[0].isdigit()]
soft = [n for n, node in enumerate(gltf["nodes"]) if not node["name"].startswith(("rigid_", "fluid_"))]
counts, worst = [], 0
for frame, time in enumerate(times):
    # a scale steps at the nearest float to the time of its frame
    shown = [n for n in soft if scale_of(n, time * (1 + 1e-6) + 1e-9) == 1]
    need(len(shown) == 1, "frame", frame, "shows", len(shown), "meshes")
    found, wanted = triangles_at(shown[0], time), obj_triangles(frame)
    need(len(found) == len(wanted), "frame", frame, "has", len(found), "triangles, its file", len(wanted))
    for a, b in zip(found, wanted):
        worst = max(worst, max(abs(a[i][c] - b[i][c]) for i in range(3) for c in range(3)))
    counts += [len(wanted)] if not counts or counts[-1] != len(wanted) or shown != last else []
    last = shown
need(worst <= tolerance, "points are off by", worst, "m")
need(len(counts) == len(soft) and len(soft) > 1, "meshes are shown", len(counts), "times, there are", len(soft))
print("glb_changed: %d frames, %d meshes, %d to %d triangles, within %.2g m" % (len(times), len(soft), counts[0], counts[-1], worst))
