"""Joubert, Figure 1: a falling ball."""
import numpy as np

from figure import COLOUR, short

about = {
    "title": "A ball that falls",
    "claim": "The state of a ball is its position and velocity; stepping v += h g, x += h v moves it along a "
        "parabola, with an error that is proportional to the step.",
    "shows": "Height of a particle thrown level at 1 m/s, under gravity: exact, and by explicit steps of 1/10 s and 1/20 s.",
    "rule": "After 1 s forward Euler is off by g h t / 2 (to 0.1 %), and implicit midpoint is exact to single "
        "precision of the record.",
}


def make(f):
    def scene(h):
        return {"verve": 1, "name": "falling ball", "timestep": h, "frames": round(1 / h), "integrator": {},
                "bodies": [{"name": "ball", "mesh": {"points": [[0, 0, 0]]}, "velocity": [1, 0, 0],
                "material": {"model": "spring", "density": 1000, "young": 1e5, "poisson": 0, "thickness": 0.3}}],
                "camera": {"eye": [0, 0, 10]}}

    figure, ax = f.axes(height=3.2)
    t = np.linspace(0, 1, 200)
    ax.plot(t, -0.5 * 9.81 * t * t, color="#808890", label="exact")
    errors = {}
    for h, marker in ((0.1, "o"), (0.05, ".")):
        r = f.run(scene(h), "forward-euler")
        y = r.points().mean(1)[:, 1]
        y = y - y[0]
        ax.plot(r["time"], y, marker + "-", color=COLOUR["forward-euler"] if h == 0.1 else "#dd7a22",
                label="forward Euler, h = %g s" % h)
        errors[h] = f.number("error after 1 s, h = %g" % h, y[-1] + 0.5 * 9.81, "m")
    path = f.run(scene(0.05), "implicit-midpoint")
    r = f.run(scene(0.1), "implicit-midpoint")
    y = r.points().mean(1)[:, 1]
    middle = f.number("error after 1 s, implicit midpoint, h = 0.1", y[-1] - y[0] + 0.5 * 9.81, "m")
    ax.set(xlabel="time, s", ylabel="height, m")
    ax.legend()
    f.save(figure, "fall", "Height of the ball.")
    f.render(path, "path", "The ball and its path under implicit midpoint, after 0, 0.5 and 1 s.", "--every", 10,
            "--trail", 0, "--columns", 3, "--size", "960x420")
    f.check("Forward Euler is off by %s m and %s m; g h t / 2 is %s and %s." % (short(errors[0.1], 4),
            short(errors[0.05], 4), short(9.81 * 0.05, 4), short(9.81 * 0.025, 4)),
            all(abs(e / (9.81 * h / 2) - 1) < 1e-3 for h, e in errors.items()))
    f.check("Implicit midpoint is off by %s m." % short(middle), abs(middle) < 1e-5)
