# blender -b --python blender_rigid.py -- FOLDER: the rigid bodies of FOLDER/frames.glb as Blender imports them, compared
# with the poses in frames_rigid.csv
import csv
import os
import sys

import bpy
import numpy
from mathutils import Quaternion

numpy.bool = bool  # the importer of Debian's Blender is older than its numpy

TOLERANCE = 1e-6  # m, and of the cosine of half an angle
folder = sys.argv[-1]


def fail(*words):
    print("blender:", *words)
    sys.stdout.flush()
    os._exit(1)


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


try:
    main()
except Exception as error:  # Blender itself would exit with 0
    fail(repr(error))
