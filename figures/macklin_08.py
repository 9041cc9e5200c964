"""Macklin 2019, Figure 8: a chain of rigid bodies with a heavy weight."""
import csv
import os

import numpy as np

from figure import BLUE, GREEN, PURPLE, RED, short

about = {
    "title": "A chain of rigid bodies with a weight of 1,000 times a link",
    "claim": "With one substep and many iterations the joints of a 1:1000 chain come apart visibly; with 100 substeps "
        "of one iteration the chain is stiff and stable.",
    "shows": "How far the chain is longer than its ten links of 0.5 m, let go from the side: 100 sweeps over the joints "
        "a frame, spent on iterations or on substeps, and 500 iterations.",
    "rule": "With 100 substeps of one iteration the chain is never longer than its links by more than 1 % of them; the "
        "same work in one substep of 100 iterations makes it longer by at least ten times as much, and five times the "
        "work (1 × 500) still by more than twice as much.",
}
CASES = ((1, 100), (1, 500), (10, 10), (100, 1))


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
    most, runs = {}, {}
    figure, ax = f.axes(height=3.4)
    for (n, i), colour in zip(CASES, (BLUE, PURPLE, GREEN, RED)):
        r = runs[n, i] = f.run("heavy-chain", frames=180, change={"integrator": {"rigidSubsteps": n,
                "rigidIterations": i}})
        excess = stretch(r)
        ax.semilogy(np.arange(len(excess)) / 60, np.maximum(excess, 1e-6), color=colour, label="%d × %d" % (n, i))
        most[n, i] = f.number("longest excess, %d x %d" % (n, i), max(excess), "m")
    ax.set(xlabel="time, s", ylabel="longer than its links by, m", ylim=(1e-5, 3))
    ax.legend(title="substeps × iterations", ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    f.save(figure, "excess", "How much longer than its ten links of 0.5 m the chain is (logarithmic).")
    f.render([runs[1, 100], runs[100, 1]], "chain", "Frame 60: 1 substep × 100 iterations (left), 100 substeps × 1 "
            "iteration (right).", "--to", 60, "--columns", 2, "--size", "900x330",
            labels=["one substep, 100 iterations", "100 substeps, one iteration"])
    f.table(["substeps × iterations", "longest excess, m"], [["%d × %d" % k, short(v)] for k, v in most.items()])
    f.check("With 100 substeps the chain is longer by %s m of 5 m." % short(most[100, 1]), most[100, 1] < 0.05)
    f.check("With 100 iterations by %s m, %s times as much." % (short(most[1, 100]), short(most[1, 100] / most[100,
            1])), most[1, 100] > 10 * most[100, 1])
    f.check("With 500 iterations by %s m, %s times as much." % (short(most[1, 500]), short(most[1, 500] / most[100,
            1])), most[1, 500] > 2 * most[100, 1])
