"""Bouaziz 2014, Figure 5: resolutions behave alike."""
import projective
from figure import BLUE, short

about = {
    "title": "The same cloth at several resolutions",
    "claim": "Constraints that come from a continuum behave alike on meshes of different resolution.",
    "shows": "Sag of a sheet held along two sides, on regular and irregular meshes.",
    "rule": "The largest sag over the least is below 1.1.",
}


def make(f):
    rows = projective.rows(f, "fig5")
    sags = [(r["case"], r["value"]) for r in rows if r["unit"] == "m"]
    figure, ax = f.axes(height=2.8)
    ax.bar(range(len(sags)), [1000 * v for _, v in sags], color=BLUE, width=0.6)
    ax.set_xticks(range(len(sags)), [str(c) for c, _ in sags], fontsize=9)
    ax.set(ylabel="sag, mm")
    ax.grid(axis="x", visible=False)
    f.save(figure, "sags", "Sag on each mesh.")
    spread = f.number("largest sag over least", next(r["value"] for r in rows if r["case"] == "spread"))
    f.check("Sags within a factor of %s." % short(spread, 4), spread < 1.1)
