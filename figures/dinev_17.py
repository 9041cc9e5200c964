"""Dinev 2018, Figure 17: the potential of two springs that is not convex."""
import numpy as np

from figure import BLUE, ORANGE, short

about = {
    "title": "Two springs whose potential is not convex",
    "claim": "A particle between two compressed springs has a potential with two minima, at x = −1 and x = 1, and a "
        "maximum between them at 0.",
    "shows": "Two springs lead from fixed points at distance 1 from the x axis to a particle that slides on it: E = k "
        "(√(x² + 1) − √2)².",
    "rule": "On a grid of 1/40 m: the potential is least (0) exactly at −1 and 1, has a local maximum at 0, and its "
        "slope has the sign that "
            "belongs to each of the four intervals.",
}


def make(f):
    rows = [r for r in f.lab("dinev", "--figure", "fig17") if r["figure"] == "fig17"]
    x, energy, slope = (np.array([r[k] for r in rows]) for k in ("x", "energy", "slope"))
    figure, axes = f.axes(1, 2, height=3.2)
    axes[0].plot(x, energy, color=BLUE)
    axes[0].set(xlabel="x, m", ylabel="potential, J (k = 100 N/m)", ylim=(-3, 110))
    axes[1].plot(x, slope, color=ORANGE)
    axes[1].axhline(0, color="#808890", lw=1)
    axes[1].set(xlabel="x, m", ylabel="its derivative, N")
    f.save(figure, "potential", "Left the potential, right its derivative.")
    least = [round(v, 6) for v in x[energy < 1e-12]]
    at_zero = energy[np.abs(x) < 1e-9][0]
    signs = all(np.all(np.sign(slope[(x > a + 1e-9) & (x < b - 1e-9)]) == s) for a, b, s in ((-3, -1, -1), (-1, 0, 1),
            (0, 1, -1), (1, 3, 1)))
    f.number("E(0) over k", at_zero / 100)
    f.check("The potential vanishes at x = %s." % " and ".join(short(v) for v in least), least == [-1.0, 1.0])
    f.check("At 0 it has a local maximum of %s k." % short(at_zero / 100, 4),
            at_zero > energy[np.abs(np.abs(x) - 0.1) < 1e-9].max())
    f.check("The slope has the right sign everywhere between −3 and 3.", signs)
