# blender -b --python blender.py -- FOLDER: OBJ, PLY, PC2 and MDD as Blender reads them, compared with truth.txt
import os
import sys

import bpy

TOLERANCE = 2e-6  # float32 at coordinates up to 5 m
folder = sys.argv[sys.argv.index("--") + 1]
names = ["frames-jelly", "frames-___esc_ape", "frames-Jelly_3"]


def truth():
    frames = {}
    for line in open(os.path.join(folder, "truth.txt")):
        words = line.split()
        if words[10] == "1":  # on the surface
            frames.setdefault((int(words[0]), int(words[1])), []).append([float(w) for w in words[4:7]])
    return frames


def fail(*words):
    print("blender:", *words)
    sys.stdout.flush()
    os._exit(1)


def load(file):
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.wm.obj_import(filepath=os.path.join(folder, file), forward_axis="Y", up_axis="Z")
    return bpy.context.selected_objects[0]


def load_ply(file):
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.import_mesh.ply(filepath=os.path.join(folder, file))
    return bpy.context.selected_objects[0]


def compare(what, vertices, want):
    if len(vertices) != len(want):
        fail(what, "has", len(vertices), "vertices, want", len(want))
    for i, (a, b) in enumerate(zip(vertices, want)):
        if max(abs(a.co[c] - b[c]) for c in range(3)) > TOLERANCE:
            fail(what, "vertex", i, "is", tuple(a.co), "want", b)


def main():
    known = truth()
    scene = bpy.context.scene
    last = max(frame for frame, _ in known)
    for body, name in enumerate(names):
        for frame in (0, last):
            file = "%s_%06d.obj" % (name, frame)
            compare(file, load(file).data.vertices, known[(frame, body)])
            file = "%s_%06d.ply" % (name, frame)
            compare(file, load_ply(file).data.vertices, known[(frame, body)])
        for kind in ("pc2", "mdd"):
            shape = load(name + ".obj")
            cache = shape.modifiers.new("cache", "MESH_CACHE")
            cache.cache_format = kind.upper()
            cache.filepath = os.path.join(folder, name + "." + kind)
            cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"
            cache.frame_start = 0
            for frame in (0, 1, 7, last // 2, last):
                scene.frame_set(frame)
                result = shape.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
                compare("%s.%s at frame %d" % (name, kind, frame), result.vertices, known[(frame, body)])
    print("blender: OBJ, PLY, PC2 and MDD of %d bodies agree" % len(names))


try:
    main()
except Exception as error:  # Blender itself would exit with 0
    fail(repr(error))
