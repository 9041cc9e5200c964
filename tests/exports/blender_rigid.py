# blender -b --python blender_rigid.py -- FOLDER: the rigid bodies and fluids of FOLDER/frames.glb as Blender imports them,
# compared with the poses in frames_rigid.csv and with the PLY files of the particles, and the OBJ files of the bodies
import csv
import os
import struct
import sys

import bpy
import numpy
from mathutils import Quaternion, Vector

numpy.bool = bool  # the importer of Debian's Blender is older than its numpy

TOLERANCE = 1e-6  # m, and of the cosine of half an angle
folder = sys.argv[-1]


def fail(*words):
    print("blender:", *words)
    sys.stdout.flush()
    os._exit(1)


# places of particles in the order of their ids, sets of points that are seen by their scale
def fluids(frames):
    seen = 0
    for frame in range(0, frames, 5):
        bpy.context.scene.frame_set(frame)
        for fluid in (0, 1):
            raw = open(os.path.join(folder, "frames-fluid-%d_%06d.ply" % (fluid, frame)), "rb").read()
            data = raw[raw.index(b"end_header\n") + 11 :]
            rows = sorted((struct.unpack_from("<I", data, i + 24)[0], struct.unpack_from("<3f", data, i)) for i in range(0, len(data), 28))
            shown = [o for o in bpy.data.objects if o.name.startswith("fluid_%d_" % fluid) and o.scale.x != 0]
            if len(shown) != (1 if rows else 0):
                fail("fluid", fluid, "shows", [o.name for o in shown], "in frame", frame)
            for o in shown:
                found = [(v.co.x, v.co.z, -v.co.y) for v in o.data.vertices]
                if len(found) != len(rows) or any(max(abs(a - b) for a, b in zip(p, q)) > TOLERANCE for p, (_, q) in zip(found, rows)):
                    fail(o.name, "differs from the PLY file")
                seen += 1
    return seen


def main():
    for old in list(bpy.data.objects):
        bpy.data.objects.remove(old)
    bpy.context.scene.render.fps = 60
    bpy.ops.import_scene.gltf(filepath=os.path.join(folder, "frames.glb"))
    rows = list(csv.DictReader(open(os.path.join(folder, "frames_rigid.csv"))))
    count = (len(rows[0]) - 2) // 7
    upright = Quaternion((1, 0, 0), 1.5707963267948966)  # z is up in Blender
    for frame in sorted({0, 1, 7, len(rows) // 2, len(rows) - 1}):
        bpy.context.scene.frame_set(frame)
        for i in range(count):
            place = bpy.data.objects["rigid_%d" % i].matrix_world
            want = [float(rows[frame]["%d.%s" % (i, k)]) for k in ("x", "y", "z", "qw", "qx", "qy", "qz")]
            at = place.to_translation()
            away = max(abs(a - b) for a, b in zip((at.x, at.z, -at.y), want))
            turn = upright @ Quaternion(want[3:]) @ upright.inverted()
            turned = 1 - abs(place.to_quaternion().dot(turn))
            if not (away <= TOLERANCE and turned <= TOLERANCE):
                fail("rigid body", i, "in frame", frame, "is", away, "m away, and turned by", turned)
    print("blender: glTF of %d rigid bodies agrees" % count)
    seen = fluids(len(rows))
    print("blender: glTF of fluids agrees in %d sets of points" % seen)
    last = len(rows) - 1
    bpy.ops.wm.obj_import(filepath=os.path.join(folder, "frames_rigid_%06d.obj" % last), forward_axis="Y", up_axis="Z")
    shapes = sorted(o.name.split(".")[0] for o in bpy.context.selected_objects)
    if shapes != ["rigid_%d" % i for i in range(count)]:
        fail("the OBJ file holds", shapes)
    box = next(o for o in bpy.context.selected_objects if o.name.startswith("rigid_0"))
    at = sum((v.co for v in box.data.vertices), Vector()) / 8
    want = [float(rows[last]["0." + k]) for k in "xyz"]
    if len(box.data.vertices) != 8 or max(abs(a - b) for a, b in zip(at, want)) > TOLERANCE:
        fail("the box of the OBJ file is at", at)
    print("blender: OBJ of %d rigid bodies agrees" % count)


try:
    main()
except Exception as error:  # Blender itself would exit with 0
    fail(repr(error))
