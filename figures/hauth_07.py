"""Hauth 2004, Figure 7: work-precision on the undamped oscillation."""
import numpy as np

import precision
from figure import short

about = {
    "title": "What an error costs without damping: y″ = −5 y",
    "claim": "On an undamped oscillation Verlet's method is by far the cheapest of the methods of low order, and "
        "explicit Euler the worst.",
    "shows": "Relative error at the end against work for explicit and implicit Euler, implicit midpoint, BDF(2) and "
        "Verlet.",
    "rule": "For an error of 1e-3 Verlet needs the fewest operations of the five, explicit or implicit Euler the most.",
}
METHODS = ["forward-euler", "backward-euler", "implicit-midpoint", "bdf2", "verlet"]


def make(f):
    data = precision.curves(f, "hauth-7", METHODS)
    figure, ax = f.axes(height=3.8)
    precision.draw(ax, data, "y″ = −5 y, (0, 1), to t = 10")
    ax.legend()
    f.save(figure, "work", "Error against work; dots from 10 to 20,480 steps.")
    work = {}
    for m, (_, error, flops) in data.items():
        # between the dots, along the line of the diagram
        good = np.isfinite(error)
        work[m] = np.exp(np.interp(np.log(1e-3), np.log(error[good][::-1]), np.log(flops[good][::-1]), right=np.nan))
        if error[good].min() > 1e-3:
            work[m] = np.inf
        f.number("flops for an error of 1e-3, " + m, min(work[m], 1e99), "flops")
    f.table(["method", "flops for an error of 1e-3"], [[precision.NAMES[m], short(w)] for m, w in work.items()])
    f.check("Verlet needs %s operations for 1e-3, the next %s." % (short(work["verlet"]),
            short(sorted(work.values())[1])),
            work["verlet"] == min(work.values()))
    f.check("The most has %s." % precision.NAMES[max(work, key=work.get)], max(work, key=work.get) in ("forward-euler",
            "backward-euler"))
