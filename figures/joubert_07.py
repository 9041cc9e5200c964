"""Joubert, Figure 7: explicit and implicit Euler as areas."""
import numpy as np

import areas
from figure import BLUE, ORANGE, short

about = {
    "title": "Explicit and implicit Euler as areas",
    "claim": "Implicit Euler uses the force at the end of the step, explicit Euler that at the beginning: one takes "
        "too large an area of a falling curve, the other too small a one.",
    "shows": "As Figure 6, with the rectangles of implicit Euler.",
    "rule": "Over the first step the area of explicit Euler is above, that of implicit Euler below the area under the "
        "curve; the implicit rectangle is as high as the rate at its own end, to rounding.",
}


def make(f):
    explicit, _ = areas.steps(f, "forward-euler")
    implicit, y = areas.steps(f, "backward-euler")
    figure, ax = f.axes(height=3)
    areas.curve(ax)
    areas.rectangles(ax, explicit, BLUE, "explicit Euler")
    areas.rectangles(ax, implicit, ORANGE, "implicit Euler")
    ax.legend()
    f.save(figure, "areas", "Rectangles of explicit (blue) and implicit Euler (orange), h = 0.05.")
    exact = 1 - np.exp(-0.75)
    f.number("area, explicit", explicit[0] * 0.05)
    f.number("area, implicit", implicit[0] * 0.05)
    f.check("First step: %s explicit, %s under the curve, %s implicit." % (short(explicit[0] * 0.05), short(exact),
            short(implicit[0] * 0.05)), explicit[0] * 0.05 > exact > implicit[0] * 0.05)
    f.check("The implicit rate is that of its own end: %s." % short(implicit[0] - 15 * y[1]),
            abs(implicit[0] - 15 * y[1]) < 1e-10)
