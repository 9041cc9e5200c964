"""Hauth 2004, Figure 3: work-precision diagrams of explicit methods."""
import numpy as np

import precision
from figure import short

about = {
    "title": "What an error costs: explicit Euler, explicit midpoint, Runge-Kutta 4",
    "claim": "Below their largest stable step the errors of explicit Euler, midpoint and RK4 fall with the powers 1, "
        "2 and 4 of the step, and a high order pays: "
             "RK4 reaches a small error with the least work. Beyond that step the stiff examples explode.",
    "shows": "Relative error at the end against floating-point operations, for the four examples of the text, each "
        "dot with twice the steps of the one before.",
    "rule": "On each example the measured orders are within 0.15 of 1, 2 and 4; RK4 needs the fewest operations for "
        "an error of 1e-6; with 10 steps every method on "
            "example 3 is off by more than its own size, or has left all bounds.",
}
METHODS = {"forward-euler": 1, "explicit-midpoint": 2, "rk4": 4}


def make(f):
    figure, axes = f.axes(2, 2, height=6)
    rows = []
    for ax, problem in zip(axes.flat, ("hauth-1a", "hauth-1b", "hauth-2", "hauth-3")):
        data = precision.curves(f, problem, METHODS)
        precision.draw(ax, data, precision.TITLES[problem])
        orders = {m: precision.slope(d[0], d[1]) for m, d in data.items()}
        work = {m: min([w for w, e in zip(d[2], d[1]) if e <= 1e-6], default=np.inf) for m, d in data.items()}
        rows.append([precision.TITLES[problem]] + ["%.2f" % orders[m] for m in METHODS] + [short(work[m])
                for m in METHODS])
        for m in METHODS:
            f.number("order of %s, %s" % (m, problem), orders[m])
        f.check("%s: orders %s." % (precision.TITLES[problem], ", ".join("%.2f" % orders[m] for m in METHODS)),
                all(abs(orders[m] - METHODS[m]) < 0.15 for m in METHODS))
        f.check("%s: RK4 is the cheapest at an error of 1e-6." % precision.TITLES[problem],
                work["rk4"] == min(work.values()))
        if problem == "hauth-3":
            first = {m: d[1][0] for m, d in data.items()}
            f.check("Example 3 with 10 steps: every explicit method explodes.", all(not e < 1 for e in first.values()))
    axes[0][0].legend()
    f.save(figure, "work", "Error against work; dots from 10 to 20,480 steps, those that exploded are left out.")
    f.table(["problem", "order: Euler", "midpoint", "RK4", "flops for 1e-6: Euler", "midpoint", "RK4"], rows)
