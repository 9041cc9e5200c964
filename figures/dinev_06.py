"""Dinev 2018, Figure 6: the blends alpha, from a midpoint start and from an explicit start."""
import numpy as np

import scenes
from figure import BLUE, GREEN, percent, short, thin

about = {
    "title": "How much is blended: start from implicit midpoint or from symplectic Euler",
    "claim": "Starting from implicit midpoint, little is ever blended; starting from explicit symplectic Euler, most "
        "steps are almost whole backward Euler steps, and the angular momentum is soon gone.",
    "shows": "The blend α of every step of Figure 5: above 0 towards backward Euler, below 0 towards forward Euler, 0 "
        "none.",
    "rule": "The mean |α| of the explicit start is at least ten times that of the midpoint start, and its angular "
        "momentum falls below a tenth while the other keeps more than half.",
}


def make(f):
    frames = f.quick(4000, 10000)
    scene = scenes.cube(frames=frames)
    runs = {"implicit midpoint (IM)": f.run(scene, "stabilized", change=scenes.PRINTED),
            "symplectic Euler (ES)": f.run(scene, "stabilized-explicit", record=False)}
    figure, axes = f.axes(3, 1, height=6, sharex=True)
    mean, left = [], []
    for (name, r), colour, ax in zip(runs.items(), (BLUE, GREEN), axes):
        ax.plot(*thin(r["time"], r["alpha"], 1500), color=colour, lw=0.7)
        ax.set(title="from " + name, ylabel="blend α", ylim=(-1.05, 1.05))
        axes[2].plot(*thin(r["time"], r["lz"] / r["lz"][0]), color=colour, label="from " + name)
        mean.append(np.abs(r["alpha"]).mean())
        left.append(r["lz"][-1] / r["lz"][0])
        f.number("mean |alpha|, " + name, mean[-1])
        f.number("angular momentum at the end, " + name, left[-1])
    axes[2].set(ylabel="ang. momentum / first", xlabel="time, s")
    axes[2].legend(loc="center right")
    f.save(figure, "alpha", "Blends of both starts (above) and angular momentum (below).")
    f.check("Mean |α|: %s from midpoint, %s from symplectic Euler." % (short(mean[0]), short(mean[1])),
            mean[1] > 10 * mean[0])
    f.check("Angular momentum left: %s and %s." % (percent(left[0]), percent(abs(left[1]))), left[0] > 0.5
            and abs(left[1]) < 0.1)
