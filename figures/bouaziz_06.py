"""Bouaziz 2014, Figure 6: a curtain with strain limits of 10, 20 and 30 %."""
import numpy as np

from figure import CYCLE, short

about = {
    "title": "A curtain with limits of strain",
    "claim": "Strain limits of ±10, ±20 and ±30 % let the same mesh stretch a little, more, and most.",
    "shows": "A curtain held at points of its upper edge, of a material so soft that the limits carry it.",
    "rule": "The curtain hangs lower with every wider limit; the mean stretch along the height stays at or below each "
        "limit (to 2 %).",
}


def make(f):
    runs, low, stretch = [], {}, {}
    n = 20
    for limit in (0.1, 0.2, 0.3):
        scene = {"verve": 1, "name": "curtain %d" % round(100 * limit), "timestep": 1 / 60, "frames": 240,
                 "integrator": {"solver": "local-global", "iterations": 30, "accelerate": True},
                 "bodies": [{"name": "curtain", "mesh": {"shape": "sheet", "size": [1, 1], "cells": [n, n],
                 "rotate": [90, 0, 0]},
                             "material": {"model": "triangle", "density": 300, "young": 100, "poisson": 0.3,
                             "thickness": 0.001,
                                          "strainLimit": {"min": 1 - limit, "max": 1 + limit, "stiffness": 1e6}},
                             "damping": {"mass": 1}, "pins": [{"where": {"box": [[x - 0.03, 0.49, -1], [x + 0.03, 1,
                             1]]}} for x in (-0.5, -0.25, 0, 0.25, 0.5)]}],
                 "camera": {"eye": [0.6, -0.2, 3], "target": [0, -0.1, 0]}}
        r = f.run(scene, "backward-euler")
        x = r.points()[-1]
        rest = r.points()[0]
        column = np.abs(rest[:, 0]) < 1e-6
        order = np.argsort(-rest[column][:, 1])
        line = x[column][order]
        stretch[limit] = np.linalg.norm(np.diff(line, axis=0), axis=1).sum() - 1
        low[limit] = x[:, 1].min()
        runs.append(r)
        f.number("lowest point, limit %d %%" % round(100 * limit), low[limit], "m")
        f.number("mean stretch along the middle, limit %d %%" % round(100 * limit), stretch[limit])
    f.render(runs, "curtains", "At rest, after 4 s.", "--columns", 3, "--size", "960x420", labels=["limit 10 %", "limit 20 %",
            "limit 30 %"])
    f.table(["limit", "lowest point, m", "stretch along the middle"], [["±%d %%" % round(100 * k), short(low[k]),
            "%.1f %%" % (100 * stretch[k])] for k in low])
    f.check("Lowest points %s m: each limit hangs lower than the one before." % ", ".join(short(v)
            for v in low.values()), low[0.1] > low[0.2] > low[0.3])
    f.check("Stretch along the height %s." % ", ".join("%.1f %%" % (100 * v) for v in stretch.values()),
            all(stretch[k] < k + 0.02 for k in stretch))
