"""Dinev 2018, Figure 2: a particle on a squared spring, implicit midpoint at two steps."""
import numpy as np

from figure import ORANGE, RED, short

about = {
    "title": "A particle on a stiff spring, implicit midpoint at a small and a large step",
    "claim": "With a small step (0.33 ms) the midpoint rule keeps the particle within the circle of its stretched "
        "spring; with the step of a "
             "frame (33 ms) the same rule throws it far outside.",
    "shows": "A particle of 0.5 kg hangs on a spring with the potential k/2 (|x|² − 1)², stretched to 1.5 m, and is "
        "pushed sideways. Every "
             "dot is the end of a step; the red circle is the length the spring had at the start.",
    "rule": "Small step: no dot lies further out than 1.01 times the circle. Large step: some dot lies more than "
        "twice as far out.",
}


def make(f):
    rows = f.lab("dinev", "--figure", "fig2")
    figure, axes = f.axes(1, 2, height=4.3)
    farthest = {}
    for ax, case, title in ((axes[0], "small step", "h = 0.33 ms"), (axes[1], "large step", "h = 33 ms")):
        x = np.array([(r["x"], r["y"]) for r in rows if r["case"] == case])
        x = x[:1000]
        angle = np.linspace(0, 2 * np.pi, 200)
        ax.plot(1.5 * np.cos(angle), 1.5 * np.sin(angle), color=RED, lw=1.2, label="stretched spring, 1.5 m")
        ax.plot(x[:, 0], x[:, 1], ".", ms=2.5, color=ORANGE, label="implicit midpoint")
        farthest[case] = np.hypot(*x.T).max()
        edge = 1.25 * max(1.5, farthest[case])
        ax.set(title=title, xlabel="x, m", ylabel="y, m", xlim=(-edge, edge), ylim=(-edge, edge), box_aspect=1)
    axes[1].legend(loc="upper right", fontsize=8, markerscale=3)
    f.save(figure, "orbits", "1,000 steps each.")
    small = f.number("farthest, small step", farthest["small step"], "m")
    large = f.number("farthest, large step", farthest["large step"], "m")
    f.setting("k = 1e5 N/m³, m = 0.5 kg, start at (1.5, 0) m with (0, 10) m/s.")
    f.check("Small step: the particle comes %s m far (the spring had 1.5 m)." % short(small), small <= 1.01 * 1.5)
    f.check("Large step: it comes %s m far, %s times too far." % (short(large), short(large / 1.5)), large > 2 * 1.5)
