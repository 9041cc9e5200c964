"""Contact under every method: apexes, slopes, heaps."""
import numpy as np

from figure import COLOUR, short

about = {
    "title": "Contact: drops, slopes and heaps",
    "claim": "The real-time methods meet obstacles without gaining energy, obey Coulomb's law on slopes, and let "
        "heaps come to rest.",
    "shows": "Height of the first bounce of a cube (lab drops), the slope at which a block of friction 0.5 begins to "
        "slide (26.57° by Coulomb), and what is left of the motion of four bodies that fell into a box.",
    "rule": "small-midpoint, stabilized and small-steps: no drop gains more than 2 % of its energy; a block stays "
        "(less than 1 cm in 1.5 s) at 24° and slides at 29° as Coulomb's law says, to 10 %; the heap has less than 1 % of its energy of fall in "
        "motion at the end.",
}
METHODS = ["small-midpoint", "stabilized", "small-steps", "backward-euler"]


def slope(f, method, degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    scene = {"verve": 1, "name": "slope %g" % degrees, "timestep": 1 / 120, "frames": 180, "gravity": [float(9.81 * s),
            float(-9.81 * c), 0], "integrator": {"solver": "local-global", "iterations": 20},
             "bodies": [{"name": "block", "mesh": {"shape": "box", "size": [0.4, 0.2, 0.4], "cells": [4, 2, 4]},
             "material": {"density": 1000, "young": 1e6, "poisson": 0.3},
                         "position": [0, 0.1, 0], "damping": {"stiffness": 0.003}}],
             "colliders": [{"shape": "plane", "friction": 0.5}]}
    x = f.run(scene, method).points().mean(1)
    return x[-1, 0] - x[60, 0]


def make(f):
    rows, stays, slides, rest = [], {}, {}, {}
    for m in METHODS:
        stays[m], slides[m] = slope(f, m, 24), slope(f, m, 29)
        r = f.run("pile", m, "local-global", change={"integrator": {"iterations": 20}, "record": {"frames": []}})
        fall = r["gravity"][0] - r["gravity"][-1]
        rest[m] = r["kinetic"][-10:].mean() / fall
        f.number("slid at 24 degrees, " + m, stays[m], "m")
        f.number("slid at 29 degrees, " + m, slides[m], "m")
        f.number("motion left in the pile, " + m, rest[m])
        rows.append([m, short(stays[m]), short(slides[m]), short(rest[m]), short(r.summary["gainedShare"])])
    drops = [r for r in f.lab("drops", *([] if f.full else ["--quick"])) if r["method"] != "reference"]
    exact = {(r["body"], r["ground"], r["stiffness"]): r["apex"] for r in f.lab("drops", *([]
            if f.full else ["--quick"])) if r["method"] == "reference"}
    f.table(["body", "on", "stiffness, N/m", "method", "first apex", "converged", "gained"], [[r["body"], r["ground"],
            "%g" % r["stiffness"], r["method"], r["apex"], exact[r["body"], r["ground"], r["stiffness"]],
            short(r["most"])] for r in drops],
            "Drops of 1 m; apex over the drop, gain over M g drop.")
    f.table(["method", "slid at 24°, m", "slid at 29°, m", "motion left in the pile", "gained in the pile"], rows,
            "Slid: in the second half of 1.5 s.")
    # Coulomb: a = g (sin - mu cos)
    a = 9.81 * (np.sin(np.radians(29)) - 0.5 * np.cos(np.radians(29)))
    free = 0.5 * a * (1.5 ** 2 - 0.5 ** 2)
    figure, ax = f.axes(height=3)
    ax.bar(range(len(METHODS)), [slides[m] for m in METHODS], color=[COLOUR[m] for m in METHODS], width=0.6)
    ax.axhline(free, color="#808890", ls="--", lw=1)
    ax.set_xticks(range(len(METHODS)), METHODS)
    ax.set(ylabel="slid from 0.5 s to 1.5 s, m")
    ax.grid(axis="x", visible=False)
    f.save(figure, "slope", "A block of friction 0.5 on a slope of 29°; dashed: Coulomb's law.")
    ours = METHODS[:3]
    worst = max(r["most"] for r in drops)
    f.number("largest gain of a drop", worst)
    f.check("No drop gains more than %s of its energy." % short(worst), worst < 0.02)
    f.check("At 24° blocks stay (%s m), at 29° they slide (%s m; Coulomb %s m)." % (", ".join(short(stays[m])
            for m in ours), ", ".join(short(slides[m]) for m in ours), short(free)),
            all(abs(stays[m]) < 0.01 and abs(slides[m] / free - 1) < 0.1 for m in ours))
    f.check("Motion left in the pile: %s." % ", ".join("%s %s" % (m, short(rest[m])) for m in ours),
            all(rest[m] < 0.01 for m in ours))
