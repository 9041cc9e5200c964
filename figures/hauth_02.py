"""Hauth 2004, Figure 2: the damped spring of example 3, exact and by implicit Euler with large steps."""
import numpy as np

from figure import BLUE, ORANGE, RED, percent, short

about = {
    "title": "A particle on a stiff damped spring (example 3)",
    "claim": "The particle swings 31 times a second about its rest position and settles; implicit Euler with large "
        "steps loses the swing and still finds the rest.",
    "shows": "Height of a particle on a spring of 1,000 N/m with damping 10, pulled by gravity and pushed down at the "
        "start: exact, and with 40 and 400 steps.",
    "rule": "The exact solution tends to z = −1.01. Implicit Euler with 40 steps ends within 1e-3 of it, its first "
        "swing is less than half the exact one; with 400 steps "
            "the swing is nearer than with 40.",
}


def make(f):
    exact, _ = f.ode("hauth-3", "rk4", 2000)
    coarse, _ = f.ode("hauth-3", "backward-euler", 40)
    fine, _ = f.ode("hauth-3", "backward-euler", 400)
    figure, ax = f.axes(height=3.3)
    ax.plot(exact["time"], exact["exact1"], color=BLUE, lw=1.2, label="exact")
    ax.plot(fine["time"], fine["y1"], color=ORANGE, label="implicit Euler, h = 5 ms")
    ax.plot(coarse["time"], coarse["y1"], ".-", color=RED, label="implicit Euler, h = 50 ms")
    ax.set(xlabel="time, s", ylabel="height z, m", xlim=(0, 1))
    ax.legend()
    f.save(figure, "spring", "The particle of example 3: exact, and by implicit Euler with two steps.")
    swing = {n: -1.01 - np.min(d[k]) for n, d, k in (("exact", exact, "exact1"), ("h = 5 ms", fine, "y1"),
            ("h = 50 ms", coarse, "y1"))}
    for name, value in swing.items():
        f.number("first swing, " + name, value, "m")
    f.check("At t = 2 s the exact solution is at %s m, implicit Euler with h = 50 ms at %s "
            "m." % (short(exact["exact1"][-1], 5), short(coarse["y1"][-1], 5)),
            abs(exact["exact1"][-1] + 1.01) < 1e-3 and abs(coarse["y1"][-1] + 1.01) < 1e-3)
    f.check("Of the first swing of %s m, h = 50 ms keeps %s, h = 5 ms %s." % (short(swing["exact"]),
            percent(swing["h = 50 ms"] / swing["exact"]),
                                                                             percent(swing["h = 5 "
                                                                             "ms"] / swing["exact"])),
            swing["h = 50 ms"] < 0.5 * swing["exact"] and abs(swing["h = 5 ms"] - swing["exact"]) < abs(swing["h = 50 "
            "ms"] - swing["exact"]))
