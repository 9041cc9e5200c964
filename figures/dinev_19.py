"""Dinev 2018, Figure 19: the lines that determine beta in Lemma 2."""
import numpy as np

from figure import BLUE, RED, short

about = {
    "title": "The lines behind the bound on backward Euler's energy",
    "claim": "Beyond a distance β the potential lies above a line that bounds every tangent between −1 and 1; so far "
        "out, backward Euler cannot raise the energy.",
    "shows": "The potential of Figure 17 and the line l(x) = E(0) + (x + 1) E′(x_max), and its mirror image.",
    "rule": "x_max = −√(∛2 − 1); the line meets the potential at β, and beyond it the potential is above the line; no "
        "tangent of [−1, 1] exceeds the line at x ≥ 0.",
}


def make(f):
    rows = f.lab("dinev", "--figure", "fig19")
    steepest = next(r for r in rows if r["case"] == "steepest")
    beta = next(r for r in rows if r["case"] == "beta")
    curve = [r for r in rows if r["figure"] == "fig17"]
    x, energy, slope = (np.array([r[k] for r in curve]) for k in ("x", "energy", "slope"))
    zero = energy[np.abs(x) < 1e-9][0]
    line = zero + (x + 1) * steepest["slope"]
    figure, ax = f.axes(height=3.4)
    ax.plot(x, energy, color=BLUE, label="potential")
    ax.plot(x, line, color=RED, label="l(x), and mirrored")
    ax.plot(-x, line, color=RED)
    ax.plot([beta["x"], -beta["x"]], [beta["energy"]] * 2, "o", color=RED)
    ax.annotate("β = %.4f" % beta["x"], (beta["x"], beta["energy"]), xytext=(-72, 4), textcoords="offset points")
    ax.set(xlabel="x, m", ylabel="J (k = 100 N/m)", ylim=(-5, 210), xlim=(-3, 3))
    ax.legend(loc="upper center")
    f.save(figure, "lines", "The potential (blue) and the lines (red); they meet at β.")
    f.number("beta", beta["x"], "m")
    f.number("x_max", steepest["x"], "m")
    inner = np.abs(x) <= 1
    tangent = energy[inner][:, None] + (x[None, :] - x[inner][:, None]) * slope[inner][:, None]
    below = np.all(tangent[:, x >= 0] <= line[x >= 0] + 1e-9)
    f.check("The slope is steepest at x_max = %.6f m (closed form %.6f)." % (steepest["x"], -np.sqrt(np.cbrt(2) - 1)),
            abs(steepest["slope"] - slope[inner].max()) < 0.01 * steepest["slope"])
    f.check("The line meets the potential at β = %.6f m and lies below it from there on." % beta["x"],
            np.all(energy[x >= beta["x"]] >= line[x >= beta["x"]]))
    f.check("Every tangent of [−1, 1] stays below the line for x ≥ 0.", below)
