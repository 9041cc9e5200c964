"""Dinev 2018, Figure 18: backward Euler raises the Hamiltonian of the two springs now and then."""
import numpy as np

from figure import RED, short

about = {
    "title": "Backward Euler can raise the energy",
    "claim": "On a potential that is not convex, backward Euler occasionally raises the energy, although it lowers it "
        "on the whole.",
    "shows": "The total energy of the particle of Figure 17 over time, by backward Euler.",
    "rule": "Some steps raise the energy, it ends below a tenth of its start, and no step of 12 × 200 random starts "
        "breaks the bound of appendix C.",
}


def make(f):
    rows = f.lab("dinev", "--figure", "fig18")
    swings = [r for r in rows if r["case"] == "swings"]
    time = np.array([r["h"] * r["step"] for r in swings])
    energy = np.array([r["energy"] for r in swings])
    up = np.diff(energy) > 1e-11 * energy[0]
    figure, ax = f.axes(height=3.2)
    ax.plot(time, energy, color=RED)
    ax.plot(time[1:][up], energy[1:][up], ".", color="#2f7fd0", ms=4, label="steps that raise it")
    ax.set(xlabel="time, s", ylabel="total energy, J", xlim=(0, 4))
    ax.legend()
    f.save(figure, "hamiltonian", "Total energy under backward Euler, h = 10 ms, k = 100 N/m, m = 1 kg, from x = 3 m "
            "at rest.")
    single = [r["energy"] for r in rows if r["case"] == "rises"]
    cells = f.lab("dinev", "--figure", "rises")
    f.table(["k, N/m", "h, s", "share of steps that raise H", "largest rise over E(0)", "beyond the bound"],
            [[r["case"].split("=")[1], r["h"], "%.1f %%" % (100 * r["energy"]), r["slope"], int(r["momentum"])]
            for r in cells],
            "200 random starts of 12 steps each.")
    count = f.number("steps of 1000 that raise the energy", up.sum())
    f.number("energy at the end over the start", energy[-1] / energy[0])
    f.number("energy after over before, the paper's counterexample", single[1] / single[0])
    f.check("%d of 1,000 steps raise the energy; at the end %s of it is left." % (count, short(energy[-1] / energy[0])),
            count > 0 and energy[-1] < 0.1 * energy[0])
    f.check("The paper's counterexample (from 0.5 m with −0.5 m a step) raises it from %s to %s J." % (short(single[0],
            6), short(single[1], 6)),
            single[1] > single[0])
    beyond = sum(r["momentum"] for r in cells)
    f.check("Of %d random steps %d exceed the bound that appendix C proves." % (sum(r["step"] for r in cells), beyond),
            beyond == 0)
