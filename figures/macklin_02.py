"""Macklin 2019, Figure 2: a position-based fluid."""
import glob
import os

import numpy as np

from figure import BLUE, RED, short

about = {
    "title": "A position-based fluid: ten iterations or ten substeps",
    "claim": "With ten iterations of one step the fluid is visibly compressed and its motion damped; the same work in "
        "ten substeps makes it stiffer and livelier.",
    "shows": "A column of water collapses in a tank: its kinetic energy over time, and the mean height of its "
        "particles (compressed water stands lower).",
    "rule": "With 10 substeps of one iteration the largest kinetic energy after the collapse is higher than with 1 "
        "substep of 10 iterations; the water that has settled has more than 95 % of its volume with substeps, less "
        "than 95 % with iterations.",
}


def heights(run):
    out = []
    for path in sorted(glob.glob(os.path.join(run.folder, "*.ply"))):
        with open(path, "rb") as file:
            data = file.read()
        head = data[: data.index(b"end_header") + 11].decode()
        count = int([line for line in head.split("\n") if line.startswith("element vertex")][0].split()[-1])
        kinds = [line.split()[1] for line in head.split("\n") if line.startswith("property") and "list" not in line]
        size = {"float": 4, "double": 8, "uchar": 1, "int": 4, "uint": 4}
        width = sum(size[k] for k in kinds)
        body = data[len(head.encode()):]
        if "binary_little_endian" in head:
            kind = "<f8" if kinds[0] == "double" else "<f4"
            table = np.frombuffer(body[: count * width], dtype=np.uint8).reshape(count, width)
            y = table[:, size[kinds[0]]: 2 * size[kinds[0]]].copy().view(kind).ravel()
        else:
            y = np.array([float(line.split()[1]) for line in body.decode().split("\n")[:count]])
        out.append(y.mean())
    return np.array(out)


def make(f):
    figure, axes = f.axes(1, 2, height=3.3)
    kinetic, height, runs = {}, {}, {}
    spacing = f.quick(0.025, 0.0125)
    for n, colour in ((1, BLUE), (10, RED)):
        words = "%d substep%s × %d iteration%s" % (n, "s" if n > 1 else "", 10 // n, "s" if n == 1 else "")
        scene = {"verve": 1, "name": "column", "timestep": 1 / 60, "frames": 180,
                 "fluids": [{"name": "water", "spacing": spacing, "substeps": n, "maxSubsteps": n, "iterations": 10 // n,
                 "maxDisplacement": 1, "blocks": [{"box": [[0, 0, 0], [0.3, 0.6, 0.3]]}]}],
                 "colliders": [{"shape": "plane"}] + [{"shape": "plane", "normal": [s, 0, 0], "offset": o} for s,
                 o in ((1, 0), (-1, -0.6))] +
                              [{"shape": "plane", "normal": [0, 0, s], "offset": o} for s, o in ((1, 0), (-1, -0.3))],
                 "record": {"frames": "frames.ply"}, "camera": {"eye": [1.0, 0.7, 1.8], "target": [0.3, 0.2, 0.15]}}
        r = runs[n] = f.run(scene)
        y = heights(r)
        axes[0].plot(r["time"], r["kinetic"], color=colour, label=words)
        axes[1].plot(np.arange(len(y)) / 60, 1000 * y, color=colour)
        kinetic[n] = f.number("largest kinetic energy after 0.5 s, %d x %d" % (n, 10 // n),
                r["kinetic"][r["time"] > 0.5].max(), "J")
        height[n] = f.number("mean height at the end, %d x %d" % (n, 10 // n), y[-30:].mean(), "m")
    axes[0].set(xlabel="time, s", ylabel="kinetic energy, J")
    axes[1].set(xlabel="time, s", ylabel="mean height, mm")
    axes[0].legend()
    f.save(figure, "column", "Kinetic energy (left) and mean height of the water (right; at rest 150 mm when it is "
            "not compressed).")
    f.render(list(runs.values()), "water", "Frame 30.", "--to", 30, "--columns", 2, "--size", "960x360",
            labels=["one substep, 10 iterations", "10 substeps, one iteration"])
    f.check("Largest kinetic energy after 0.5 s: %s J with 10 iterations, %s J with 10 "
            "substeps." % (short(kinetic[1]), short(kinetic[10])), kinetic[10] > kinetic[1])
    f.check("Mean height at the end: %s mm with 10 iterations, %s mm with 10 substeps (150 without "
            "compression)." % (short(1000 * height[1]), short(1000 * height[10])),
            height[1] < 0.95 * 0.15 < height[10])
    f.differs("%d particles instead of 936,000." % runs[10].summary["particles"])
