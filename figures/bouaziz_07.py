"""Bouaziz 2014, Figure 7: volume preservation against strain."""
import os

import numpy as np

from figure import short

about = {
    "title": "Volume against strain: different materials from two weights",
    "claim": "The weights of volume preservation and of strain make different materials of one solid: what is weak in "
        "both is squashed, what keeps its volume bulges sideways.",
    "shows": "A cube settles under its weight with a soft strain and three stiffnesses of volume.",
    "rule": "At rest the cube with the stiffest volume keeps more than 95 % of it, the softest less than 85 %; every "
        "stiffer volume stands at least as high, and bulges more sideways than it loses in height for the stiffest.",
}


def volume(folder, frame):
    """Inside the surface that the record has as OBJ, by the divergence theorem."""
    with open(os.path.join(folder, "frames_%06d.obj" % frame), encoding="utf-8") as file:
        lines = [line.split() for line in file]
    points = np.array([[float(c) for c in w[1:4]] for w in lines if w and w[0] == "v"])
    faces = np.array([[int(c.split("/")[0]) - 1 for c in w[1:4]] for w in lines if w and w[0] == "f"])
    a, b, c = (points[faces[:, i]] for i in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


def make(f):
    runs, height, width = [], {}, {}
    cases = (0, 2e4, 2e6)
    for stiff in cases:
        scene = {"verve": 1, "name": "squashed cube", "timestep": 1 / 60, "frames": 150,
                "integrator": {"solver": "local-global", "iterations": 20, "accelerate": True},
                 "bodies": [{"name": "cube", "mesh": {"shape": "box", "size": [0.4, 0.4, 0.4], "cells": [6, 6, 6]},
                             "material": {"model": "corotated", "density": 1000, "young": 6000, "poisson": 0,
                             "volumeStiffness": stiff},
                             "position": [0, 0.2, 0], "damping": {"rigidPreserving": 6}, "contactStiffness": 1e7}],
                 "colliders": [{"shape": "plane", "friction": 0}], "record": {"frames": ["frames.pc2", "frames.obj"]},
                 "camera": {"eye": [0.7, 0.5, 1.6], "target": [0, 0.18, 0]}}
        r = f.run(scene, "backward-euler")
        x = r.points()[-1]
        runs.append(r)
        height[stiff], width[stiff] = np.ptp(x[:, 1]), 0.5 * (np.ptp(x[:, 0]) + np.ptp(x[:, 2]))
        f.number("height, volume stiffness %g" % stiff, height[stiff], "m")
        f.number("width, volume stiffness %g" % stiff, width[stiff], "m")
    share = {s: volume(r.folder, r.frames) / volume(r.folder, 0) for s, r in zip(cases, runs)}
    for s in cases:
        f.number("volume kept, volume stiffness %g" % s, share[s])
    f.render(runs, "cubes", "At rest.", "--columns", 3, "--size", "960x330", labels=["no volume term", "2e4 Pa",
            "2e6 Pa"])
    f.table(["volume stiffness, Pa", "height, m", "width, m", "volume kept"], [["%g" % s, short(height[s]),
            short(width[s]), "%.1f %%" % (100 * share[s])] for s in cases], "Cube of 0.4 m, strain 6 kPa.")
    f.check("Volume kept: %s." % ", ".join("%.1f %%" % (100 * share[s]) for s in cases), share[2e6] > 0.95
            and share[0] < 0.85)
    f.check("Heights %s m, widths %s m." % (", ".join(short(height[s]) for s in cases), ", ".join(short(width[s])
            for s in cases)), height[0] <= height[2e4] <= height[2e6] and width[2e6] > width[0])
