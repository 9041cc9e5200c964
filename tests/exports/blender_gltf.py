# blender -b --python blender_gltf.py -- RATE FOLDER: FOLDER/frames.glb as Blender imports it, with RATE frames a second,
# compared with the point caches and the texture coordinates of the OBJ files beside it
import os
import struct
import sys

import bpy
import numpy

numpy.bool = bool  # the importer of Debian's Blender is older than its numpy

TOLERANCE = 6e-4  # m: frames that are left out are within a two-thousandth of a body
rate, folder = sys.argv[sys.argv.index("--") + 1 :]


def fail(*words):
    print("blender:", *words)
    sys.stdout.flush()
    os._exit(1)


def read_record(stem):
    cache = open(os.path.join(folder, stem + ".pc2"), "rb").read()
    points, frames = struct.unpack_from("<I", cache, 16)[0], struct.unpack_from("<I", cache, 28)[0]
    values = struct.unpack_from("<%df" % (3 * points * frames), cache, 32)
    record = [[values[3 * (f * points + p) : 3 * (f * points + p) + 3] for p in range(points)] for f in range(frames)]
    lines = open(os.path.join(folder, stem + ".obj")).read().split("\n")
    rows = [[float(w) for w in line.split()[1:3]] for line in lines if line.startswith("vt ")]
    corners = set()
    for line in lines:
        for word in line.split()[1:] if line.startswith("f ") else []:
            point, row = (word.split("/") + ["0"])[:2]
            if int(row) > 0:
                corners.add((int(point) - 1, round(rows[int(row) - 1][0], 5), round(rows[int(row) - 1][1], 5)))
    return record, corners


# z is up in Blender
def turned(p):
    return (p[0], p[2], -p[1])


def check(shape):
    stem = "frames" if os.path.exists(os.path.join(folder, "frames.pc2")) else "frames-" + shape.name
    record, corners = read_record(stem)
    number = {tuple(round(x, 5) for x in p): i for i, p in enumerate(record[0])}
    basis = shape.data.shape_keys.key_blocks[0].data
    where = [number.get(tuple(round(x, 5) for x in turned(v.co)), -1) for v in basis]
    if min(where) < 0:
        fail(shape.name, "vertex", where.index(-1), "is no point of frame 0")
    worst = 0
    for frame in sorted({0, 1, 7, len(record) // 2, len(record) - 1}):
        bpy.context.scene.frame_set(frame)
        moved = shape.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        for v, p in zip(moved.vertices, where):
            worst = max(worst, max(abs(a - b) for a, b in zip(turned(v.co), record[frame][p])))
    if not worst <= TOLERANCE:
        fail(shape.name, "is", worst, "m away from the record")
    seen = set()
    for layer in shape.data.uv_layers:
        for loop, data in zip(shape.data.loops, layer.data):
            seen.add((where[loop.vertex_index], round(data.uv[0], 5), round(data.uv[1], 5)))
    if seen != corners:
        fail(shape.name, "has", len(seen), "texture coordinates, want", len(corners))
    return worst


def main():
    for old in list(bpy.data.objects):
        bpy.data.objects.remove(old)
    bpy.context.scene.render.fps = int(rate)
    bpy.ops.import_scene.gltf(filepath=os.path.join(folder, "frames.glb"))
    shapes = [o for o in bpy.context.scene.objects if o.type == "MESH"]
    if not shapes:
        fail("nothing was imported")
    worst = max(check(shape) for shape in shapes)
    print("blender: glTF of %d bodies agrees, within %.1e m" % (len(shapes), worst))


try:
    main()
except Exception as error:  # Blender itself would exit with 0
    fail(repr(error))
