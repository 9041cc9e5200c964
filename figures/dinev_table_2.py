"""Dinev 2018, Table 2: substepped implicit midpoint instead."""
import numpy as np

import scenes
from figure import merged, shipped, short

about = {
    "title": "Why not just smaller steps: implicit midpoint with substeps",
    "claim": "Substeps improve implicit midpoint, but they cost far more, and stability is not guaranteed even with "
        "many of them, above all in contact.",
    "shows": "Implicit midpoint with 1, 5, 10 and 20 substeps (FULL=1: 100 too) on four scenes: the largest energy "
        "gained, over the energy of the motion, and the CPU time over that of the stabilized method.",
    "rule": "Somewhere a number of substeps is stable (gain below 5 %) and somewhere 5 substeps are not; wherever "
        "midpoint is stable with substeps it costs more than the stabilized method; and the stabilized method, ours, "
        "gains less than 5 % everywhere.",
}


def gain(run, scale):
    return float(np.nanmax(run["numerical"]) / scale) if not run.diverged else np.inf


def make(f):
    hippo = merged(shipped("hippo"), {"timestep": 0.01, "frames": 120, "integrator": {"solver": "local-global",
            "iterations": 10, "modes": False}})
    hippo["bodies"][0]["damping"] = {}
    hippo["bodies"][0]["position"] = [0, 1.1, 0]
    models = {"cube (Figure 5)": scenes.cube(frames=f.quick(3000, 10000)), "random cactus": scenes.cactus(damping=0,
            frames=60), "cloth": scenes.shaken_cloth(frames=100), "hippo on spheres": hippo}
    counts = (1, 5, 10, 20) + ((100,) if f.full else ())
    rows, stable, dear = [], {}, []
    ours = {}
    for name, scene in models.items():
        scene = merged(scene, {"record": {"frames": []}})
        reference = f.run(scene, "stabilized")
        motion = np.max(reference["kinetic"] + reference["elastic"])
        ours[name] = f.number("gain, stabilized, " + name, gain(reference, motion))
        row = [name, "%s" % short(ours[name])]
        for n in counts:
            r = f.run(scene, "implicit-midpoint", change={"integrator": {"substeps": n}})
            g = gain(r, motion)
            f.number("gain, %d substeps, %s" % (n, name), min(g, 1e9))
            ratio = r.cpu / reference.cpu
            stable[name, n] = g < 0.05
            if stable[name, n] and n > 1:
                dear.append(ratio)
            row.append("%s (%s×)" % ("diverges" if r.diverged else short(g), short(ratio, 2)))
        rows.append(row)
    f.table(["scene", "stabilized, ours"] + ["%d substep%s" % (n, "s" if n > 1 else "") for n in counts], rows,
            "Largest energy gained over the largest energy of motion; in brackets the CPU time over that of the "
            "stabilized method.")
    bad = [n for n in models if not stable[n, 5]]
    f.check("With 5 substeps midpoint gains more than 5 %% on: %s." % (", ".join(bad) or "none"), bool(bad))
    f.check("Somewhere substeps do help: stable with 20 on %s." % (", ".join(n for n in models if stable[n, 20])
            or "none"), any(stable[n, 20] for n in models))
    f.check("Where midpoint is stable with substeps it costs %s to %s times the stabilized "
            "method." % (short(min(dear)), short(max(dear))), min(dear) > 1, core=False)
    f.check("The stabilized method, ours, gains at most %s." % short(max(ours.values())), max(ours.values()) < 0.05)
