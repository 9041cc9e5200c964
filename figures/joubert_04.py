"""Joubert, Figure 4: a ball on a circle."""
import numpy as np

import orbit
from figure import COLOUR, short

about = {
    "title": "A ball on a circle",
    "claim": "A ball whose spring pulls inward just as its speed demands moves on a circle.",
    "shows": "The path of the ball under implicit midpoint with small steps, and its distance from the centre.",
    "rule": "Over 8 s the distance stays within 0.1 % of 1.5 m.",
}


def make(f):
    x, r = orbit.run(f, "implicit-midpoint", 0.002)
    distance = np.linalg.norm(x, axis=1)
    figure, axes = f.axes(1, 2, height=3.4)
    axes[0].plot(x[:, 0], x[:, 1], color=COLOUR["implicit-midpoint"])
    axes[0].plot([0], [0], ".", color="#808890")
    axes[0].set(aspect="equal", xlabel="x, m", ylabel="y, m")
    axes[1].plot(r["time"], distance, color=COLOUR["implicit-midpoint"])
    axes[1].set(xlabel="time, s", ylabel="distance, m", ylim=(1.4, 1.6))
    f.save(figure, "circle", "Path (left) and distance from the centre (right).")
    f.render(r, "trail", "The ball on its spring, and its path in the first second.", "--to", 500, "--every", 125,
            "--trail", 1, "--columns", 5, "--size", "1000x260")
    away = f.number("largest error of the distance", np.abs(distance / 1.5 - 1).max())
    f.check("The distance errs by %s of itself." % short(away), away < 1e-3)
