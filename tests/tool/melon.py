# a closed surface of quads with a seam of texture coordinates, as artists make it: python3 melon.py OUT.obj
import math, sys
around, layers = 16, 8
lines, rows = [], []
lines.append("v 0 -0.1 0")
for j in range(1, layers):
    for i in range(around):
        a, b = 2 * math.pi * i / around, math.pi * j / layers
        lines.append("v %.6f %.6f %.6f" % (0.12 * math.sin(b) * math.cos(a), -0.1 * math.cos(b), -0.12 * math.sin(b) * math.sin(a)))
lines.append("v 0 0.1 0")
for j in range(layers + 1):
    for i in range(around + 1):
        lines.append("vt %.6f %.6f" % (i / around, j / layers))
def point(i, j):
    return 1 if j == 0 else 2 + (layers - 1) * around if j == layers else 2 + (j - 1) * around + i % around
def row(i, j):
    return 1 + j * (around + 1) + i
for j in range(layers):
    lines.append("usemtl %s" % ("rind" if j % 2 else "stripe"))
    for i in range(around):
        corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
        if j == 0: corners = [corners[0], corners[2], corners[3]]
        if j == layers - 1: corners = corners[:3]
        lines.append("f " + " ".join("%d/%d" % (point(*c), row(*c)) for c in corners))
open(sys.argv[1], "w").write("\n".join(lines) + "\n")
