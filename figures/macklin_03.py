"""Macklin 2019, Figure 3: stretch of a hanging chain, substeps against iterations."""
import numpy as np

from figure import BLUE, RED, short

about = {
    "title": "A hanging chain: substeps against iterations",
    "claim": "With the same work, substeps keep a chain of particles far stiffer than iterations do; with 100,000 kg "
        "at its end the chain stretches by 3.2 m instead of 322.1 m.",
    "shows": "Stretch of a chain of 20 particles of 1 kg over time, 1 substep × 100 iterations (blue) and 100 "
        "substeps × 1 iteration (red).",
    "rule": "Heavy chain: the longest stretch is within 0.1 % of the paper's 322.1 m, and rounds to its 3.2 m. Light "
        "chain: substeps stretch at least 50 times less.",
}


def make(f):
    rows = [r for r in f.lab("small-steps") if r["figure"] == 3]
    figure, axes = f.axes(1, 2, height=3.4)
    most = {}
    for ax, scene, title in ((axes[0], "chain", "1 kg each"), (axes[1], "heavy-chain", "100,000 kg at the end")):
        for substeps, colour in ((1, BLUE), (100, RED)):
            mine = [r for r in rows if r["scene"] == scene and r["substeps"] == substeps]
            ax.semilogy([r["frame"] for r in mine], [max(r["stretch"], 1e-8) for r in mine], color=colour,
                        label="%d substep%s × %d iteration%s" % (substeps, "" if substeps == 1 else "s",
                        100 // substeps, "" if substeps == 100 else "s"))
            most[scene, substeps] = max(r["most"] for r in mine)
            f.number("longest stretch, %s, %d x %d" % (scene, substeps, 100 // substeps), most[scene, substeps], "m")
        ax.set(title=title, xlabel="frame", ylabel="stretch, m")
    axes[0].legend(fontsize=9)
    f.save(figure, "stretch", "Stretch of the whole chain (logarithmic).")
    f.check("Heavy chain: %s m with iterations (paper: 322.1), %s m with substeps (paper: "
            "3.2)." % (short(most["heavy-chain", 1], 5), short(most["heavy-chain", 100], 4)),
            abs(most["heavy-chain", 1] / 322.1 - 1) < 1e-3 and round(most["heavy-chain", 100], 1) == 3.2)
    f.check("Light chain: %s m and %s m." % (short(most["chain", 1]), short(most["chain", 100])), most["chain",
            100] * 50 < most["chain", 1])
    f.setting("Frame of 0.03 s and g = 10 m/s², which the paper does not state: with them both printed numbers come "
            "out.")
