"""Regenerates the figures and tables of the papers: python3 figures/make.py [--full] [--jobs N] [--again] [--keep]
[FIGURE ...]

Every figure has a driver beside this file. A figure is made again when its driver, the shared code, the tool or the
size of the
set has changed; runs that several figures share are taken once. --again makes it anew in any case; --keep writes the
key
numbers of the quick set into docs/figures/numbers.csv. The report is build/figures/report.html.
"""
import argparse
import concurrent.futures
import csv
import glob
import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import figure  # noqa: E402
import papers  # noqa: E402
import report  # noqa: E402

NUMBERS = os.path.join(figure.ROOT, "docs", "figures", "numbers.csv")


def stamp(full):
    def said(*words):
        try:
            return subprocess.run(words, capture_output=True, text=True, check=True, cwd=figure.ROOT).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return ""

    commit = said("git", "rev-parse", "--short", "HEAD") or "no commit"
    if said("git", "status", "--porcelain", "--untracked-files=no"):
        commit += " with changes"
    cpu = platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        cpu = names[0] if names else cpu
    compiler = ""
    cache = os.path.join(os.path.dirname(figure.TOOL), "CMakeCache.txt")
    if os.path.exists(cache):
        with open(cache, encoding="utf-8") as file:
            for line in file:
                if line.startswith("CMAKE_C_COMPILER:"):
                    compiler = said(line.split("=", 1)[1].strip(), "--version").split("\n")[0]
    version = said(figure.TOOL, "version").split("\n")[0]
    command = "make figures" + (" FULL=1" if full else "")
    return {"commit": commit, "compiler": compiler, "cpu": cpu, "version": version, "command": command,
            "tool": figure.file_digest(figure.TOOL),
            "line": "commit %s, %s, %s, %s" % (commit, compiler or "compiler unknown", cpu, command)}


def drivers():
    """id -> module name, in the order of the papers' list; what is not in the list comes last."""
    here = os.path.dirname(os.path.abspath(__file__))
    found = {}
    for path in sorted(glob.glob(os.path.join(here, "*_*.py"))):
        found[os.path.basename(path)[:-3].replace("_", "-")] = os.path.basename(path)[:-3]
    order = {entry: i for i, entry in enumerate(papers.entries())}
    return dict(sorted(found.items(), key=lambda item: order.get(item[0], len(order))))


def key_of(module, full, tool):
    here = os.path.dirname(os.path.abspath(__file__))
    shared = [p for p in sorted(glob.glob(os.path.join(here, "*.py"))) if "_" not in os.path.basename(p)]
    parts = [figure.file_digest(p) for p in shared if os.path.basename(p) not in ("make.py", "report.py", "papers.py")]
    return figure.digest(tool, full, figure.file_digest(os.path.join(here, module + ".py")), *parts)


def make(identity, module, full, marks, again):
    """One figure, in a process of its own; returns its result and how long it took."""
    key = key_of(module, full, marks["tool"])
    file = os.path.join(figure.OUT, identity, "result.json")
    if os.path.exists(file) and not again:
        with open(file, encoding="utf-8") as read:
            old = json.load(read)
        if old.get("key") == key:
            return old, 0.0
    since = time.time()
    about = dict(importlib.import_module(module).about, id=identity)
    f = figure.Figure(about, full, marks)
    try:
        importlib.import_module(module).make(f)
        result = f.result()
    except Exception as error:  # a figure that fails is an entry of the report, not the end of the others
        result = f.result()
        result["verdict"] = "not reproduced"
        result["error"] = "%s: %s" % (type(error).__name__, error)
        result["trace"] = traceback.format_exc()
        key = "failed"
    result["key"] = key
    result["seconds"] = time.time() - since
    with open(file, "w", encoding="utf-8") as out:
        json.dump(result, out, indent=1)
    return result, time.time() - since


def rows_of(results):
    return [(r["about"]["id"], n["key"], n["value"], n["unit"]) for r in results for n in r["numbers"]
            if not n["noisy"]]


def keep(results):
    """Writes the numbers; figures that have not been made keep those they had."""
    rows = {}
    if os.path.exists(NUMBERS):
        with open(NUMBERS, encoding="utf-8") as file:
            for row in list(csv.reader(file))[1:]:
                rows.setdefault(row[0], []).append(row)
    for result in results:
        identity = result["about"]["id"]
        rows[identity] = [[identity, "", "", "", result["verdict"]]] + [
            [identity, n["key"], "%.6g" % n["value"], n["unit"], ""] for n in result["numbers"] if not n["noisy"]]
    os.makedirs(os.path.dirname(NUMBERS), exist_ok=True)
    with open(NUMBERS, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["figure", "number", "value", "unit", "verdict"])
        for entry in [e for e in papers.entries() if e in rows]:
            writer.writerows(rows[entry])
    page = os.path.join(figure.ROOT, "docs", "figures.md")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(page, "w", encoding="utf-8") as file:
        file.write(papers.with_table(text, {entry: rows[entry][0][4] for entry in rows}))


def compare(results):
    """What differs from the numbers that are kept in the repository by more than 2 %."""
    if not os.path.exists(NUMBERS):
        return []
    with open(NUMBERS, encoding="utf-8") as file:
        kept = {(r["figure"], r["number"]): r for r in csv.DictReader(file)}
    away = []
    for result in results:
        was = kept.get((result["about"]["id"], ""))
        if was is not None and was["verdict"] != result["verdict"]:
            away.append("%s: the verdict is '%s', was '%s'" % (result["about"]["id"], result["verdict"],
                    was["verdict"]))
    for identity, name, value, unit in rows_of(results):
        was = kept.get((identity, name))
        if was is None:
            away.append("%s: %s = %.4g %s is new" % (identity, name, value, unit))
        elif not abs(value - float(was["value"])) <= 0.02 * abs(float(was["value"])) + 1e-6:
            away.append("%s: %s = %.4g %s, was %s" % (identity, name, value, unit, was["value"]))
    return away


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", help="such as dinev-05; all if none is named; dinev- takes all of a "
            "paper")
    parser.add_argument("--full", action="store_true", help="the long set: the papers' sizes, as far as time allows")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", action="store_true", help="also what is up to date")
    parser.add_argument("--keep", action="store_true", help="write docs/figures/numbers.csv")
    parser.add_argument("--list", action="store_true")
    words = parser.parse_args()
    known = drivers()
    if words.list:
        print("\n".join(known))
        return 0
    wanted = [i for i in known if not words.figures or any(i == w or (w.endswith("-") and i.startswith(w))
            for w in words.figures)]
    for word in words.figures:
        if not any(i == word or (word.endswith("-") and i.startswith(word)) for i in known):
            print("figures: there is no '%s'; python3 figures/make.py --list has all" % word, file=sys.stderr)
            return 2
    if not os.path.exists(figure.TOOL):
        print("figures: %s is missing; run make first" % figure.TOOL, file=sys.stderr)
        return 2
    os.makedirs(os.path.join(figure.OUT, "runs"), exist_ok=True)
    marks = stamp(words.full)
    since, results, done = time.time(), {}, 0
    with concurrent.futures.ProcessPoolExecutor(max_workers=words.jobs) as pool:
        jobs = {pool.submit(make, i, known[i], words.full, marks, words.again): i for i in wanted}
        for job in concurrent.futures.as_completed(jobs):
            result, seconds = job.result()
            results[jobs[job]] = result
            done += 1
            print("%3d of %d  %-12s %-18s %s" % (done, len(wanted), jobs[job], result["verdict"],
                                                 "up to date" if seconds == 0 else "%.1f s" % seconds), flush=True)
            if "error" in result:
                print("    " + result["error"], flush=True)
    # figures that were not asked for keep their last result in the report
    for i in known:
        file = os.path.join(figure.OUT, i, "result.json")
        if i not in results and os.path.exists(file):
            with open(file, encoding="utf-8") as read:
                results[i] = json.load(read)
    ordered = [results[i] for i in known if i in results]
    report.write(ordered, marks, os.path.join(figure.OUT, "report.html"))
    prune()
    counts = {}
    for result in ordered:
        counts[result["verdict"]] = counts.get(result["verdict"], 0) + 1
    print("figures: %s; %.0f s; %s" % (", ".join("%d %s" % (n, v) for v, n in sorted(counts.items())),
            time.time() - since,
                                       os.path.relpath(os.path.join(figure.OUT, "report.html"), os.getcwd())))
    if words.keep and not words.full:
        keep(ordered)
        print("figures: wrote %s" % os.path.relpath(NUMBERS, os.getcwd()))
    elif not words.full:
        away = compare([results[i] for i in wanted])
        for line in away[:20]:
            print("figures: differs from docs/figures/numbers.csv: " + line)
    return 1 if any("error" in results[i] for i in wanted) else 0


def prune(most=6e9):
    """Runs of older builds go when the folder grows: the oldest first."""
    folder = os.path.join(figure.OUT, "runs")
    entries = sorted((os.path.getmtime(os.path.join(folder, n)), n) for n in os.listdir(folder))
    sizes = {n: sum(os.path.getsize(os.path.join(base, f)) for base, _, files in os.walk(os.path.join(folder, n))
            for f in files)
             if os.path.isdir(os.path.join(folder, n)) else os.path.getsize(os.path.join(folder, n)) for _,
             n in entries}
    total = sum(sizes.values())
    for _, name in entries:
        if total <= most:
            break
        path = os.path.join(folder, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        total -= sizes[name]


if __name__ == "__main__":
    sys.exit(main())
