#!/usr/bin/env python3
"""check, calibrate, advise and the first frame of a run say the same substeps, of every body.

    substeps.py VERVE SOURCE-DIR

Some shipped scenes, among them one of every kind of body; all of them where VERVE_WHOLE is set.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# solid, sheet, knotted rope, rods, bodies and ropes that are joined, two boxes that are, a solid that is not at rest,
# glass that tears, cloth that lies on a body, rigid bodies beside ropes
SLICE = """swing hanging-cloth knot telephone-cord plectoneme rope-bridge two-boxes muscle shot cape layered-cloth
    wrecking-ball""".split()
BREACHES = []


def report(verve, *words):
    done = subprocess.run([verve, *words, "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def want(scene, what, got, wanted):
    if got != wanted:
        BREACHES.append(f"{scene}: {what} {got}, want {wanted}")


def compare(verve, scene, sets=(), advises=False):
    words = [scene] + [word for item in sets for word in ("--set", item)]
    check = report(verve, "check", *words)
    each = [body["substeps"] for body in check["bodies"]]
    ruled = [count for count in each if count is not None]
    run = report(verve, "run", *words, "--frames", "1", "--no-record", "--threads", "1")
    if not ruled:
        want(scene, "a rule in check", check["stepSubsteps"], None)
        return
    want(scene, "check's step", check["stepSubsteps"], max(ruled))
    want(scene, "rule of the run", run["ruledSubsteps"], max(ruled))
    want(scene, "taken in the run", run["mostSubsteps"], check["stepSubstepsTaken"])
    calibrated = [body["substeps"] for body in report(verve, "calibrate", *words)["bodies"]]
    want(scene, "calibrate's", calibrated, each)
    if advises:
        trials = report(verve, "advise", *words, "--frames", "2", "--seconds", "2")["trials"]
        own = [t["substepsRuled"] for t in trials if t["method"] == check["method"] and t["substeps"] == 0]
        want(scene, "advise's", own, [max(ruled)])


def main(verve, root):
    whole = "VERVE_WHOLE" in os.environ
    files = sorted((root / "scenes").glob("*.json"))
    scenes = [p.stem for p in files if p.stem not in ("verve.schema", "examples")] if whole else SLICE
    os.environ["VERVE_SCENES"] = str(root / "scenes")
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for scene in scenes:
            compare(verve, scene, advises=scene == "telephone-cord")
        compare(verve, "two-boxes", ["integrator.method=small-steps"])
        compare(verve, "rope-bridge", ["integrator.substeps=9"])
    if BREACHES:
        sys.exit("\n".join(BREACHES))


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve())
