"""Bouaziz 2014, Figure 3: Gauss-Seidel oscillates between sets that do not meet, Jacobi converges."""
import numpy as np

from figure import BROWN, GREY, short

about = {
    "title": "Constraints that cannot both hold: Gauss-Seidel against Jacobi",
    "claim": "Where constraint sets do not overlap, projecting them one after the other (Gauss-Seidel, as in "
        "position-based dynamics) ends at whichever came last; projecting all at once and averaging "
             "(Jacobi) finds the middle.",
    "shows": "A particle between two rigid edges of 1 m whose other ends are fixed 3 m apart: both cannot have their "
        "length. Where the particle ends, against the number of iterations.",
    "rule": "Under pbd the particle ends more than 0.3 m from the middle for every number of iterations; under "
        "pd-jacobi within 0.02 m of it with 40.",
}


def make(f):
    scene = {"verve": 1, "name": "two short edges", "gravity": [0, 0, 0], "timestep": 0.0166666, "frames": 60,
             "integrator": {}, "bodies": [{"name": "rope", "mesh": {"points": [[-1, 0, 0], [0, 0, 0], [1, 0, 0]],
                                           "springs": [[0, 1], [1, 2]]},
                                           "material": {"model": "spring", "density": 1000, "young": 1e9, "poisson": 0,
                                           "thickness": 0.01},
                                           "deform": [{"stretch": [1.5, 1.5, 1.5]}], "damping": {"mass": 5},
                                           "pins": [{"where": {"vertices": [0]}}, {"where": {"vertices": [2]}}]}]}
    counts = [1, 2, 5, 10, 20, 40]
    figure, ax = f.axes(height=3.2)
    ends = {}
    for method, colour in (("pbd", GREY), ("pd-jacobi", BROWN)):
        away = []
        for n in counts:
            x = f.run(scene, method, change={"integrator": {"iterations": n}}).points()
            axis = np.argmax(np.ptp(x[0], axis=0))
            away.append(x[-1][1, axis] - 0.5 * (x[-1][0, axis] + x[-1][2, axis]))
        ends[method] = np.array(away)
        ax.semilogx(counts, away, "o-", color=colour, label={"pbd": "Gauss-Seidel (pbd)",
                "pd-jacobi": "Jacobi (pd-jacobi)"}[method])
    ax.axhspan(-0.5, 0.5, color="#808890", alpha=0.1, lw=0)
    ax.set(xlabel="iterations of a step", ylabel="distance from the middle, m", ylim=(-0.7, 0.7))
    ax.legend()
    f.save(figure, "middle", "Where the particle is after 60 steps; the grey band is the gap that neither edge can "
            "close.")
    f.number("least distance from the middle, pbd", np.abs(ends["pbd"]).min(), "m")
    f.number("distance from the middle with 40 iterations, pd-jacobi", abs(ends["pd-jacobi"][-1]), "m")
    f.check("pbd ends %s m from the middle or more." % short(np.abs(ends["pbd"]).min()),
            np.abs(ends["pbd"]).min() > 0.3)
    f.check("pd-jacobi ends %s m from it." % short(abs(ends["pd-jacobi"][-1])), abs(ends["pd-jacobi"][-1]) < 0.02)
