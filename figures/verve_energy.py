"""Energy kept against cost, for every candidate on six scenes."""
import numpy as np

import advice
from figure import COLOUR, short

about = {
    "title": "Energy kept and motion kept, against cost, for every method on six scenes",
    "claim": "Our default method, small-midpoint, loses or gains less than 5 % of the energy and stays within 10 % of "
        "converged motion; backward Euler of the same cost does not.",
    "shows": "verve advise runs every candidate on copies of a scene and compares with a converged run. Each dot is a "
        "method with some solver, iterations and substeps. Left: energy lost or gained; right: distance from "
        "converged motion.",
    "rule": "As the claim says, with cost taken as time a frame in the same process: small-midpoint within both "
        "limits on at least four of the six scenes (a detail: on all), and backward Euler of at most 1.5 times its "
        "cost on fewer.",
}
SCENES = ["swing", "spinning-cube", "hanging-cloth", "plucked-bar", "twisted-bar", "drop"]


def make(f):
    # the last row has the names of the colours
    figure, axes = f.axes(len(SCENES) + 1, 2, height=2.5 * len(SCENES) + 0.9, width=8,
            gridspec_kw={"height_ratios": [1] * len(SCENES) + [0.3]})
    rows, good, rival, seen = [], [], [], {}
    for pair, scene in zip(axes, SCENES):
        a = advice.trials(f, scene, f.quick(40, 120), f.quick(8, 60))
        trials = [t for t in a["trials"] if t["apart"] is not None]
        for t in trials:
            energy, apart, cost = max(t["lost"], t["gained"], 1e-6), max(t["apart"], 1e-5), 1000 * t["secondsPerFrame"]
            for ax, y in zip(pair, (energy, apart)):
                dot, = ax.loglog([cost], [y], "o", ms=6, color=COLOUR.get(t["method"], "#808890"))
            seen.setdefault(t["method"], dot)
        pair[0].axhline(0.05, color="#808890", ls="--", lw=1)
        pair[1].axhline(0.1, color="#808890", ls="--", lw=1)
        pair[0].set(title=scene, xlabel="ms a frame", ylabel="energy off")
        pair[1].set(title=scene, xlabel="ms a frame", ylabel="motion off")
        own = next(t for t in trials if t["method"] == "small-midpoint")
        within = lambda t: max(t["lost"], t["gained"]) <= 0.05 and t["apart"] <= 0.1  # noqa: E731
        good.append(within(own))
        near = [t for t in trials if t["method"] == "backward-euler"
                and t["secondsPerFrame"] <= 1.5 * own["secondsPerFrame"]]
        rival.append(any(within(t) for t in near))
        cheap = [t for t in trials if t["secondsPerFrame"] <= 1.1 * own["secondsPerFrame"]]
        best = min(cheap, key=lambda t: t["apart"])
        sound = sorted((t for t in trials if within(t)), key=lambda t: t["secondsPerFrame"])
        words = lambda t: "%s%s" % (t["method"], " × %d" % t["substeps"] if t["substeps"] > 1 else "")  # noqa: E731
        rows.append([scene, short(max(own["lost"], own["gained"])), short(own["apart"]), words(best),
                short(best["apart"]), words(sound[0]) if sound else "none",
                     short(sound[0]["secondsPerFrame"] / own["secondsPerFrame"]) if sound else "–"])
        f.number("energy off, small-midpoint, " + scene, max(own["lost"], own["gained"]))
        f.number("motion off, small-midpoint, " + scene, own["apart"])
    for ax in axes[:-1].flat:
        ax.xaxis.set_minor_formatter("")
        ax.yaxis.set_minor_formatter("")
    for ax in axes[-1]:
        ax.axis("off")
    half = (len(seen) + 1) // 2
    for ax, names in zip(axes[-1], (list(seen)[:half], list(seen)[half:])):
        ax.legend([seen[n] for n in names], names, loc="center", ncols=2, fontsize=9)
    f.save(figure, "cost", "Energy (left) and motion (right) against cost; dashed: the limits of 5 % and 10 %. Near "
            "the lower left corner is good.")
    f.table(["scene", "small-midpoint: energy off", "motion off", "nearest at equal cost", "its motion off",
            "cheapest within both limits", "its cost over small-midpoint's"], rows,
            "Costs depend on the machine. Energy off: lost or gained, of the energy exchanged. Motion off: distance "
            "from the converged run, of the motion.")
    f.check("small-midpoint is within both limits on %d of %d scenes, backward Euler of at most 1.5 times its cost on "
            "%d." % (sum(good), len(good), sum(rival)), sum(good) >= 4 and sum(rival) < sum(good))
    f.first("small-midpoint is within both limits on all six scenes, and backward Euler of at most 1.5 times its cost on "
            "two at most. They are so on %d and on %d." % (sum(good), sum(rival)), all(good) and sum(rival) <= 2)
    f.check("Scenes where small-midpoint is not: %s." % (", ".join(s for s, g in zip(SCENES, good) if not g)
            or "none"), all(good), core=False)
