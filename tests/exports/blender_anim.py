# blender -b --python blender_anim.py -- FOLDER: a tube bent by a skeleton that moves, with a shape key, as Blender writes it
# (dancer.glb), and where Blender has its points in every frame (dancer.json), y up
import json
import math
import os
import sys

import bpy
import numpy

numpy.bool = bool  # the exporter of Debian's Blender is older than its numpy
folder = sys.argv[-1]
FRAMES = 25


def tube():
    rings, sides = 9, 12
    points, faces = [], []
    for r in range(rings):
        for s in range(sides):
            angle = 2 * math.pi * s / sides
            points.append((0.3 * math.cos(angle), 0.3 * math.sin(angle), 2 * r / (rings - 1)))
    for r in range(rings - 1):
        for s in range(sides):
            a, b = r * sides + s, r * sides + (s + 1) % sides
            faces.append((a, b, b + sides, a + sides))
    faces += [tuple(range(sides - 1, -1, -1)), tuple(range((rings - 1) * sides, rings * sides))]
    mesh = bpy.data.meshes.new("tube")
    mesh.from_pydata(points, [], faces)
    body = bpy.data.objects.new("tube", mesh)
    bpy.context.collection.objects.link(body)
    low, high = body.vertex_groups.new(name="low"), body.vertex_groups.new(name="high")
    for vertex, point in enumerate(points):
        share = min(max(1.5 * point[2] - 1, 0), 1)
        low.add([vertex], 1 - share, "REPLACE")
        high.add([vertex], share, "REPLACE")
    body.shape_key_add(name="Basis")
    wide = body.shape_key_add(name="wide")
    for vertex, point in enumerate(points):
        wide.data[vertex].co = (point[0] * (1 + point[2]), point[1], point[2])
    return body, wide


def skeleton():
    bpy.ops.object.armature_add(location=(0, 0, 0))
    rig = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    bones[0].name, bones[0].head, bones[0].tail = "low", (0, 0, 0), (0, 0, 1)
    high = bones.new("high")
    high.head, high.tail, high.parent = (0, 0, 1), (0, 0, 2), bones["low"]
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def animate(rig, wide):
    bone = rig.pose.bones["high"]
    bone.rotation_mode = "XYZ"
    for frame, bend, move, width in ((1, 0, 0, 0), (13, 70, 0.5, 1), (25, -40, 1.5, 0.25)):
        bone.rotation_euler = (math.radians(bend), 0, math.radians(bend / 2))
        bone.keyframe_insert("rotation_euler", frame=frame)
        rig.location = (move, 0, 0.2)
        rig.keyframe_insert("location", frame=frame)
        wide.value = width
        wide.keyframe_insert("value", frame=frame)


def frames(body):
    found = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        shown = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places = [shown.matrix_world @ vertex.co for vertex in shown.data.vertices]
        found.append([(p.x, p.z, -p.y) for p in places])
    return found


try:
    for old in list(bpy.data.objects):
        bpy.data.objects.remove(old)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, FRAMES
    body, wide = tube()
    rig = skeleton()
    rig.scale = (0.5, 0.5, 0.5)
    body.parent = rig
    body.modifiers.new("rig", "ARMATURE").object = rig
    animate(rig, wide)
    scene.frame_set(1)
    # one clip for the skeleton and the shape key
    for owner in (rig, body.data.shape_keys):
        data = owner.animation_data
        track = data.nla_tracks.new()
        track.name = "dance"
        track.strips.new("dance", 1, data.action)
        data.action = None
    bpy.ops.export_scene.gltf(filepath=os.path.join(folder, "dancer.glb"), export_format="GLB")
    with open(os.path.join(folder, "dancer.json"), "w") as file:
        json.dump(frames(body), file)
    print("blender: wrote a tube that dances as glTF")
except Exception as error:  # Blender itself would exit with 0
    print("blender:", repr(error))
    sys.stdout.flush()
    os._exit(1)
