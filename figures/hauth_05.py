"""Hauth 2004, Figure 5: work-precision diagrams of implicit methods and Verlet."""
import numpy as np

import precision
from figure import short

about = {
    "title": "What an error costs: implicit Euler, implicit midpoint, BDF(2), Verlet",
    "claim": "Implicit methods give a result at every step, however large, and converge with their orders 1, 2 and 2.",
    "shows": "As Figure 3, for the implicit methods, and for Verlet where the problem has positions and velocities.",
    "rule": "No implicit method leaves all bounds at any number of steps from 10 on; the measured orders are within "
        "0.15 of 1, 2, 2 (and 2 for Verlet).",
}
METHODS = {"backward-euler": 1, "implicit-midpoint": 2, "bdf2": 2, "verlet": 2}


def make(f):
    figure, axes = f.axes(2, 2, height=6)
    rows = []
    for ax, problem in zip(axes.flat, ("hauth-1a", "hauth-1b", "hauth-2", "hauth-3")):
        data = precision.curves(f, problem, METHODS)
        precision.draw(ax, data, precision.TITLES[problem])
        orders = {m: precision.slope(d[0], d[1]) for m, d in data.items()}
        worst = max(np.max(d[1]) for m, d in data.items() if m != "verlet")
        rows.append([precision.TITLES[problem]] + ["%.2f" % orders[m] if m in orders else "–"
                for m in METHODS] + [short(worst)])
        for m in orders:
            f.number("order of %s, %s" % (m, problem), orders[m])
        f.check("%s: orders %s." % (precision.TITLES[problem], ", ".join("%s %.2f" % (precision.NAMES[m], o) for m,
                o in orders.items())),
                all(abs(orders[m] - METHODS[m]) < 0.15 for m in orders))
        f.check("%s: the largest error of an implicit method at any step is %s." % (precision.TITLES[problem],
                short(worst)), worst < 1e3)
    axes[1][1].legend()
    f.save(figure, "work", "Error against work; dots from 10 to 20,480 steps.")
    f.table(["problem", "order: implicit Euler", "implicit midpoint", "BDF(2)", "Verlet", "largest error, implicit"],
            rows)
