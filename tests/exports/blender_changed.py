# blender -b --python blender_changed.py -- FOLDER TOLERANCE: FOLDER/frames.glb of one body whose mesh changes, as
# Blender imports it with the frames a second of the ledger. In the frames around every change one object has a scale, with the
# triangles of the OBJ file of the frame, which Blender reads too, at its points within TOLERANCE m.
import os
import sys

import bpy
import numpy

numpy.bool = bool  # the importer of Debian's Blender is older than its numpy
folder, tolerance = sys.argv[sys.argv.index("--") + 1 :]


def fail(*words):
    print("blender:", *words)
    sys.stdout.flush()
    os._exit(1)


def obj(frame):
    points, corners = [], []
    for line in open(os.path.join(folder, "frames_%06d.obj" % frame)):
        words = line.split()
        if words[0] == "v":
            points.append([float(w) for w in words[1:]])
        elif words[0] == "f":
            corners += [int(w.split("/")[0]) - 1 for w in words[1:]]
    return len(points), corners, [points[c] for c in corners]


frames = len([name for name in os.listdir(folder) if name.startswith("frames_0") and name.endswith(".obj")])
meshes = [obj(f) for f in range(frames)]
changes = [f for f in range(1, frames) if meshes[f][1] != meshes[f - 1][1]]

bpy.ops.wm.read_factory_settings(use_empty=True)
with open(os.path.join(folder, "ledger.csv")) as ledger:
    bpy.context.scene.render.fps = round(1 / float(ledger.read().split("\n")[2].split(",")[1]))
bpy.ops.import_scene.gltf(filepath=os.path.join(folder, "frames.glb"))
bodies = [o for o in bpy.data.objects if o.type == "MESH" and not o.name.startswith("rigid_")]
if len(bodies) != len(changes) + 1 or len(bodies) < 2:
    fail("there are", len(bodies), "meshes of", len(changes) + 1)
worst, shown = 0, set()
for frame in sorted({0, frames - 1} | set(changes) | {f - 1 for f in changes}):
    bpy.context.scene.frame_set(frame)
    seen = [o for o in bodies if max(abs(s) for s in o.scale) > 0.5]
    if len(seen) != 1:
        fail("frame", frame, "shows", [o.name for o in seen])
    shown.add(seen[0].name)
    moved = seen[0].evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    found = [moved.vertices[v].co for face in moved.polygons for v in face.vertices]
    wanted = meshes[frame][2]
    if len(found) != len(wanted):
        fail("frame", frame, "has", len(found) // 3, "triangles, want", len(wanted) // 3)
    for a, b in zip(found, wanted):
        worst = max(worst, abs(a[0] - b[0]), abs(a[2] - b[1]), abs(-a[1] - b[2]))  # z is up in Blender
if not worst <= float(tolerance):
    fail("points are off by", worst, "m")
if len(shown) != len(bodies):
    fail(len(shown), "of", len(bodies), "meshes were shown")
for frame in (changes[0] - 1, changes[-1]):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.obj_import(filepath=os.path.join(folder, "frames_%06d.obj" % frame))
    mesh = bpy.data.objects[0].data
    if (len(mesh.vertices), len(mesh.polygons)) != (meshes[frame][0], len(meshes[frame][1]) // 3):
        fail("OBJ", frame, "has", len(mesh.vertices), "vertices and", len(mesh.polygons), "faces")
print("blender: glTF shows %d meshes of a body one after the other, within %.2g m" % (len(shown), worst))
sys.stdout.flush()
os._exit(0)
