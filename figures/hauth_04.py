"""Hauth 2004, Figure 4: stability regions."""
import cmath

import numpy as np

from figure import BLUE, short

about = {
    "title": "Stability regions",
    "claim": "Explicit Euler, explicit midpoint and RK4 are stable in small bounded regions of hλ; implicit Euler, "
        "implicit midpoint and BDF(2) in the whole left half plane.",
    "shows": "Shaded: the values of hλ for which a step does not make the solution of y′ = λ y grow. Lines: the "
        "boundary as verve lab stability measures it from steps of the method.",
    "rule": "The boundaries measured by steps lie where the closed form has |R| = 1 (to 1e-6, where the lab gives a "
        "boundary); on the negative axis explicit Euler and midpoint end at −2, "
            "RK4 at −2.785; implicit methods do not grow at hλ = −1000.",
}
R = {
    "forward-euler": lambda z: abs(1 + z),
    "explicit-midpoint": lambda z: abs(1 + z + z * z / 2),
    "rk4": lambda z: abs(1 + z + z * z / 2 + z ** 3 / 6 + z ** 4 / 24),
    "backward-euler": lambda z: abs(1 / (1 - z)) if z != 1 else np.inf,
    "implicit-midpoint": lambda z: abs((1 + z / 2) / (1 - z / 2)) if z != 2 else np.inf,
    "bdf2": lambda z: max(abs((2 + s * cmath.sqrt(1 + 2 * z)) / (3 - 2 * z)) for s in (1, -1)) if z != 1.5 else np.inf,
}
TITLES = {"forward-euler": "explicit Euler", "explicit-midpoint": "explicit midpoint", "rk4": "Runge-Kutta 4",
        "backward-euler": "implicit Euler",
          "implicit-midpoint": "implicit midpoint", "bdf2": "BDF(2)"}


def make(f):
    figure, axes = f.axes(2, 3, height=5, sharex=True, sharey=True)
    x, y = np.linspace(-5, 5, 201), np.linspace(-4, 4, 161)
    worst = {}
    for ax, (method, growth) in zip(axes.flat, R.items()):
        rows = f.lab("stability", "--method", method)
        grid = np.array([[growth(complex(a, b)) for a in x] for b in y])
        ax.contourf(x, y, grid, levels=[0, 1 + 1e-12], colors=[BLUE], alpha=0.28)
        edge = np.array([(r["re"], r["im"]) for r in rows if r["what"] == "boundary"])
        if len(edge):
            ax.plot(edge[:, 0], edge[:, 1], color=BLUE, lw=1.3)
            ax.plot(edge[:, 0], -edge[:, 1], color=BLUE, lw=1.3)
            worst[method] = max(abs(growth(complex(*p)) - 1) for p in edge)
        ax.set(title=TITLES[method], aspect="equal", xlim=(-5, 5), ylim=(-4, 4))
        ax.axhline(0, color="#808890", lw=0.8)
        ax.axvline(0, color="#808890", lw=0.8)
        axis = {r["re"]: r["value"] for r in rows if r["what"] == "real-axis"}
        far = axis[-1000.0]
        if method in ("backward-euler", "implicit-midpoint", "bdf2"):
            f.check("%s: growth at hλ = −1000 is %s." % (TITLES[method], short(far)), far <= 1)
    for ax in axes[1]:
        ax.set_xlabel("Re hλ")
    for ax in axes[:, 0]:
        ax.set_ylabel("Im hλ")
    f.save(figure, "regions", "Regions of stability (shaded); lines: measured boundaries.")
    for method, value in worst.items():
        f.number("largest | |R| - 1 | on the measured boundary, " + method, value)
    f.check("On %d measured boundaries | |R| − 1 | is at most %s." % (len(worst), short(max(worst.values()))),
            max(worst.values()) < 1e-6)
    limits = {m: f.lab("step-limit", "--problem", "hauth-1b", "--method", m)[0]["limit"] * -15
            for m in ("forward-euler", "explicit-midpoint", "rk4")}
    for method, value in limits.items():
        f.number("end of the region on the negative axis, " + method, value)
    f.check("Ends on the negative axis: %s." % ", ".join("%s %.4f" % (TITLES[m], v) for m, v in limits.items()),
            abs(limits["forward-euler"] + 2) < 1e-6 and abs(limits["explicit-midpoint"] + 2) < 1e-6
            and abs(limits["rk4"] + 2.785294) < 1e-5)
