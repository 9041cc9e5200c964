"""Macklin 2019, Table 1: four kinds of methods by stability, efficiency and energy."""
import numpy as np

import hanging
from figure import short

about = {
    "title": "Four kinds of methods compared",
    "claim": "Explicit methods are cheap and unstable when stiff, implicit ones stable and damped, iterated XPBD "
        "stable but soft and damped, small steps stable, efficient, and better at keeping energy.",
    "shows": "The paper grades four methods by words; we measure the hanging cloth of Figure 5 with soft (1e3 N/m) "
        "and stiff (1e7 N/m) springs.",
    "rule": "On stiff springs: the explicit method diverges, the other three do not; small steps lose less energy in "
        "1 s than iterated XPBD and backward Euler, and their largest strain is below a fifth of that of iterated "
        "XPBD.",
}
METHODS = {"explicit (symplectic Euler, 40 steps)": hanging.EXPLICIT, "implicit (backward Euler, 1 "
        "step)": {"integrator": {"method": "backward-euler", "solver": "newton-cg", "substeps": 1}},
           "XPBD, 1 × 40 iterations": hanging.CASES["1 substep × 40 iterations"],
           "small steps, 40 × 1": hanging.CASES["40 substeps × 1 iteration"]}


def strain(points, cells):
    grid = points.reshape(-1, cells + 1, cells + 1, 3)
    return max(np.abs(np.linalg.norm(np.diff(grid, axis=a), axis=3) * cells - 1).max() for a in (1, 2))


def make(f):
    rows, stable, lost, most = [], {}, {}, {}
    for name, change in METHODS.items():
        row = [name]
        for k in (1e3, 1e7):
            scene = hanging.cloth(frames=60, cells=16)
            scene["bodies"][0]["material"]["springStiffness"] = {"structural": k, "shear": k}
            r = f.run(scene, change=change)
            energy = r["kinetic"] + r["gravity"] - r["gravity"][0]
            stable[name, k] = not r.diverged
            lost[name, k] = -energy[-1] if not r.diverged else np.inf
            most[name, k] = strain(r.points(), 16) if not r.diverged else np.inf
            row += ["diverges" if r.diverged else "stable", short(1000 * r.cpu / max(1, r.frames)), short(lost[name,
                    k]), short(most[name, k])]
            if not r.diverged:
                f.number("lost in 1 s, %s, %g N/m" % (name, k), lost[name, k], "J")
                f.number("largest strain, %s, %g N/m" % (name, k), most[name, k])
        rows.append(row)
    f.table(["method", "1e3 N/m", "CPU ms a frame", "lost in 1 s, J", "largest strain", "1e7 N/m", "CPU ms a frame",
            "lost in 1 s, J", "largest strain"], rows,
            "Lost: kinetic and gravitational energy, 0 at the start. CPU time includes the start of the program.")
    explicit, implicit, xpbd, small = METHODS
    f.check("Stiff springs: explicit %s, the others %s." % ("diverges" if not stable[explicit, 1e7] else "is stable",
            "do not" if all(stable[m, 1e7] for m in (implicit, xpbd, small)) else "diverge too"),
            not stable[explicit, 1e7] and all(stable[m, 1e7] for m in (implicit, xpbd, small)))
    f.check("Lost in 1 s at 1e7 N/m: small steps %s J, XPBD %s J, backward Euler %s J." % tuple(short(lost[m, 1e7])
            for m in (small, xpbd, implicit)), lost[small, 1e7] < min(lost[xpbd, 1e7], lost[implicit, 1e7]))
    f.check("Largest strain: small steps %s, XPBD %s." % (short(most[small, 1e7]), short(most[xpbd, 1e7])), most[small,
            1e7] < most[xpbd, 1e7] / 5)
    f.note("Simplicity, the paper's fourth column, is not measured.")
