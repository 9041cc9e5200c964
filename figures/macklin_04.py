"""Macklin 2019, Figure 4: residual and force estimate of the chain."""
import numpy as np

from figure import BLUE, RED, short

about = {
    "title": "Residual and force of the chain",
    "claim": "For the same count, substeps leave about a hundred times less error than iterations; and even one "
        "iteration per substep gives the right force at the top link, 190 N.",
    "shows": "Left: residual at the end against the number of iterations or substeps. Right: the force of the top "
        "link over time.",
    "rule": "With 100 of each the residual of substeps is at least 50 times smaller; the force ends within 0.5 % of "
        "190 N for both.",
}


def make(f):
    rows = f.lab("small-steps")
    points = [r for r in rows if r["figure"] == 4]
    figure, axes = f.axes(1, 2, height=3.4)
    by_iterations = sorted({(r["iterations"], r["residual"]) for r in points if r["substeps"] == 1})
    by_substeps = sorted({(r["substeps"], r["residual"]) for r in points if r["iterations"] == 1})
    axes[0].loglog(*zip(*by_iterations), "o-", color=BLUE, label="iterations")
    axes[0].loglog(*zip(*by_substeps), "o-", color=RED, label="substeps")
    axes[0].set(xlabel="iterations or substeps of a frame", ylabel="residual, m")
    axes[0].legend()
    ends = {}
    for substeps, colour in ((1, BLUE), (100, RED)):
        mine = [r for r in rows if r["figure"] == 3 and r["scene"] == "chain" and r["substeps"] == substeps
                and r["iterations"] == 100 / substeps]
        axes[1].plot([r["frame"] for r in mine], [r["force"] for r in mine], color=colour)
        ends[substeps] = mine[-1]["force"]
        f.number("force at the end, %d substeps" % substeps, ends[substeps], "N")
    axes[1].axhline(190, color="#808890", ls="--", lw=1)
    axes[1].set(xlabel="frame", ylabel="force of the top link, N", ylim=(150, 230))
    f.save(figure, "residual", "Residual (left) and force (right; dashed: 190 N).")
    ratio = f.number("residual of 100 iterations over 100 substeps", dict(by_iterations)[100] / dict(by_substeps)[100])
    f.check("With 100 of each the residual of substeps is %s times smaller." % short(ratio), ratio > 50)
    f.check("Forces at the end: %s N and %s N." % (short(ends[1], 5), short(ends[100], 5)),
            all(abs(v / 190 - 1) < 0.005 for v in ends.values()))
