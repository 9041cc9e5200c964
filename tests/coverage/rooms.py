#!/usr/bin/env python3
"""Line coverage by room, from the JSON of gcovr; fails if a room of the library is below the limit.

rooms.py <coverage.json> [limit in percent] [--lines]    --lines: also every line that was not run
"""
import collections
import json
import sys

LIBRARY = "base ledger linear shape mesh energy contact solve integrate world record scene draw".split()


def main(words):
    listing = "--lines" in words
    words = [word for word in words if word != "--lines"]
    limit = float(words[1]) if len(words) > 1 else 95.0
    with open(words[0], encoding="utf-8") as file:
        files = json.load(file)["files"]
    run, known, missed = collections.Counter(), collections.Counter(), []
    for entry in sorted(files, key=lambda entry: entry["file"]):
        folders = entry["file"].split("/")
        if folders[0] != "src":
            continue
        for line in entry["lines"]:
            if line.get("gcovr/noncode"):
                continue
            known[folders[1]] += 1
            run[folders[1]] += line["count"] > 0
            if line["count"] == 0 and folders[1] in LIBRARY:
                missed.append((entry["file"], line["line_number"]))
    low = []
    print(f"{'room':10} {'lines':>7} {'not run':>8} {'covered':>9}")
    for room in LIBRARY + sorted(set(known) - set(LIBRARY)):
        share = 100 * run[room] / known[room] if known[room] else 0
        note = "" if room in LIBRARY else "   (no limit)"
        if room in LIBRARY and share < limit:
            low.append(room)
            note = f"   below {limit:g} %"
        print(f"{room:10} {known[room]:7} {known[room] - run[room]:8} {share:7.2f} %{note}")
    if listing:
        for name, number in missed:
            with open(name, encoding="utf-8") as file:
                print(f"{name}:{number}: {file.read().splitlines()[number - 1].strip()}")
    return 1 if low else 0


sys.exit(main(sys.argv[1:]))
