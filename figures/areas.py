"""Integration as area under the curve of a force, for Joubert's Figures 6 to 8: the velocity of the decaying y' =
-15 y of Hauth's
example 1b, whose rate is known exactly."""
import numpy as np

STEP, STEPS = 0.05, 8


def curve(ax):
    t = np.linspace(0, STEP * STEPS, 200)
    ax.plot(t, 15 * np.exp(-15 * t), color="#808890", label="rate along the solution")
    ax.set(xlabel="t", ylabel="rate |y′|")


def rectangles(ax, rates, colour, label):
    for i, rate in enumerate(rates):
        ax.bar(i * STEP, rate, STEP, align="edge", color=colour, alpha=0.3, edgecolor=colour, label=label
                if i == 0 else None)


def steps(f, method):
    data, _ = f.ode("hauth-1b", method, 20)  # T = 1: steps of 0.05
    y = data["y1"][: STEPS + 1]
    return -np.diff(y) / STEP, y
