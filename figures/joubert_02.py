"""Joubert, Figure 2: a ball on a spring from the ceiling."""
import numpy as np

import ball
from figure import COLOUR, short

about = {
    "title": "A ball on a spring from the ceiling",
    "claim": "Gravity and the spring pull on the ball in turn: it swings about the place where they balance.",
    "shows": "Distance of the ball from the ceiling; it is let go below it, at the end of the unstretched spring.",
    "rule": "Let go below the ceiling, the ball swings about its rest at l + m g / k with the period 2π √(m/k), both "
        "to 1 %.",
}


def make(f):
    scene = ball.scene(k=50, step=0.005, frames=600, down=True)
    r = f.run(scene, "implicit-midpoint")
    x = r.points()
    distance = np.linalg.norm(x[:, 1] - x[:, 0], axis=1)
    rest = 0.5 * (distance.max() + distance.min())
    crossing = np.where((distance[:-1] < rest) & (distance[1:] >= rest))[0]
    at = [i + (rest - distance[i]) / (distance[i + 1] - distance[i]) for i in crossing]
    period = np.mean(np.diff(at)) * 0.005
    figure, ax = f.axes(height=3)
    ax.plot(r["time"], distance, color=COLOUR["implicit-midpoint"])
    ax.axhline(1 + 9.81 / 50, color="#808890", ls="--", lw=1)
    ax.set(xlabel="time, s", ylabel="length of the spring, m")
    f.save(figure, "swing", "Length of the spring; dashed: where spring and gravity balance.")
    f.number("middle of the swing", rest, "m")
    f.number("period", period, "s")
    f.check("It swings about %s m (l + m g / k = %s m)." % (short(rest, 5), short(1 + 9.81 / 50, 5)),
            abs(rest / (1 + 9.81 / 50) - 1) < 0.01)
    f.check("Its period is %s s (2π √(m/k) = %s s)." % (short(period, 4), short(2 * np.pi / np.sqrt(50), 4)),
            abs(period * np.sqrt(50) / 2 / np.pi - 1) < 0.01)
