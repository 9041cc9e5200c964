"""Hauth 2004, Figure 1: solutions of y' = lambda y."""
import numpy as np

from figure import BLUE, ORANGE, short

about = {
    "title": "Growth and fast decay: the test equation y′ = λ y",
    "claim": "With λ = 2 the solution grows smoothly, with λ = −15 it decays quickly and then hardly moves: the "
        "simplest stiff problem.",
    "shows": "Exact solutions of example 1 and what implicit Euler with 20 steps makes of them.",
    "rule": "At t = 1 the exact solutions are e² and e⁻¹⁵ to rounding; twenty steps of implicit Euler stay positive "
        "and monotone for both, as the solutions do.",
}


def make(f):
    figure, ax = f.axes(height=3.2)
    ends = {}
    for problem, colour, name in (("hauth-1a", ORANGE, "λ = 2"), ("hauth-1b", BLUE, "λ = −15")):
        fine, _ = f.ode(problem, "rk4", 400)
        euler, _ = f.ode(problem, "backward-euler", 20)
        ax.plot(fine["time"], fine["exact1"], color=colour, ls="--" if problem == "hauth-1a" else "-",
                label=name + ", exact")
        ax.plot(euler["time"], euler["y1"], ".", color=colour, ms=6, label=name + ", implicit Euler, 20 steps")
        ends[problem] = (fine, euler)
    ax.set(xlabel="t", ylabel="y", ylim=(0, 8))
    ax.legend()
    f.save(figure, "solutions", "Solutions of y′ = 2 y (dashed) and y′ = −15 y (solid), from y(0) = 1.")
    grown, gone = ends["hauth-1a"][0]["exact1"][-1], ends["hauth-1b"][0]["exact1"][-1]
    f.number("y(1), lambda = 2", grown)
    f.number("y(1), lambda = -15", gone)
    f.check("y(1) = %s and %s." % (short(grown, 5), short(gone)), abs(grown - np.e ** 2) < 1e-12
            and abs(gone / np.exp(-15) - 1) < 1e-12)
    up, down = ends["hauth-1a"][1]["y1"], ends["hauth-1b"][1]["y1"]
    f.check("Implicit Euler: monotone and positive in both cases.",
            np.all(np.diff(up) > 0) and np.all(np.diff(down) < 0) and down.min() > 0)
