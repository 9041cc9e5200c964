"""Joubert, Figure 8: the force of the future by Taylor's expansion."""
import numpy as np

from figure import BLUE, RED, short

about = {
    "title": "The force of the future, by Taylor's expansion",
    "claim": "The force at the end of a step is approximated by the force now and its derivative; implicit Euler with "
        "one such linear step is nearly as good as the whole solution.",
    "shows": "Distance between linear-implicit Euler (one linear solve) and fully implicit Euler on a nonlinear "
        "equation, y′ = −2 t y², against the step.",
    "rule": "The distance between the two at the end falls with at least the square of the step, while both errors "
        "fall with the step (order 1): the linear step costs nothing in order.",
}


def make(f):
    steps = [10, 20, 40, 80, 160, 320]
    ends = {m: np.array([f.ode("riccati", m, n)[0]["y1"][-1] for n in steps]) for m in ("backward-euler",
            "linear-implicit-euler")}
    exact = 0.5
    error = {m: np.abs(v - exact) for m, v in ends.items()}
    apart = np.abs(ends["backward-euler"] - ends["linear-implicit-euler"])
    h = 1 / np.array(steps)
    figure, ax = f.axes(height=3.3)
    ax.loglog(h, error["backward-euler"], "o-", color=RED, label="error, implicit Euler")
    ax.loglog(h, error["linear-implicit-euler"], "o--", color=BLUE, label="error, linear-implicit Euler")
    ax.loglog(h, apart, "s-", color="#808890", label="distance between the two")
    ax.set(xlabel="step h", ylabel="at t = 1")
    ax.legend()
    f.save(figure, "taylor", "Errors and distance against the step.")
    order = {m: f.number("order, " + m, np.log2(e[-2] / e[-1])) for m, e in error.items()}
    far = f.number("order of the distance", np.log2(apart[-2] / apart[-1]))
    f.check("Orders of the errors: %s." % ", ".join("%.2f" % o for o in order.values()), all(abs(o - 1) < 0.1
            for o in order.values()))
    f.check("The distance falls with the power %.2f." % far, far > 1.8)
