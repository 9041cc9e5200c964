"""The same swinging bar under three integrators: what becomes of its energy. Writes compare.png.

    compare.py [frames]
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import verve

frames = int(sys.argv[1]) if len(sys.argv) > 1 else 600
methods = ["small-midpoint", "backward-euler", "bdf2"]
figure = plt.figure(figsize=(11, 6))
grid = figure.add_gridspec(2, len(methods), height_ratios=[1.1, 1])
curves = figure.add_subplot(grid[1, :])

for column, method in enumerate(methods):
    with verve.Scene("swing", sets={"integrator.method": method}).world() as world:
        time, total = np.empty(frames), np.empty(frames)
        for frame in world.frames(frames):
            time[frame], total[frame] = world.time, world.ledger.total
        line, = curves.plot(time, total, label=method)
        axes = figure.add_subplot(grid[0, column])
        axes.imshow(world.picture(600, 450, colouring="strain", eye=(2, 1, 4), target=(0, -0.4, 0), field_of_view=20))
        axes.set_title(f"{method}, {world.time:.0f} s", color=line.get_color())
        axes.axis("off")
        print(f"{method:16} after {world.time:.1f} s the numerics have taken {-world.ledger.numerical:6.1f} J")

curves.set_xlabel("time / s")
curves.set_ylabel("total energy / J")
curves.legend(loc="lower left")
figure.tight_layout()
figure.savefig("compare.png", dpi=90)
print("compare.png")
