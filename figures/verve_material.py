"""The material contract: does a body have the stiffness that was asked for?"""
import numpy as np

from figure import COLOUR, short

about = {
    "title": "Is a body as stiff as asked, at every resolution, step and number of iterations?",
    "claim": "Young's modulus means the same on coarse and fine meshes, at long and short steps, with few and many "
        "iterations.",
    "shows": "verve calibrate stretches, compresses and bends a sample of a body's material and compares with the "
        "static solution. The modulus that comes out, over the one asked for; the mesh's own error is kept apart.",
    "rule": "Under small-midpoint, stabilized and small-steps (by their own rules for substeps) every modulus is "
        "within 5 % of the one asked for, at 3 resolutions and 3 steps; backward Euler by local/global is within 5 % "
        "from 10 iterations on.",
}


def moduli(f, *sets):
    words = ["calibrate", "swing"]
    for s in sets:
        words += ["--set", s]
    body = f.json(*words)["bodies"][0]
    return [body[k] / body["young"] for k in ("youngStretched", "youngCompressed", "youngBent")]


def make(f):
    methods = ["small-midpoint", "stabilized", "small-steps"]
    figure, axes = f.axes(1, 3, height=3.4, width=8.4, sharey=True)
    worst, rows = 0.0, []
    meshes = {2: "[8,2,2]", 3: "[12,3,3]", 4: "[16,4,4]"}
    for m in methods:
        values = [moduli(f, "integrator.method=" + m, "bodies.0.mesh.cells=" + c) for c in meshes.values()]
        axes[0].plot(list(meshes), [v[0] for v in values], "o-", color=COLOUR[m], label=m)
        axes[0].plot(list(meshes), [v[2] for v in values], "s--", color=COLOUR[m])
        steps = (1 / 30, 1 / 60, 1 / 120)
        timed = [moduli(f, "integrator.method=" + m, "timestep=%.17g" % h) for h in steps]
        axes[1].semilogx([1000 * h for h in steps], [v[0] for v in timed], "o-", color=COLOUR[m])
        axes[1].semilogx([1000 * h for h in steps], [v[2] for v in timed], "s--", color=COLOUR[m])
        both = np.array(values + timed)
        away = np.abs(both - 1).max()
        worst = max(worst, away)
        rows.append([m] + [short(100 * np.abs(both[:, i] - 1).max()) for i in range(3)])
        f.number("largest error of the modulus, " + m, away)
    counts = (2, 5, 10, 20, 50)
    iterated = [moduli(f, "integrator.method=backward-euler", "integrator.solver=local-global",
            "integrator.iterations=%d" % n) for n in counts]
    axes[2].semilogx(counts, [v[0] for v in iterated], "o-", color=COLOUR["backward-euler"], label="stretched")
    axes[2].semilogx(counts, [v[2] for v in iterated], "s--", color=COLOUR["backward-euler"], label="bent")
    axes[0].set(xlabel="cells across", ylabel="modulus / asked for", ylim=(0.8, 1.2))
    axes[1].set(xlabel="step, ms")
    axes[2].set(xlabel="iterations (backward Euler)")
    axes[0].legend(fontsize=8.5)
    axes[2].legend(fontsize=8.5)
    f.save(figure, "modulus", "Solid: stretched; dashed: bent. Left by resolution, middle by step, right by "
            "iterations.")
    f.table(["method", "largest error, stretched, %", "compressed, %", "bent, %"], rows)
    late = max(abs(v - 1) for n, t in zip(counts, iterated) for v in t if n >= 10)
    f.number("largest error from 10 iterations on, backward-euler", late)
    f.check("Real-time methods: the modulus is off by at most %s." % short(worst), worst < 0.05)
    f.check("Backward Euler from 10 iterations on: at most %s." % short(late), late < 0.05)
