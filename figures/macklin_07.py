"""Macklin 2019, Figure 7: a cantilever of finite elements."""
from figure import BLUE, GREEN, RED, short

about = {
    "title": "A cantilever of finite elements: iterations, substeps, conjugate gradients",
    "claim": "A stiff beam hangs limp with 100 iterations in one step; with 100 substeps it is as stiff as with "
        "backward Euler and conjugate gradients, at less cost.",
    "shows": "Distance from converged small steps, over the deflection, against the work of a frame.",
    "rule": "100 substeps are at least 5 times nearer to the converged deflection than 100 iterations, and nearer "
        "than 10 %.",
}


def make(f):
    rows = [r for r in f.lab("small-steps") if r["figure"] == 7]
    figure, ax = f.axes(height=3.4)
    for name, colour, mine in (("one substep, iterations", BLUE, [r for r in rows if r["method"] == "small-steps"
            and r["substeps"] == 1]),
                               ("substeps, one iteration", RED, [r for r in rows if r["method"] == "small-steps"
                               and r["iterations"] == 1]),
                               ("backward Euler, conjugate gradients", GREEN, [r for r in rows
                               if r["method"] == "backward-euler"])):
        mine = sorted(mine, key=lambda r: r["work"])
        ax.loglog([r["work"] for r in mine], [r["residual"] for r in mine], "s" if colour == GREEN else "o-",
                color=colour, label=name)
    ax.set(xlabel="sweeps or linear iterations of a frame", ylabel="error / deflection")
    ax.legend()
    f.save(figure, "beam", "Error of the deflection against work.")
    f.table(["method", "substeps", "iterations", "work", "error / deflection", "ms a frame"],
            [[r["method"], int(r["substeps"]), int(r["iterations"]), short(r["work"]), short(r["residual"]),
            short(1000 * r["seconds"])] for r in rows])
    one = next(r for r in rows if r["method"] == "small-steps" and r["substeps"] == 1 and r["iterations"] == 100)
    many = next(r for r in rows if r["method"] == "small-steps" and r["substeps"] == 100 and r["iterations"] == 1)
    f.number("error, 1 x 100", one["residual"])
    f.number("error, 100 x 1", many["residual"])
    f.check("Error of the deflection: %s with 100 iterations, %s with 100 substeps." % (short(one["residual"]),
            short(many["residual"])), many["residual"] * 5 < one["residual"] and many["residual"] < 0.1)
    f.differs("A beam of fewer tets than the paper's 12,800 (tests/world/cantilever_soak.c has that size); times are "
            "those of one CPU thread, not of a GPU.")
