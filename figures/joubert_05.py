"""Joubert, Figure 5: explicit Euler spirals out."""
import numpy as np

import orbit
from figure import COLOUR, short

about = {
    "title": "Explicit Euler spirals out",
    "claim": "Moving along straight lines, explicit Euler takes the ball off its circle, further out with every step; "
        "implicit Euler lets it fall inward.",
    "shows": "The same ball with steps of 20 ms under three rules.",
    "rule": "Under forward Euler the energy rises in every step; it ends more than 1.5 times as far out as the "
        "circle. Under backward Euler the energy falls in every step. Implicit midpoint stays within 2 % of the "
        "circle.",
}
NAMES = {"forward-euler": "explicit Euler", "backward-euler": "implicit Euler",
        "implicit-midpoint": "implicit midpoint"}


def make(f):
    figure, axes = f.axes(1, 2, height=3.8)
    energy, distance, runs = {}, {}, []
    for m, name in NAMES.items():
        x, r = orbit.run(f, m, 0.02, 4.0)
        axes[0].plot(x[:, 0], x[:, 1], ".-", ms=3, lw=0.8, color=COLOUR[m], label=name)
        axes[1].plot(r["time"], r["total"], color=COLOUR[m], label=name)
        runs.append(r)
        energy[m], distance[m] = r["total"], np.linalg.norm(x, axis=1)
        f.number("distance at the end, " + m, distance[m][-1], "m")
        f.number("energy at the end over the first, " + m, energy[m][-1] / energy[m][0])
    axes[0].set(aspect="equal", xlabel="x, m", ylabel="y, m")
    axes[1].set(xlabel="time, s", ylabel="energy, J")
    axes[1].legend()
    f.save(figure, "spiral", "Paths (left) and energies (right).")
    f.render(runs, "trails", "The ball, its spring and its path after 4 s.", "--to", 200, "--trail", 1, "--columns", 3,
            "--size", "960x360", labels=list(NAMES.values()))
    f.check("Explicit Euler: energy rises in every step, %s m from the centre at the end (circle: 1.5 "
            "m)." % short(distance["forward-euler"][-1]),
            np.all(np.diff(energy["forward-euler"]) > 0) and distance["forward-euler"][-1] > 1.5 * 1.5)
    f.check("Implicit Euler: energy falls in every step, to %s of the "
            "first." % short(energy["backward-euler"][-1] / energy["backward-euler"][0]),
            np.all(np.diff(energy["backward-euler"]) < 0))
    away = np.abs(distance["implicit-midpoint"] / 1.5 - 1).max()
    f.check("Implicit midpoint stays within %s of the circle." % short(away), away < 0.02)
