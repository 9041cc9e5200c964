"""Bouaziz 2014, Figure 9: a thin cylinder buckles."""
import projective
from figure import BLUE, shipped, short

about = {
    "title": "A thin cylinder buckles, with three bending stiffnesses",
    "claim": "When a thin cylinder is compressed, buckles of different frequency appear: fewer and broader ones the "
        "stiffer it is in bending.",
    "shows": "Waves around a rubber tube, counted when they appear, and the tube.",
    "rule": "The number of waves rises with every tenfold smaller bending stiffness.",
}


def make(f):
    rows = projective.rows(f, "fig9")
    waves = {}
    for r in rows:
        if r["unit"] == "waves":
            waves.setdefault(str(r["case"]), []).append(r["value"])
    order = sorted(waves, key=lambda c: -float(c.split()[-1]))
    mean = [sum(waves[c]) / len(waves[c]) for c in order]
    for c, m in zip(order, mean):
        f.number("waves, " + c, m)
    f.table(["bending, times a plate's", "waves around"], [[c.split()[-1], ", ".join("%d" % v for v in waves[c])]
            for c in order])
    coarse = {"mesh": {"cells": [72, 24]}} if not f.full else {}
    runs = [f.run("buckling-tube", "backward-euler", frames=70, change={"bodies": [{**coarse,
            "material": {"bending": float(c.split()[-1])}}]}) for c in order]
    f.render(runs, "tubes", "Compressed by 2.3 %: bending 10, 1 and 0.1 times that of a plate.", "--from", 68, "--to",
            68, "--columns", 3, "--size", "960x330",
             labels=["bending " + c.split()[-1] for c in order])
    f.check("Waves: %s." % ", ".join(short(m) for m in mean), all(a < b for a, b in zip(mean, mean[1:])))
