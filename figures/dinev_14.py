"""Dinev 2018, Figure 14: a bunny slides on a plane, with and without friction."""
import numpy as np

from figure import BLUE, ORANGE, short

about = {
    "title": "A bunny slides on a plane, with and without friction",
    "claim": "Without friction the bunny slides on for ever; with friction it slows down and, its base not being "
        "symmetric, begins to turn.",
    "shows": "Speed and heading of the bunny over time.",
    "rule": "Without friction its speed falls by less than 2 %; with friction 0.8 it ends below 10 % of it, and its "
        "heading turns in the first second by more than ten times as much as that of the frictionless one and more than "
        "half a degree.",
}


def make(f):
    def scene(friction):
        return {"verve": 1, "name": "sliding bunny", "timestep": 0.01, "frames": f.quick(200, 400),
                "integrator": {"solver": "local-global", "iterations": 10},
                "bodies": [{"name": "bunny", "mesh": {"shape": "bunny", "size": 0.6, "cells": 3, "rotate": [0, 40, 0]},
                            "material": {"density": 1000, "young": 4e5, "poisson": 0.35}, "position": [0, 0.3, 0],
                            "velocity": [2, 0, 0],
                            "damping": {"stiffness": 0.003}}],
                "colliders": [{"shape": "plane", "friction": friction}], "camera": {"eye": [1, 1, 3]}}

    figure, axes = f.axes(1, 2, height=3.2)
    end, turned, last = {}, {}, {}
    runs = {}
    for friction, colour in ((0.0, BLUE), (0.8, ORANGE)):
        r = runs[friction] = f.run(scene(friction), "stabilized")
        x = r.points()
        mass = r.summary
        centre = x.mean(1)
        speed = np.gradient(centre[:, 0], 0.01)
        rest = x[0] - centre[0]
        heading = []
        for p, c in zip(x, centre):
            q = p - c
            heading.append(np.degrees(np.arctan2((rest[:, 2] * q[:, 0] - rest[:, 0] * q[:, 2]).sum(), (rest[:,
                    0] * q[:, 0] + rest[:, 2] * q[:, 2]).sum())))
        axes[0].plot(r["time"][: len(speed)], speed, color=colour, label="friction %g" % friction)
        axes[1].plot(r["time"][: len(speed)], heading, color=colour)
        end[friction], turned[friction] = np.abs(speed[-20:]).mean(), np.abs(heading[:101]).max()
        last[friction] = heading[-1]
        f.number("speed at the end, friction %g" % friction, end[friction], "m/s")
        f.number("turned by, friction %g" % friction, turned[friction], "degrees")
    axes[0].set(xlabel="time, s", ylabel="speed, m/s")
    axes[1].set(xlabel="time, s", ylabel="turned about the vertical, degrees")
    axes[0].legend()
    f.save(figure, "slide", "Speed (left) and heading (right).")
    f.render(runs[0.0], "free", "Without friction, every 0.4 s.", "--from", 20, "--to", 180, "--every", 40,
            "--columns", 5, "--size", "1200x220", "--eye", "2,0.8,4.6", "--target", "2,0.35,0", labels=["friction 0"])
    f.render(runs[0.8], "rough", "With friction 0.8, every 0.2 s of the first second.", "--to", 100, "--every", 20,
            "--columns", 6, "--size", "1200x260", "--eye", "0.9,0.7,3.2", "--target", "0.6,0.3,0",
            labels=["friction 0.8"])
    f.check("Without friction it ends with %s of 2 m/s." % short(end[0.0], 4), end[0.0] > 1.96)
    f.check("With friction it ends with %s m/s." % short(end[0.8]), end[0.8] < 0.2)
    f.check("In the first second it turns by up to %s° with friction, %s° without." % (short(turned[0.8]),
            short(turned[0.0])), turned[0.8] > max(0.5, 10 * turned[0.0]))
    f.first("The same of the heading at the end of the run: %s° with friction, %s° without." % (short(last[0.8]),
            short(last[0.0])), abs(last[0.8]) > max(0.5, 10 * abs(last[0.0])))
    f.differs("Our bunny stands on narrow feet: at friction 0.8 it topples over them, and turns while it lies and rocks. "
            "The paper's stays upright.")
    f.setting("Our own bunny, %d vertices (paper: 4,497), 10 ms." % runs[0.8].summary["vertices"])
