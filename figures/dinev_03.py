"""Dinev 2018, Figure 3: energy and angular momentum of the particle of Figure 2."""
import numpy as np

from figure import ORANGE, short

about = {
    "title": "Energy and angular momentum of that particle at the large step",
    "claim": "At the large step the energy fluctuates wildly, and still the midpoint rule keeps the angular momentum.",
    "shows": "The right half of Figure 2, over time.",
    "rule": "Energy: its largest value is at least 10 times its first. Angular momentum: it never leaves its first "
        "value by more than one "
            "millionth.",
}


def make(f):
    rows = [r for r in f.lab("dinev", "--figure", "fig2") if r["case"] == "large step"]
    time = np.array([r["h"] * r["step"] for r in rows])
    energy, momentum = np.array([r["energy"] for r in rows]), np.array([r["momentum"] for r in rows])
    figure, axes = f.axes(2, 1, height=4.2, sharex=True)
    axes[0].semilogy(time, energy, color=ORANGE, lw=0.8)
    axes[0].axhline(energy[0], color="#808890", lw=1, ls="--")
    axes[0].set(ylabel="energy, J")
    axes[1].plot(time, momentum, color=ORANGE)
    axes[1].set(ylabel="angular momentum,\nkg m²/s", xlabel="time, s", ylim=(0, 1.5 * momentum[0]))
    f.save(figure, "energy", "Above: total energy (logarithmic), dashed the energy at the start. Below: angular "
            "momentum.")
    f.csv("energy", ["time s", "energy J", "angular momentum kg m^2/s"], zip(time, energy, momentum))
    ratio = f.number("largest energy over the first", energy.max() / energy[0])
    drift = f.number("largest drift of angular momentum", np.abs(momentum / momentum[0] - 1).max())
    f.number("energy at the start", energy[0], "J")
    f.check("The energy rises to %s times its first value." % short(ratio), ratio >= 10)
    f.check("The angular momentum drifts by %s of itself." % short(drift), drift <= 1e-6)
    f.check("The energy at the start is %s J; the paper says around 25,000 J." % short(energy[0], 5),
            abs(energy[0] / 25000 - 1) < 0.1,
            core=False)
    f.note("The printed potential and numbers give 78,150 J; the 25 kJ of the paper is the energy of another "
            "potential, k (|x| − 1)². See the errata.")
