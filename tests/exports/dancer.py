"""dancer.py FOLDER VERVE: pins that follow dancer.glb are in every frame where Blender has the points (dancer.json)."""
import json
import os
import struct
import subprocess
import sys

folder, verve = sys.argv[1:]
with open(os.path.join(folder, "dancer.json")) as file:
    blender = json.load(file)
with open(os.path.join(folder, "scene.json"), "w") as file:
    json.dump(
        {
            "verve": 1,
            "gravity": [0, 0, 0],
            "timestep": 1 / 24,
            "frames": len(blender) - 1,
            "bodies": [
                {
                    "mesh": {"file": "dancer.glb"},
                    "pins": [{"where": {"all": True}, "animation": {"file": "dancer.glb", "clip": "dance"}}],
                }
            ],
        },
        file,
    )
out = os.path.join(folder, "dance")
subprocess.run([verve, "run", os.path.join(folder, "scene.json"), "--out", out, "--format", "pc2", "--quiet"], check=True)
with open(os.path.join(out, "frames.pc2"), "rb") as file:
    cache = file.read()
count, frames = struct.unpack_from("<I", cache, 16)[0], struct.unpack_from("<I", cache, 28)[0]
if (count, frames) != (len(blender[0]), len(blender)):
    sys.exit("exports: dancer.glb has %d points in %d frames, must be %d in %d" % (count, frames, len(blender[0]), len(blender)))
record = [[struct.unpack_from("<3f", cache, 32 + 12 * (f * count + p)) for p in range(count)] for f in range(frames)]


def apart(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


# the exporter has an order of its own
twin = [min(range(count), key=lambda k: apart(blender[1][k], record[1][p])) for p in range(count)]
if sorted(twin) != list(range(count)):
    sys.exit("exports: points of dancer.glb are not those of Blender")
most = max(apart(blender[f][twin[p]], record[f][p]) for f in range(1, frames) for p in range(count))
if most > 1e-5:
    sys.exit("exports: a point of dancer.glb is %g m from where Blender has it" % most)
print("exports: %d points of a skin of Blender with a shape key, %d frames, within %.1e m" % (count, frames, most))
