"""Bouaziz 2014, Figure 11: a hippo with 1, 10 and 20 iterations against Newton."""
import projective
from figure import BLUE, ORANGE, short

about = {
    "title": "A hippo with 1, 10 and 20 iterations",
    "claim": "After 10 iterations of local/global the hippo looks very similar to Newton's converged solution.",
    "shows": "Distance of one step from the converged one, over the distance of its first guess, against iterations. "
        "The hippo is twisted and let go.",
    "rule": "The error falls with every number of iterations; after 10 it is below 0.4 (accelerated: below 0.05), "
        "after 20 below half of that after 10.",
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
    f.check("After 10 iterations %s (accelerated %s)." % (short(plain[10]), short(fast[10])), plain[10] < 0.4
            and fast[10] < 0.05)
    f.check("After 20 less than half of that after 10.", plain[20] < 0.55 * plain[10], core=False)
