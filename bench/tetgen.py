"""Solids from surfaces beside TetGen: processor time, memory and angles of both, as rows of a Markdown table.

    python3 bench/tetgen.py VERVE

TetGen keeps every face of its input (-pY refines inside only, q: radius-edge ratio 1.414 and dihedral angles of 10
degrees where it can), so it is also given the boundary of our solid, from which it can make about as many tets.
"""
import json
import math
import os
import subprocess
import sys
import tempfile


class Surface:
    def __init__(self):
        self.points, self.faces, self.numbers = [], [], {}

    def point(self, p):
        key = tuple(round(x * 1e9) for x in p)
        if key not in self.numbers:
            self.numbers[key] = len(self.points)
            self.points.append(p)
        return self.numbers[key]

    def quad(self, a, b, c, d):
        self.faces += [(a, b, c), (a, c, d)]

    def write(self, base):
        with open(base + ".obj", "w") as file:
            file.writelines("v %.17g %.17g %.17g\n" % tuple(p) for p in self.points)
            file.writelines("f %d %d %d\n" % tuple(i + 1 for i in f) for f in self.faces)
        with open(base + ".off", "w") as file:
            file.write("OFF\n%d %d 0\n" % (len(self.points), len(self.faces)))
            file.writelines("%.17g %.17g %.17g\n" % tuple(p) for p in self.points)
            file.writelines("3 %d %d %d\n" % f for f in self.faces)


def ball(n, bump, centre=(0, 0, 0), surface=None):
    surface = surface or Surface()
    for axis in range(3):
        for sign in (-1, 1):
            def at(i, j):
                p = [0, 0, 0]
                p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = sign, 2 * i / n - 1, 2 * j / n - 1
                length = math.sqrt(sum(x * x for x in p))
                q = [x / length for x in p]
                r = 1 + bump * math.sin(5 * q[0]) * math.sin(5 * q[1]) * math.sin(5 * q[2] + 1)
                return surface.point([c + r * x for c, x in zip(centre, q)])
            for i in range(n):
                for j in range(n):
                    corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
                    surface.quad(*(corners if sign > 0 else corners[::-1]))
    return surface


def torus(around, across):
    surface = Surface()

    def at(i, j):
        a, b = 2 * math.pi * (i % around) / around, 2 * math.pi * (j % across) / across
        r = 1 + 0.4 * math.cos(b)
        return surface.point([r * math.cos(a), 0.4 * math.sin(b), r * math.sin(a)])
    for i in range(around):
        for j in range(across):
            surface.quad(at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j))
    return surface


def box():
    surface = Surface()
    for x in (0, 1):
        for y in (0, 1):
            for z in (0, 1):
                surface.point([x, 0.8 * y, 1.2 * z])
    for quad in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)):
        surface.quad(*quad)
    return surface


def two_balls():
    return ball(20, 0, (0.9, 0.1, 0), ball(20, 0))


# ---- running ---------------------------------------------------------------------------------------------------------

# a small process in between: a child begins with the memory of its parent
MEASURE = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[2:], cwd=sys.argv[1], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
text = child.stdout.read()
_, status, usage = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
print(text)
"""


def run(words, place):
    """exit code, processor seconds and MB at most of one program, and what it prints"""
    words = [sys.executable, "-S", "-c", MEASURE, place] + words
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    first, text = done.stdout.split("\n", 1)
    code, seconds, megabytes = first.split()
    return int(code), float(seconds), float(megabytes), text


def numbers(path, columns, kind):
    """the rows behind the first number of each line, and that number in the first line"""
    with open(path) as file:
        count = int(file.readline().split()[0])
        rows = [file.readline().split() for _ in range(count)]
    return [[kind(x) for x in row[1:1 + columns]] for row in rows], int(rows[0][0])


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def tet_angles(p, q, r, s):
    """degrees, of the six dihedral angles of a tet, and its volume"""
    u, v, w = [[b - a for a, b in zip(p, end)] for end in (q, r, s)]
    normals = [cross(w, v), cross(u, w), cross(v, u)]
    normals.append([-sum(n[i] for n in normals) for i in range(3)])
    lengths = [math.sqrt(dot(n, n)) for n in normals]
    found = []
    for i in range(4):
        for j in range(i):
            cosine = -dot(normals[i], normals[j]) / (lengths[i] * lengths[j])
            found.append(math.degrees(math.acos(max(-1, min(1, cosine)))))
    return found, abs(dot(u, cross(v, w))) / 6


def row(name, faces, program, code, seconds, megabytes, base, volume, text):
    if code != 0:
        lines = [line for line in text.splitlines() if "intersect" in line or "rror" in line]
        print("| %s, %d | %s | refused: %s | | | | | |" % (name, faces, program, lines[0].strip() if lines else code))
        return
    points, _ = numbers(base + ".node", 3, float)
    tets, first = numbers(base + ".ele", 4, int)
    least, most, small, inside = 180, 0, 0, 0
    for tet in tets:
        found, piece = tet_angles(*(points[i - first] for i in tet))
        least, most, inside = min(least, *found), max(most, *found), inside + piece
        small += sum(angle < 20 for angle in found)
    print("| %s, %d | %s | %d / %d | %.2f | %.0f | %.1f to %.1f | %.2f | %+.2f |" % (
        name, faces, program, len(points), len(tets), seconds, megabytes, least, most, 100 * small / (6 * len(tets)),
        100 * (inside / volume - 1)))
    sys.stdout.flush()


def compare(verve, name, surface, cells, place):
    base = os.path.join(place, "in")
    surface.write(base)
    words = [verve, "mesh", "solid", "in.obj", "ours.node", "--cells", str(cells), "--json"]
    code, seconds, megabytes, text = run(words, place)
    faces = len(surface.faces)
    report = json.loads(text) if code == 0 else {"surfaceVolume": math.nan, "volume": math.nan}
    volume = report["surfaceVolume"]
    row(name, faces, "verve, %d cells" % cells, code, seconds, megabytes, os.path.join(place, "ours"), volume, text)
    code, seconds, megabytes, text = run(["tetgen", "-pYq1.414/10", "in.off"], place)
    row(name, faces, "tetgen -pYq1.414/10", code, seconds, megabytes, base + ".1", volume, text)
    if math.isnan(volume):
        return
    # the boundary of our solid, with tets as large as ours
    subprocess.run([verve, "mesh", "convert", "ours.node", "skin.obj"], cwd=place, check=True, capture_output=True)
    skin = Surface()
    with open(os.path.join(place, "skin.obj")) as file:
        for line in file:
            words = line.split()
            if words and words[0] == "v":
                skin.points.append([float(x) for x in words[1:4]])
            elif words and words[0] == "f":
                skin.faces.append(tuple(int(x.split("/")[0]) - 1 for x in words[1:4]))
    skin.write(os.path.join(place, "skin"))
    size = "%.9f" % (2 * report["volume"] / report["tets"])
    code, seconds, megabytes, text = run(["tetgen", "-pYq1.414/10a" + size, "skin.off"], place)
    row(name + ": our boundary", len(skin.faces), "tetgen -pYq1.414/10a", code, seconds, megabytes,
        os.path.join(place, "skin.1"), volume, text)


def main():
    verve = os.path.abspath(sys.argv[1])
    print("| surface, triangles | program | vertices / tets | s of one core | MB | dihedral angles, degrees | "
          "below 20, % | volume, % |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    rows = (("bumpy ball", ball(92, 0.08), 17), ("torus", torus(160, 60), 24), ("box", box(), 12),
            ("two balls that cross", two_balls(), 16))
    with tempfile.TemporaryDirectory() as place:
        for name, surface, cells in rows:
            compare(verve, name, surface, cells, place)


main()
