"""Random scenes through the tool: whatever a scene says, the tool ends well and says something true.
  random.py <verve> [--seed S] [--count N] [--seconds T] [--keep DIR] [--limit T]
One seed is one scene and its commands. What must hold: exit code 0 to 3, never a signal, no sanitizer's report, no hang;
JSON that is JSON; a message with a remedy; exit 2 leaves nothing behind; what check accepts, run does not call bad input;
finite numbers in every record of a run that ended well; no control characters."""

import argparse
import json
import math
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from generate import Generator  # noqa: E402

REPORTS = re.compile(rb"Sanitizer|runtime error:|broken promise|Assertion")
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
WORDLESS = re.compile(rb"(?<![\w./-])-?(inf|nan)(?![\w./])")


class Failure(Exception):
    pass


def limiter(seconds):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return limit


def refuse_constant(word):
    raise Failure("JSON has " + word)


class Trial:
    def __init__(self, verve, folder, limit):
        self.verve, self.folder, self.limit = verve, folder, limit

    def run(self, *words):
        self.words = words
        env = dict(os.environ, ASAN_OPTIONS="exitcode=99:detect_stack_use_after_return=0:allocator_may_return_null=1",
                   UBSAN_OPTIONS="print_stacktrace=1", VERVE_MESH_DIR="")
        try:
            done = subprocess.run([self.verve, *words], cwd=self.folder, env=env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limiter(self.limit),
                                  timeout=20 * self.limit)
        except subprocess.TimeoutExpired:
            raise Failure("hangs")
        self.out, self.err = done.stdout, done.stderr
        if REPORTS.search(self.err):
            raise Failure("a report: " + self.err.decode(errors="replace")[:2000])
        if not 0 <= done.returncode <= 3:
            raise Failure("exit %d: %s" % (done.returncode, self.err.decode(errors="replace")[-500:]))
        for text in (self.out, self.err):
            found = CONTROL.search(text.decode())
            if found:
                raise Failure("a control character, %r" % found.group())
        if done.returncode == 0 and WORDLESS.search(self.out):
            raise Failure("not a number: " + self.out.decode()[max(0, WORDLESS.search(self.out).start() - 80):][:120])
        if done.returncode in (2, 3) and not re.search(rb"^verve \w+: .*; ", self.err, re.M):
            raise Failure("no remedy: " + self.err.decode())
        if "--json" in words and done.returncode < 2:
            try:
                json.loads(self.out, parse_constant=refuse_constant)
            except ValueError as error:
                raise Failure("no JSON: %s" % error)
        return done.returncode


def check_ledger(path):
    with open(path) as file:
        rows = file.read().splitlines()[1:]
    for row in rows:
        for cell in row.split(",")[1:-1]:
            if not math.isfinite(float(cell)):
                raise Failure("%s has %s" % (os.path.basename(path), cell))


def check_cache(path):
    with open(path, "rb") as file:
        data = file.read()[32:]
    count = len(data) // 4
    if not all(map(math.isfinite, struct.unpack("<%df" % count, data[:4 * count]))):
        raise Failure("%s has a coordinate that is not finite" % os.path.basename(path))


def check_record(folder):
    for name in os.listdir(folder):
        if name == "ledger.csv":
            check_ledger(os.path.join(folder, name))
        if name.endswith(".pc2"):
            check_cache(os.path.join(folder, name))


def attempt(trial, schema, seed):
    """What became of the scene of a seed, in one word."""
    generator = Generator(schema, seed)
    scene = generator.scene()
    mutant = generator.chance(0.4)
    if mutant:
        scene = generator.mutate(scene)
    text = json.dumps(scene, indent=1, ensure_ascii=generator.chance(0.5)).encode()
    if generator.chance(0.1):
        text = generator.damage(text)
    with open(os.path.join(trial.folder, "scene.json"), "wb") as file:
        file.write(text)
    checked = trial.run("check", "scene.json", *generator.pick([[], ["--json"]]))
    out = os.path.join(trial.folder, "out")
    if checked in (2, 3) and not generator.chance(0.2):
        return "refused"
    ran = trial.run("run", "scene.json", "--frames", str(generator.pick([1, 2, 2, 14])), "--threads", "1", "--out", "out",
                    *generator.pick([[], ["--json"], ["--format", "pc2,vtu,usda"]]))
    if ran == 2 and os.path.exists(out):
        raise Failure("exit 2 left a folder")
    if checked == 0 and ran == 2:
        raise Failure("check accepts what run refuses: " + trial.err.decode())
    if ran == 2 or not os.path.exists(out):
        return "refused"
    if ran == 0:
        check_record(out)
        if generator.chance(0.15):
            trial.run("render", "out", "--out", "a.png", "--size", "96x64", *generator.pick([[], ["--curves"], ["--colour", "strain"]]))
        if generator.chance(0.2) and trial.run("run", "--resume", "out", "--frames", "16", "--threads", "1") == 0:
            check_record(out)
    return ["ran", "diverged", "refused", "not written"][ran]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("verve")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds of a command: what takes longer hangs")
    parser.add_argument("--keep", help="folder for the scenes that fail")
    options = parser.parse_args()
    verve = os.path.abspath(options.verve)
    schema = json.loads(subprocess.run([verve, "scenes", "--schema"], stdout=subprocess.PIPE, check=True).stdout)
    outcomes, failed, start, seed = {}, 0, time.time(), options.seed
    folder = tempfile.mkdtemp()
    meshes = os.path.join(folder, "meshes")
    os.mkdir(meshes)
    for words in ("tet tet.obj", "box box.msh --cells 1", "sheet sheet.obj --cells 3,1,3", "box box.node --cells 1"):
        subprocess.run([verve, "mesh", "make", *words.split()], cwd=meshes, stdout=subprocess.DEVNULL, check=True)
    while seed < options.seed + options.count and time.time() - start < options.seconds:
        work = os.path.join(folder, "work")
        shutil.copytree(meshes, work)
        trial = Trial(verve, work, options.limit)
        try:
            outcome = attempt(trial, schema, seed)
        except Failure as failure:
            outcome = "FAILED"
            failed += 1
            print("seed %d: verve %s: %s" % (seed, " ".join(trial.words), failure), flush=True)
            if options.keep:
                os.makedirs(options.keep, exist_ok=True)
                shutil.copy(os.path.join(work, "scene.json"), os.path.join(options.keep, "%d.json" % seed))
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        shutil.rmtree(work)
        seed += 1
    shutil.rmtree(folder)
    print("random scenes: seeds %d to %d: %s" % (options.seed, seed - 1, ", ".join("%d %s" % (outcomes[o], o) for o in sorted(outcomes))))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
