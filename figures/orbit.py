"""A ball on a circle about the end of its spring, for Joubert's Figures 4 and 5."""
import numpy as np

import ball


def run(f, method, step, seconds=8.0):
    """Positions of the ball, and the run. k = 50 N/m, stretched to 1.5 m: on a circle its speed is sqrt(k (r - l) r
    / m)."""
    speed = float(np.sqrt(50 * 0.5 * 1.5))
    scene = ball.scene(k=50, step=step, frames=round(seconds / step), gravity=False, stretch=1.5, velocity=(0, speed,
            0))
    r = f.run(scene, method)
    x = r.points()
    return x[:, 1] - x[:, 0], r
