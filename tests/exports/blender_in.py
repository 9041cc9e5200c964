# blender -b --python blender_in.py -- FILE POINTS TRIANGLES MATERIALS: a GLB file of a mesh has these in Blender, after
# joining points at one place, and texture coordinates
import os
import sys

import bmesh
import bpy
import numpy

numpy.bool = bool  # the importer of Debian's Blender is older than its numpy
file, wanted = sys.argv[-4], [int(word) for word in sys.argv[-3:]]
try:
    for old in list(bpy.data.objects):
        bpy.data.objects.remove(old)
    bpy.ops.import_scene.gltf(filepath=file)
    (body,) = [o for o in bpy.data.objects if o.type == "MESH"]
    mesh = bmesh.new()
    mesh.from_mesh(body.data)
    bmesh.ops.remove_doubles(mesh, verts=mesh.verts, dist=1e-6)
    found = [len(mesh.verts), len(mesh.faces), len(body.data.materials)]
    if found != wanted or mesh.loops.layers.uv.active is None:
        raise ValueError("%s, must be %s" % (found, wanted))
    print("blender: a mesh as GLB agrees")
except Exception as error:  # Blender itself would exit with 0
    print("blender:", repr(error))
    sys.stdout.flush()
    os._exit(1)
