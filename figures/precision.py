"""Work-precision diagrams of Hauth 2004: error against work, for some methods on some problems."""
import numpy as np

from figure import CYCLE

NAMES = {"forward-euler": "explicit Euler", "explicit-midpoint": "explicit midpoint", "rk4": "Runge-Kutta 4",
        "backward-euler": "implicit Euler",
         "implicit-midpoint": "implicit midpoint", "bdf2": "BDF(2)", "verlet": "Verlet"}
TITLES = {"hauth-1a": "example 1a: y′ = 2 y", "hauth-1b": "example 1b: y′ = −15 y",
        "hauth-2": "example 2: y″ = −2.5 y − 5 y′",
          "hauth-3": "example 3: damped spring", "hauth-7": "y″ = −5 y"}


def curves(f, problem, methods):
    """method -> steps, error relative to the exact solution at the end, flops; errors that left all bounds are
    infinite."""
    rows = f.lab("work-precision", "--problem", problem)
    exact, _ = f.ode(problem, "rk4", 1000)
    size = np.sqrt(sum(v[-1] ** 2 for k, v in exact.items() if k.startswith("exact")))
    out = {}
    for method in methods:
        mine = [r for r in rows if r["method"] == method]
        if mine:
            steps, error, flops = (np.array([float(r[k]) for r in mine]) for k in ("steps", "error", "flops"))
            out[method] = (steps, error / size, flops)
    return out


def slope(steps, error):
    """The order that the errors show, where they fall smoothly and above rounding."""
    good = np.isfinite(error) & (error > 1e-12) & (error < 3e-2)
    steps, error = steps[good], error[good]
    if len(steps) < 3:
        return np.nan
    return np.median(np.log2(error[-4:-1] / error[-3:])) if len(steps) >= 4 else np.log2(error[-2] / error[-1])


def draw(ax, data, title):
    for i, (method, (_, error, flops)) in enumerate(data.items()):
        good = np.isfinite(error) & (error > 1e-15) & (error < 1e2)
        ax.loglog(flops[good], error[good], ".-", ms=4, color=CYCLE[i], label=NAMES[method])
    ax.set(title=title, xlabel="flops", ylabel="relative error")
