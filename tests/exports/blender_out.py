# blender -b --python blender_out.py -- FOLDER: a ball with texture coordinates, scaled and moved, as Blender writes it in
# the three forms of glTF
import os
import sys

import bpy
import numpy

numpy.bool = bool  # the exporter of Debian's Blender is older than its numpy
folder = sys.argv[-1]
try:
    for old in list(bpy.data.objects):
        bpy.data.objects.remove(old)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, location=(0, 0, 3), scale=(1, 1, 2))
    for kind, name in (("GLB", "ball.glb"), ("GLTF_EMBEDDED", "embedded.gltf"), ("GLTF_SEPARATE", "ball.gltf")):
        bpy.ops.export_scene.gltf(filepath=os.path.join(folder, name), export_format=kind)
    print("blender: wrote a ball as glTF")
except Exception as error:  # Blender itself would exit with 0
    print("blender:", repr(error))
    sys.stdout.flush()
    os._exit(1)
