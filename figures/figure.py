"""What every driver of a figure uses: runs of build/verve, plots, numbers, and the rules of its verdict.

A driver is a module with `about` (a dict of words) and `make(f)`, f a Figure. It runs scenes and labs through the
tool alone,
draws into its folder, and states its findings by f.check(): the verdict follows from these, never from the driver's
opinion.
"""
import csv
import hashlib
import io
import json
import os
import resource
import shutil
import struct
import subprocess

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.environ.get("VERVE", os.path.join(ROOT, "build", "verve"))
OUT = os.environ.get("FIGURES_OUT", os.path.join(ROOT, "build", "figures"))
INK = "#010203"  # of axes and letters; the report replaces it by the colour of the page's text
BLUE, ORANGE, GREEN, RED, PURPLE, BROWN, TEAL, GREY = (
    "#2f7fd0", "#dd7a22", "#2f9e5b", "#d2444f", "#8a63c4", "#9a6b4b", "#179aa8", "#808890")
CYCLE = [BLUE, ORANGE, GREEN, RED, PURPLE, TEAL, BROWN, GREY]

# one colour for a method, in every figure
COLOUR = {
    "stabilized": BLUE, "small-midpoint": TEAL, "backward-euler": RED, "implicit-midpoint": ORANGE, "bdf2": PURPLE,
    "newmark": BROWN, "trapezoid": BROWN, "forward-euler": GREY, "symplectic-euler": "#d9ac00", "small-steps": GREEN,
    "energy-budget": "#b0569b", "stabilized-explicit": "#5aa02c", "pbd": GREY, "pd-jacobi": BROWN,
    "energy-multiplier": "#7a7a2a", "linear-implicit-euler": "#e377c2", "verlet": "#5aa02c", "rk4": "#444c9c",
}

plt.rcParams.update({
    "font.family": "sans-serif", "font.size": 11, "svg.fonttype": "none", "axes.spines.top": False,
        "axes.spines.right": False,
    "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "text.color": INK,
    "axes.grid": True, "grid.color": "#8a929a", "grid.alpha": 0.3, "grid.linewidth": 0.6, "legend.frameon": False,
    "legend.fontsize": 9.5, "lines.linewidth": 1.6, "axes.prop_cycle": plt.cycler(color=CYCLE), "axes.titlesize": 11,
    "axes.titlecolor": INK, "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none",
    "svg.hashsalt": "verve", "axes.formatter.useoffset": False, "axes.axisbelow": True,
})


def digest(*parts):
    h = hashlib.sha256()
    for part in parts:
        h.update(part if isinstance(part, bytes) else str(part).encode())
        h.update(b"\0")
    return h.hexdigest()[:20]


def file_digest(path):
    with open(path, "rb") as file:
        return digest(file.read())


def scene_path(name):
    return os.path.join(ROOT, "scenes", name + ".json")


def shipped(name):
    """A shipped scene as a dict, to be changed by a driver."""
    with open(scene_path(name), encoding="utf-8") as file:
        scene = json.load(file)
    scene.pop("$schema", None)
    for body in scene.get("bodies", []):
        if isinstance(body.get("mesh"), dict) and "file" in body["mesh"]:
            body["mesh"]["file"] = os.path.join(ROOT, "scenes", body["mesh"]["file"])
    return scene


def merged(base, change):
    """base with the keys of change: objects are merged, lists of objects entry by entry, anything else is replaced."""
    if isinstance(base, dict) and isinstance(change, dict):
        return {**base, **{k: merged(base.get(k), v) for k, v in change.items()}}
    if isinstance(base, list) and isinstance(change, list) and change and all(isinstance(x, dict) for x in change):
        return [merged(base[i] if i < len(base) else None, x) for i, x in enumerate(change)]
    return change


def undamped(scene):
    """The scene with no loss in materials that are given by numbers: figures show what methods do, not the default."""
    def body(given):
        material = given.get("material", {})
        stated = not isinstance(material, dict) or "preset" in material
        return given if stated else {**given, "material": {**material, "loss": material.get("loss", 0)}}
    return {**scene, "bodies": [body(b) for b in scene["bodies"]]} if "bodies" in scene else scene


def thin(x, y, most=700):
    """At most 2 `most` points of a curve, with the extremes of each stretch."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) <= 2 * most:
        return x, y
    keep = set([0, len(x) - 1])
    for part in np.array_split(np.arange(len(x)), most):
        keep.update((part[np.argmin(y[part])], part[np.argmax(y[part])]))
    index = sorted(keep)
    return x[index], y[index]


class Run:
    """The record of one run: .ledger (columns by name), .summary (the JSON of verve run), .diverged, .cpu (s)."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "figure.json"), encoding="utf-8") as file:
            data = json.load(file)
        self.summary, self.code, self.cpu = data["summary"], data["code"], data["cpu"]
        self.diverged = self.code == 1
        self.ledger = {}
        path = os.path.join(folder, "ledger.csv")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                rows = list(csv.reader(file))
            width = len(rows[0])
            rows = [rows[0]] + [r for r in rows[1:] if len(r) == width]
            for i, name in enumerate(rows[0]):
                if name != "hash":
                    self.ledger[name] = np.array([float(r[i]) if r[i] else np.nan for r in rows[1:]])

    def __getitem__(self, column):
        return self.ledger[column]

    @property
    def frames(self):
        return len(self.ledger.get("frame", [])) - 1

    def points(self, body=None):
        """frames x vertices x 3, m, of a body (the first if not named); of a solid the vertices of its surface."""
        names = sorted(n for n in os.listdir(self.folder) if n.endswith(".pc2"))
        if body is not None:
            names = [n for n in names if body in n]
        with open(os.path.join(self.folder, names[0]), "rb") as file:
            data = file.read()
        _, _, count, _, _, frames = struct.unpack("<12siiffi", data[:32])
        points = np.frombuffer(data[32:], dtype="<f4").astype(float)
        frames = min(frames, len(points) // (3 * count))
        return points[: frames * count * 3].reshape(frames, count, 3)


class Figure:
    def __init__(self, about, full, stamp):
        self.about, self.full, self.stamp = about, full, stamp
        self.id = about["id"]
        self.folder = os.path.join(OUT, self.id)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.pictures, self.checks, self.numbers, self.tables, self.settings, self.differences = [], [], [], [], [], []
        self.notes, self.firsts, self.commands, self.seconds = [], [], [], 0.0

    # ---- measuring ---------------------------------------------------------------------------------------------------

    def quick(self, quick, full):
        """The first by default, the second with FULL=1."""
        return full if self.full else quick

    def tool(self, *words, codes=(0,)):
        """Runs verve with these words; returns what it printed."""
        words = [str(w) for w in words]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([TOOL, *words], capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.code = done.returncode
        if done.returncode not in codes:
            raise RuntimeError("verve %s: exit %d: %s" % (" ".join(words)[:200], done.returncode,
                    done.stderr.strip()[-400:]))
        return done.stdout

    def say(self, words):
        line = "verve " + " ".join("'%s'" % w if any(c in w for c in " []{}\"") else w for w in map(str, words))
        if line not in self.commands:
            self.commands.append(line)

    def run(self, scene, method=None, solver=None, frames=None, change=None, threads=1, record=True):
        """Simulates a scene (a name or a dict), changed by `change`; the same run is taken once for all figures."""
        base = shipped(scene) if isinstance(scene, str) else scene
        base = undamped(merged(base, change or {}))
        integrator = dict(base.get("integrator", {}))
        if method:
            integrator["method"] = method
        if solver:
            integrator["solver"] = solver
        base = {**base, "integrator": integrator}
        if frames is not None:
            base["frames"] = frames
        if not record:
            base["record"] = {**base.get("record", {}), "frames": []}
        text = json.dumps(base, indent=1)
        key = digest("run", self.stamp["tool"], text, threads, *self.mesh_digests(base))
        folder = os.path.join(OUT, "runs", key)
        if not os.path.exists(os.path.join(folder, "figure.json")):
            part = folder + ".part%d" % os.getpid()
            shutil.rmtree(part, ignore_errors=True)
            os.makedirs(part)
            file = os.path.join(part, "given.json")
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
            printed = self.tool("run", file, "--out", os.path.join(part, "record"), "--json", "--threads", threads,
                                "--allow-outside", codes=(0, 1))
            record_folder = os.path.join(part, "record")
            with open(os.path.join(record_folder, "figure.json"), "w", encoding="utf-8") as out:
                json.dump({"summary": json.loads(printed), "code": self.code, "cpu": self.cpu}, out)
            shutil.rmtree(folder, ignore_errors=True)
            os.rename(record_folder, folder)
            shutil.rmtree(part)
        done = Run(folder)
        name = scene if isinstance(scene, str) else base.get("name", "scene").replace(" ", "-") + ".json"
        if not isinstance(scene, str) or change:
            name = self.keep_scene(base)
        words = ["run", name] + (["--method", method] if method else []) + (["--solver", solver] if solver else [])
        self.say(words + (["--frames", frames] if frames is not None else []))
        return done

    @staticmethod
    def mesh_digests(scene):
        files = [b.get("mesh", {}).get("file") for b in scene.get("bodies", []) if isinstance(b.get("mesh"), dict)]
        return [file_digest(f) for f in files if f and os.path.exists(f)]

    def keep_scene(self, scene):
        """The scene as a file beside the figure, for whoever wants to run it."""
        name = "%s-%s.json" % (scene.get("name", "scene").replace(" ", "-"), digest(json.dumps(scene))[:6])
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as out:
            json.dump(scene, out, indent=1)
        return "%s/%s" % (self.id, name)

    def lab(self, *words):
        """The rows of a lab, as dicts; numbers are floats."""
        self.say(("lab",) + words)
        key = digest("lab", self.stamp["tool"], *words)
        file = os.path.join(OUT, "runs", key + ".csv")
        if not os.path.exists(file):
            os.makedirs(os.path.dirname(file), exist_ok=True)
            printed = self.tool("lab", *words)
            with open(file + ".part%d" % os.getpid(), "w", encoding="utf-8") as out:
                out.write(printed)
            os.rename(file + ".part%d" % os.getpid(), file)
        with open(file, encoding="utf-8") as read:
            return [{k: number(v) for k, v in row.items()} for row in csv.DictReader(read)]

    def json(self, *words):
        """What a command prints with --json, such as verve advise or calibrate; taken once."""
        self.say(words)
        key = digest("json", self.stamp["tool"], *words)
        file = os.path.join(OUT, "runs", key + ".json")
        if not os.path.exists(file):
            printed = self.tool(*words, "--json")
            with open(file + ".part%d" % os.getpid(), "w", encoding="utf-8") as out:
                out.write(printed)
            os.rename(file + ".part%d" % os.getpid(), file)
        with open(file, encoding="utf-8") as read:
            return json.load(read)

    def ode(self, problem, method, steps, *words):
        """A trajectory of verve ode: columns by name; None where it left all bounds."""
        words = ("ode", "--problem", problem, "--method", method, "--steps", steps, "--trajectory") + words
        self.say(words)
        printed = self.tool(*words, codes=(0, 1))
        rows = list(csv.reader(io.StringIO(printed)))
        return {name: np.array([float(r[i]) for r in rows[1:]]) for i, name in enumerate(rows[0])}, self.code == 0

    # ---- showing -----------------------------------------------------------------------------------------------------

    def axes(self, rows=1, columns=1, width=7.2, height=3.4, **words):
        figure, axes = plt.subplots(rows, columns, figsize=(width, height), layout="constrained", **words)
        return figure, axes

    def save(self, figure, name, caption):
        """A matplotlib figure as SVG and PNG."""
        path = os.path.join(self.folder, name)
        about = "%s; %s" % (self.about["title"], self.stamp["line"])
        figure.savefig(path + ".svg", metadata={"Description": about, "Date": None})
        figure.savefig(path + ".png", dpi=130, facecolor="white", metadata={"Description": about})
        plt.close(figure)
        self.pictures.append({"file": name + ".svg", "caption": caption})

    def render(self, runs, name, caption, *words, labels=None):
        """Frames of runs, by verve render."""
        runs = runs if isinstance(runs, (list, tuple)) else [runs]
        line = ["render"] + [r.folder for r in runs]
        for label in labels or []:
            line += ["--label", label.replace("×", "x").replace("±", "+-")]  # the font of pictures is ASCII
        self.tool(*line, *words, "--out", os.path.join(self.folder, name + ".png"))
        self.pictures.append({"file": name + ".png", "caption": caption})

    def csv(self, name, header, rows):
        with open(os.path.join(self.folder, name + ".csv"), "w", encoding="utf-8", newline="") as out:
            out.write("# %s: %s\n" % (self.id, self.stamp["line"]))
            writer = csv.writer(out)
            writer.writerow(header)
            for row in rows:
                writer.writerow(["%.9g" % c if isinstance(c, (float, np.floating)) else c for c in row])

    def table(self, header, rows, caption=""):
        self.tables.append({"header": list(header), "rows": [[cell(c) for c in r] for r in rows], "caption": caption})

    # ---- saying ------------------------------------------------------------------------------------------------------

    def number(self, key, value, unit="", noisy=False):
        """A key number. noisy: it depends on the machine (times), and is not compared between runs."""
        self.numbers.append({"key": key, "value": float(value), "unit": unit, "noisy": noisy})
        return float(value)

    def check(self, words, holds, core=True):
        """A line of the verdict: what was found. core: the claim itself; else a detail of it."""
        self.checks.append({"words": words, "holds": bool(holds), "core": core})

    def setting(self, words):
        self.settings.append(words)

    def differs(self, words):
        """What was not done as in the paper and matters for the comparison: the verdict says so."""
        self.differences.append(words)

    def first(self, words, holds):
        """The rule that the driver began with, where another one took its place after results were seen, and what it
        gave. Where it did not hold, the verdict is 'with a difference' at best."""
        self.firsts.append({"words": words, "holds": bool(holds)})

    def note(self, words):
        self.notes.append(words)

    def verdict(self):
        core = [c for c in self.checks if c["core"]]
        if not core or not all(c["holds"] for c in core):
            return "not reproduced"
        if self.differences or not all(c["holds"] for c in self.checks + self.firsts):
            return "with a difference"
        return "reproduced"

    def result(self):
        return {"about": self.about, "verdict": self.verdict(), "pictures": self.pictures, "checks": self.checks,
                "numbers": self.numbers, "tables": self.tables, "settings": self.settings, "notes": self.notes,
                "differences": self.differences, "firsts": self.firsts, "commands": self.commands, "full": self.full}


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return text if text else float("nan")


def cell(value):
    if isinstance(value, (float, np.floating)):
        return short(value)
    return str(value)


def short(value, digits=3):
    """A number as a reader wants it."""
    if value is None or not np.isfinite(value):
        return "–" if value is None or np.isnan(value) else "∞"
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e5:
        text = "%.*g" % (max(digits, len(str(int(abs(value))))), value)
        return text
    return "%.*e" % (digits - 1, value)


def percent(value, digits=3):
    return "%s %%" % short(100 * value, digits)
