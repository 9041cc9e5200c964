"""Macklin 2019, Figure 8: a chain of rigid bodies with a heavy weight."""
import csv
import os

import numpy as np

from figure import RED, short

about = {
    "title": "A chain of rigid bodies with a weight of 1,000 times a link",
    "claim": "With one substep and many iterations the joints of a 1:1000 chain come apart visibly; with 100 substeps "
        "the chain is stiff and stable.",
    "shows": "How far the chain is longer than its links, hanging from the side, against the number of substeps of a "
        "frame.",
    "rule": "With 100 substeps the chain is never longer than its links by more than 1 % of them; with few it is, by "
        "more than ten times as much.",
}


def stretch(run):
    with open(os.path.join(run.folder, "frames_rigid.csv"), encoding="utf-8") as file:
        rows = list(csv.reader(file))
    head = {n: i for i, n in enumerate(rows[0])}
    out = []
    for r in rows[1:]:
        # where the last link ends: its centre and half of its length along its own y
        w, x, y, z = (float(r[head["9.q" + k]]) for k in "wxyz")
        along = np.array([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])
        centre = np.array([float(r[head["9." + k]]) for k in "xyz"])
        out.append(max(np.linalg.norm(centre + s * 0.25 * along) for s in (-1, 1)) - 5.0)
    return np.array(out)


def make(f):
    counts = (2, 5, 10, 20, 50, 100)
    most, runs = [], {}
    for n in counts:
        runs[n] = f.run("heavy-chain", frames=180, change={"integrator": {"rigidSubsteps": n}})
        most.append(f.number("longest excess, %d substeps" % n, max(stretch(runs[n])), "m"))
    figure, ax = f.axes(height=3.2)
    ax.loglog(counts, np.maximum(most, 1e-6), "o-", color=RED)
    ax.set(xlabel="substeps of a frame, one iteration each", ylabel="largest excess of length, m")
    f.save(figure, "excess", "How much longer than its ten links of 0.5 m the chain ever is.")
    f.render([runs[2], runs[100]], "chain", "Frame 60: 2 substeps (left), 100 substeps (right).", "--to", 60,
            "--columns", 2, "--size", "900x330", labels=["2 substeps", "100 substeps"])
    f.check("With 100 substeps %s m, with 2 %s m." % (short(most[-1]), short(most[0])), most[-1] < 0.05
            and most[0] > 10 * most[-1])
    f.differs("Rigid bodies have substeps and no iterations here; the paper's 1 × 100 and 1 × 500 cannot be set. A "
            "one-step solver with many iterations was measured with Bullet: docs/notes/rigid.md.")
