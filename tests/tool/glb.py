# python3 glb.py FOLDER TOLERANCE: FOLDER/frames.glb against frames.pc2 and frames.obj of the same folder. The rules of
# glTF 2.0 that readers rely on hold, and at the time of every frame the points are those of the record, within
# TOLERANCE m, with the texture coordinates of the OBJ file.
import json
import os
import struct
import sys

folder, tolerance = sys.argv[1], float(sys.argv[2])
SIZES = {5125: ("I", 4), 5126: ("f", 4)}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}


def fail(*words):
    print("glb:", *words, file=sys.stderr)
    sys.exit(1)


def need(good, *words):
    if not good:
        fail(*words)


def load(name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


# ---- the container ---------------------------------------------------------------------------------------------------

data = load("frames.glb")
magic, version, length, text_size, text_kind = struct.unpack_from("<4sIII4s", data)
need((magic, version, length, text_kind) == (b"glTF", 2, len(data), b"JSON"), "the header")
need(text_size % 4 == 0, "the JSON chunk has", text_size, "bytes")
gltf = json.loads(data[20 : 20 + text_size])
bin_size, bin_kind = struct.unpack_from("<I4s", data, 20 + text_size)
start = 28 + text_size
need(bin_kind == b"BIN\0" and start + bin_size == len(data), "the BIN chunk")
need(gltf["buffers"] == [{"byteLength": bin_size}], "the buffer")


def accessor(number):
    a = gltf["accessors"][number]
    view = gltf["bufferViews"][a["bufferView"]]
    letter, size = SIZES[a["componentType"]]
    width = WIDTHS[a["type"]]
    offset = a.get("byteOffset", 0)
    need(view["byteOffset"] % 4 == 0 and offset % 4 == 0, "accessor", number, "is not aligned")
    need(view.get("byteStride", width * size) == width * size, "accessor", number, "has a stride")
    need(offset + a["count"] * width * size <= view["byteLength"], "accessor", number, "is too long")
    need(view["byteOffset"] + view["byteLength"] <= bin_size, "a view is too long")
    flat = struct.unpack_from("<%d%s" % (a["count"] * width, letter), data, start + view["byteOffset"] + offset)
    rows = [flat[i : i + width] for i in range(0, len(flat), width)]
    for bound, pick in (("min", min), ("max", max)):
        if bound in a:
            found = [pick(row[c] for row in rows) for c in range(width)]
            need(all(abs(x - y) <= 1e-6 * abs(x) for x, y in zip(found, a[bound])), "accessor", number, bound)
    return rows


# ---- the record ------------------------------------------------------------------------------------------------------

cache = load("frames.pc2")
points, frames = struct.unpack_from("<I", cache, 16)[0], struct.unpack_from("<I", cache, 28)[0]
record = [
    [struct.unpack_from("<3f", cache, 32 + 12 * (f * points + p)) for p in range(points)] for f in range(frames)
]
obj = load("frames.obj").decode().split("\n")
rows = [[float(w) for w in line.split()[1:3]] for line in obj if line.startswith("vt ")]
corners = set()
for line in obj:
    if line.startswith("f "):
        for word in line.split()[1:]:
            point, row = (word.split("/") + [""])[:2]
            corners.add((int(point) - 1,) + tuple(struct.unpack("2f", struct.pack("2f", rows[int(row) - 1][0], 1 - rows[int(row) - 1][1])) if row else (0.0, 0.0)))

# ---- both --------------------------------------------------------------------------------------------------------------

need(len(gltf["nodes"]) == 1 and gltf["nodes"][0]["mesh"] == 0, "the nodes")
parts = gltf["meshes"][0]["primitives"]
attributes = parts[0]["attributes"]
base = accessor(attributes["POSITION"])
where = {tuple(p): i for i, p in enumerate(record[0])}
number = [where.get(tuple(p), -1) for p in base]
need(min(number) >= 0, "a vertex is no point of frame 0")
need("min" in gltf["accessors"][attributes["POSITION"]], "POSITION has no bounds")
triangles = []
for part in parts:
    need(part["attributes"] == attributes and part["mode"] == 4, "the parts")
    index = [row[0] for row in accessor(part["indices"])]
    need(len(index) % 3 == 0 and max(index) < len(base), "indices")
    need(part["targets"] == parts[0]["targets"], "the targets of the parts")
    triangles += index
need(sorted(set(triangles)) == list(range(len(base))), "vertices that nothing uses")
if rows:
    uv = accessor(attributes["TEXCOORD_0"])
    need({(number[v],) + tuple(uv[v]) for v in triangles} == corners, "texture coordinates")
normals = accessor(attributes["NORMAL"])
targets = [[accessor(t["POSITION"]), accessor(t["NORMAL"])] for t in parts[0]["targets"]]
need(all("min" in gltf["accessors"][t["POSITION"]] for t in parts[0]["targets"]), "a target has no bounds")
for change in [None] + [t[1] for t in targets]:
    for v, n in enumerate(normals):
        m = n if change is None else [a + b for a, b in zip(n, change[v])]
        need(abs(sum(x * x for x in m) - 1) < 1e-5, "a normal is not of length 1")

animation = gltf["animations"][0]
need(animation["channels"] == [{"sampler": 0, "target": {"node": 0, "path": "weights"}}], "the channels")
sampler = animation["samplers"][0]
times = [row[0] for row in accessor(sampler["input"])]
weights = [row[0] for row in accessor(sampler["output"])]
count = len(targets)
need(sampler["interpolation"] == "LINEAR" and len(weights) == len(times) * count, "the sampler")
need(times[0] == 0 and all(a < b for a, b in zip(times, times[1:])), "the times")
need(len(gltf["accessors"]) == len({json.dumps(a) for a in gltf["accessors"]}), "accessors twice")


def evaluate(time):
    k = max(i for i in range(len(times)) if times[i] <= time + 1e-9)
    share = (time - times[k]) / (times[k + 1] - times[k]) if k + 1 < len(times) else 0
    now = weights[k * count : (k + 1) * count]
    later = weights[(k + 1) * count : (k + 2) * count] if k + 1 < len(times) else now
    mixed = [a + share * (b - a) for a, b in zip(now, later)]
    out = [list(p) for p in base]
    for w, target in zip(mixed, targets):
        if w != 0:
            for p, d in zip(out, target[0]):
                for c in range(3):
                    p[c] += w * d[c]
    return out


last = times[-1]
worst = 0
for frame in range(frames):
    for v, p in enumerate(evaluate(last * frame / max(frames - 1, 1))):
        worst = max(worst, max(abs(a - b) for a, b in zip(p, record[frame][number[v]])))
need(worst <= tolerance, "a point is", worst, "m away from the record")
print("glb: %d frames, %d keys, %d vertices of %d points, within %.2g m" % (frames, len(times), len(base), points, worst))
