"""Joubert, Figure 3: Hooke's law."""
import numpy as np

import ball
from figure import BLUE, short

about = {
    "title": "A spring at rest and stretched: Hooke's law",
    "claim": "The force of a spring is proportional to how far it is stretched beyond its rest length, and pulls its "
        "ends back.",
    "shows": "The first acceleration of a ball of 1 kg on springs stretched to different lengths, without gravity.",
    "rule": "The measured forces are −k (length − rest length) to 1e-4, with k = 50 N/m, for eleven lengths.",
}


def make(f):
    lengths = np.linspace(0.5, 2, 11)
    h = 1e-3
    forces = []
    for length in lengths:
        r = f.run(ball.scene(k=50, step=h, frames=1, gravity=False, stretch=float(length)), "symplectic-euler",
                record=False)
        sign = -1 if length > 1 else 1
        forces.append(sign * np.sqrt(2 * r["kinetic"][1]) / h)  # 1 kg: v = h F
    forces = np.array(forces)
    figure, ax = f.axes(height=3)
    ax.plot(lengths, -50 * (lengths - 1), color="#808890", label="−k (length − rest length)")
    ax.plot(lengths, forces, "o", color=BLUE, label="measured")
    ax.set(xlabel="length, m (rest length 1 m)", ylabel="force on the ball, N")
    ax.legend()
    f.save(figure, "hooke", "Force against length.")
    worst = f.number("largest error of the force", np.abs(forces + 50 * (lengths - 1)).max(), "N")
    f.check("The largest error is %s N of up to 50 N." % short(worst), worst < 5e-3)
