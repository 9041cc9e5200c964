"""Bouaziz 2014, Figure 4: stiffness against iterations, position-based dynamics and Projective Dynamics."""
import projective
from figure import COLOUR, short

about = {
    "title": "Does the stiffness depend on the number of iterations?",
    "claim": "Position-based dynamics makes another material of every number of iterations; Projective Dynamics "
        "behaves alike with few and many.",
    "shows": "How far a hanging cloth sags at rest, against the iterations of a step.",
    "rule": "Over the iterations tried, the sag of position-based dynamics varies by more than a factor of 2, that of "
        "Projective Dynamics (accelerated) by less than 1.1.",
}


def make(f):
    rows = projective.rows(f, "fig4")
    figure, ax = f.axes(height=3.3)
    for case, colour in (("local-global", COLOUR["backward-euler"]), ("accelerated", COLOUR["stabilized"]), ("pbd",
            COLOUR["pbd"]), ("pd-jacobi", COLOUR["pd-jacobi"])):
        n, sag, _ = projective.curve(rows, case, "m")
        if n:
            ax.loglog(n, sag, "o-", color=colour, label={"local-global": "Projective Dynamics",
                    "accelerated": "Projective Dynamics, accelerated"}.get(case, case))
    ax.set(xlabel="iterations of a step", ylabel="sag at rest, m")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)
    f.save(figure, "sag", "Sag of the rim at rest.")
    spread = {r["case"]: r["value"] for r in rows if str(r["case"]).endswith("spread")}
    for case, value in spread.items():
        f.number(case, value)
    f.table(["method", "largest sag over least"], [[k.replace(" spread", ""), short(v)] for k, v in spread.items()])
    f.check("Position-based dynamics: %s times; Projective Dynamics: %s (accelerated "
            "%s)." % tuple(short(spread[k + " spread"], 4) for k in ("pbd", "local-global", "accelerated")),
            spread["pbd spread"] > 2 and spread["accelerated spread"] < 1.1)
    f.check("Also without acceleration the sag varies by less than a fifth.", spread["local-global spread"] < 1.2,
            core=False)
