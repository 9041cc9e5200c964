"""Fit Young's modulus of a cantilever to a measured motion with 256 worlds at once.

    fit.py [worlds] [steps]
"""
import sys
import time

import numpy as np

import verve

count = int(sys.argv[1]) if len(sys.argv) > 1 else 256
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 60
mesh = verve.Mesh.box((0.4, 0.1, 0.1), 4, 4, 4)  # 125 vertices, shared by all worlds
held = np.flatnonzero(mesh.points[:, 0] < -0.199)
tip = int(np.argmax(mesh.points @ (1, 0.1, 0.1)))


def make(young):
    world = verve.World(timestep=1 / 120)
    beam = world.create_soft_body(mesh=mesh, material={"density": 1000, "young": young, "poisson": 0.3})
    beam.pin(held)
    return world


# what a camera saw, in truth a beam of 47 kPa
with make(47e3) as truth:
    measured = np.empty((steps, 3))
    for frame in truth.frames(steps):
        measured[frame] = truth[0].positions[tip]

young = np.geomspace(1e4, 1e6, count)
with verve.Worlds([make(value) for value in young]) as worlds:
    start, error, room = time.perf_counter(), np.zeros(count), None
    for frame in range(steps):
        worlds.step()
        room = worlds.positions(out=room)
        error += ((room[:, tip] - measured[frame]) ** 2).sum(axis=1)
    seconds = time.perf_counter() - start

best = int(np.argmin(error))
print(f"{count} worlds of {mesh.vertex_count} vertices, {steps} steps in {seconds:.2f} s on {worlds.threads} threads: "
      f"{count * steps / seconds:.0f} steps a second")
print(f"best fit {young[best] / 1e3:.1f} kPa, in truth 47.0 kPa; error {np.sqrt(error[best] / steps) * 1e3:.3f} mm")
