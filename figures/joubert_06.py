"""Joubert, Figure 6: explicit Euler as an area."""
import numpy as np

import areas
from figure import BLUE, short

about = {
    "title": "Explicit Euler as an area",
    "claim": "Explicit Euler takes the area of a rectangle as high as the curve at the beginning of the step instead "
        "of the area under the curve.",
    "shows": "The rate of y′ = −15 y along the solution, and what explicit Euler with h = 0.05 uses instead.",
    "rule": "In the first step the rectangle is as high as the curve at its beginning, to rounding; its area exceeds "
        "that under the curve.",
}


def make(f):
    rates, _ = areas.steps(f, "forward-euler")
    figure, ax = f.axes(height=3)
    areas.curve(ax)
    areas.rectangles(ax, rates, BLUE, "explicit Euler, h = 0.05")
    ax.legend()
    f.save(figure, "area", "The rectangles have the height of the rate at the beginning of each step.")
    exact = 1 - np.exp(-0.75)
    f.number("area of the first rectangle", rates[0] * 0.05)
    f.number("area under the curve in the first step", exact)
    f.check("First step: height %s (curve: 15), area %s instead of %s." % (short(rates[0]), short(rates[0] * 0.05),
            short(exact)), abs(rates[0] - 15) < 1e-12 and rates[0] * 0.05 > exact)
