"""Macklin 2019, Figure 9: a heavy box on a stack of capsules."""
import csv
import os

import numpy as np

from figure import short

about = {
    "title": "A heavy box on a stack of capsules",
    "claim": "With 100 substeps a stack of capsules carries a heavy box and stays; with few it collapses.",
    "shows": "Three crossed layers of capsules and a box of 1,000 kg, over 5 s.",
    "rule": "With 100 substeps the box sinks by less than 5 cm in 5 s; with 1 substep by more than that, or it falls.",
}


def scene(substeps, frames=300):
    bodies = []
    for layer in range(3):
        for k in (-1, 0, 1):
            turned = layer % 2 == 1
            place = 0.35 * k
            bodies.append({"shape": "capsule", "radius": 0.1, "length": 1.0, "mass": 1, "friction": 0.5,
                    "position": [0 if not turned else place, 0.1 + 0.2 * layer, place if not turned else 0],
                           "rotate": [0, 0, 90] if not turned else [90, 0, 0], "rollingFriction": 0.01})
    bodies.append({"name": "box", "shape": "box", "size": [1, 0.4, 1], "mass": 1000, "position": [0, 0.8, 0],
            "friction": 0.5})
    return {"verve": 1, "name": "capsules", "timestep": 1 / 60, "frames": frames,
            "integrator": {"rigidSubsteps": substeps}, "rigidBodies": bodies,
            "colliders": [{"shape": "plane", "friction": 0.5}], "camera": {"eye": [2, 1.2, 3.5], "target": [0, 0.5, 0]}}


def heights(run):
    with open(os.path.join(run.folder, "frames_rigid.csv"), encoding="utf-8") as file:
        rows = list(csv.reader(file))
    column = rows[0].index("9.y")
    return np.array([float(r[column]) for r in rows[1:]])


def make(f):
    runs = {n: f.run(scene(n)) for n in (1, 100)}
    sunk = {}
    figure, ax = f.axes(height=3)
    for n, r in runs.items():
        y = heights(r)
        ax.plot(np.arange(len(y)) / 60, y, label="%d substep%s" % (n, "s" if n > 1 else ""))
        sunk[n] = f.number("the box sinks, %d substeps" % n, y[0] - y[-1], "m")
    ax.set(xlabel="time, s", ylabel="height of the box, m")
    ax.legend()
    f.save(figure, "height", "Height of the centre of the box.")
    f.render(list(runs.values()), "stack", "After 5 s.", "--columns", 2, "--size", "900x330", labels=["1 substep",
            "100 substeps"])
    f.check("In 5 s the box sinks by %s m with 100 substeps, by %s m with 1." % (short(sunk[100]), short(sunk[1])),
            abs(sunk[100]) < 0.05 and sunk[1] > 0.05)
    f.differs("One substep takes one sweep here, not 100 iterations.")
