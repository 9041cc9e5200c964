"""Dinev 2018, Figure 9: a bunny swings by its ears."""
import numpy as np

from figure import COLOUR, merged, percent, shipped, short

about = {
    "title": "A soft bunny swings by its ears",
    "claim": "Held by its ears, the bunny keeps swinging under the stabilized method; backward Euler damps the swing "
        "out.",
    "shows": "Sideways position of the bunny's centre over time.",
    "rule": "In the last quarter of the run the stabilized method, ours, swings more than twice as wide as backward "
        "Euler, and keeps more than 70 % of its first swing. A detail: so does Algorithm 1 as printed, with ten "
        "iterations.",
}


def make(f):
    scene = merged(shipped("bunny"), {"timestep": 0.033, "frames": f.quick(240, 600),
            "integrator": {"solver": "local-global", "iterations": 10, "modes": False}})
    scene["bodies"][0]["position"] = [0, 1, 0]  # Algorithm 1 as printed needs a positive total energy
    runs = {"printed": f.run(scene, "stabilized", change={"integrator": {"printed": True}}), "stabilized": f.run(scene,
            "stabilized"),
            "backward-euler": f.run(scene, "backward-euler")}
    names = {"printed": "stabilized, as printed", "stabilized": "stabilized, ours", "backward-euler": "backward Euler"}
    figure, ax = f.axes(height=3.2)
    first, last = {}, {}
    for m, r in runs.items():
        x = r.points().mean(1)[:, 0]
        n = len(x)
        ax.plot(0.033 * np.arange(n), x, color=COLOUR.get(m, COLOUR["stabilized"]), ls="--" if m == "printed" else "-",
                label=names[m])
        first[m], last[m] = np.ptp(x[: n // 4]), np.ptp(x[-n // 4:])
        f.number("swing at the end over the first, " + m, last[m] / first[m])
    ax.set(xlabel="time, s", ylabel="x of the centre, m")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    f.save(figure, "swing", "Sideways position of the centre.")
    far = n - n // 4 + int(np.argmin(runs["stabilized"].points().mean(1)[-(n // 4):, 0]))
    f.render(list(runs.values()), "bunny", "Frame %d, where the swing of the middle one is farthest." % far, "--to", far,
            "--columns", 3, "--size", "960x360",
            labels=list(names.values()))
    keep = {m: last[m] / first[m] for m in runs}
    f.check("Of its first swing the stabilized method, ours, keeps %s, backward Euler "
            "%s." % (percent(keep["stabilized"]), percent(keep["backward-euler"])),
            keep["stabilized"] > 0.7 and last["stabilized"] > 2 * last["backward-euler"])
    f.first("Of Algorithm 1 as printed: it keeps more than 70 %% of its first swing, and swings more than twice as wide "
            "as backward Euler. It keeps %s, backward Euler %s." % (percent(keep["printed"]),
            percent(keep["backward-euler"])), keep["printed"] > 0.7 and last["printed"] > 2 * last["backward-euler"])
    f.check("As printed, with ten iterations of local/global, it keeps %s." % percent(keep["printed"]),
            keep["printed"] > 0.7, core=False)
    f.note("Ten iterations do not solve a step of 33 ms of this mesh, and Algorithm 1 as printed then blends most of "
            "every step: the swing dies. Ours starts from a better midpoint step and "
           "returns what a blend took.")
    f.setting("Our own bunny, %d vertices (the paper's has 34,844), 33 ms, local/global with 10 "
            "iterations." % runs["printed"].summary["vertices"])
