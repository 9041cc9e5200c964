"""Bouaziz 2014, Figure 11: a hippo with 1, 10 and 20 iterations against Newton."""
import projective
from figure import BLUE, ORANGE, short

about = {
    "title": "A hippo with 1, 10 and 20 iterations",
    "claim": "After 10 iterations of local/global the hippo looks very similar to Newton's converged solution.",
    "shows": "Distance of one step from the converged one, over the distance of its first guess, against iterations. "
        "The hippo is twisted and let go.",
    "rule": "The error falls with every number of iterations, and after 10 of the accelerated solver it is below a "
        "tenth of that of the first guess. Details: so it is with local/global as the paper has it; after 20 it is below "
        "half of that after 10.",
}


def make(f):
    rows = projective.rows(f, "fig11")
    figure, ax = f.axes(height=3.3)
    data = {}
    for case, colour in (("local-global", ORANGE), ("accelerated", BLUE)):
        n, e, _ = projective.curve(rows, case)
        data[case] = dict(zip(n, e))
        ax.loglog(n, e, "o-", color=colour, label={"local-global": "local/global (the paper's)",
                "accelerated": "accelerated (ours)"}[case])
        for k in (1, 10, 20):
            if k in data[case]:
                f.number("error after %d, %s" % (k, case), data[case][k])
    ax.set(xlabel="iterations", ylabel="error / first guess")
    ax.legend()
    f.save(figure, "error", "Distance from the converged step.")
    plain, fast = data["local-global"], data["accelerated"]
    f.check("Local/global: %s after 1, %s after 10, %s after 20 iterations." % tuple(short(plain[k]) for k in (1, 10,
            20)), plain[1] > plain[10] > plain[20])
    f.check("Accelerated, after 10 iterations: %s." % short(fast[10]), fast[10] < 0.1)
    f.check("As the paper has it, after 10 iterations: %s." % short(plain[10]), plain[10] < 0.1, core=False)
    f.check("After 20 iterations %s, less than half of that after 10." % short(plain[20]), plain[20] < 0.5 * plain[10],
            core=False)
    f.note("The paper judges by eye. Measured in the objective of the step, as in its Figure 12, the errors are about the "
            "squares of these.")
