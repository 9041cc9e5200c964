"""Macklin 2019, Figure 5: a stiff hanging cloth."""
import numpy as np

import hanging
from figure import short

about = {
    "title": "A stiff hanging cloth: iterations, substeps, explicit",
    "claim": "At 1e7 N/m, 40 iterations of one step stretch visibly, 40 substeps hardly, and 40 explicit steps "
        "explode.",
    "shows": "The cloth after it was let go, held at two corners.",
    "rule": "The largest strain of 40 substeps is at least 5 times smaller than that of 40 iterations, and the "
        "explicit run diverges.",
}


def strain(points, cells=32):
    grid = points.reshape(-1, cells + 1, cells + 1, 3)
    rest = 1 / cells
    return max(np.abs(np.linalg.norm(np.diff(grid, axis=a), axis=3) / rest - 1).max() for a in (1, 2))


def make(f):
    runs = {n: f.run(hanging.cloth(), change=c) for n, c in hanging.CASES.items()}
    explicit = f.run(hanging.cloth(), change=hanging.EXPLICIT)
    most = {n: strain(r.points()) for n, r in runs.items()}
    for n, v in most.items():
        f.number("largest strain, " + n, v)
    f.render(list(runs.values()), "cloth", "After 0.5 s, coloured by strain.", "--to", 30, "--colour", "strain",
            "--columns", 2, "--size", "900x460", labels=["one substep, 40 iterations", "40 substeps, one iteration"])
    f.check("Largest strain: %s with 40 iterations, %s with 40 substeps." % tuple(short(v) for v in most.values()),
            most["40 substeps × 1 iteration"] * 5 < most["1 substep × 40 iterations"])
    f.check("Semi-implicit (symplectic) Euler with 40 steps a frame: %s after frame %d." % ("diverged"
            if explicit.diverged else "finished", explicit.frames), explicit.diverged)
