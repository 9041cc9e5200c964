#!/usr/bin/env python3
"""Modules of src/ include only modules to their right, through the headers that docs/architecture.md lists as interfaces;
lines of code have at most 120 columns.

    rooms.py SOURCE-DIR
"""
import pathlib
import re
import sys

COLUMNS = 120
BESIDE = {"lab": "tool"}  # stands where that one does, and may include it


def main(root):
    page = (root / "docs/architecture.md").read_text(encoding="utf-8")
    chain = re.search(r"^ {4}(tool ─▶ .*)$", page, re.M).group(1)
    rank = {room: i for i, group in enumerate(chain.split(" ─▶ ")) for room in group.split(", ")}
    doors = {m[1]: set(re.findall(r"`(\w+\.h)`", m[2])) for m in re.finditer(r"^\| `(\w+)` \| (`.*?`) \| ", page, re.M)}
    faults = []
    for source in sorted(root.glob("src/*/*.*")):
        room = source.parent.name
        at = rank[BESIDE.get(room, room)]
        for target, header in re.findall(r'#include "(\w+)/(\w+\.\w+)"', source.read_text(encoding="utf-8")):
            name = source.relative_to(root)
            if target == room or target not in doors:
                continue
            if rank[BESIDE.get(target, target)] <= at and BESIDE.get(room) != target:
                faults.append(f"{name} includes {target}/{header}, which is not to its right")
            if header not in doors[target]:
                faults.append(f"{name} includes {target}/{header}, which docs/architecture.md does not list as an interface")
    for source in sorted(file for folder in ("src", "include", "tests", "bench", "examples") for file in root.glob(f"{folder}/**/*.[chi]*")):
        for number, line in enumerate(source.read_text(encoding="utf-8", errors="replace").split("\n"), 1):
            if len(line) > COLUMNS and source.suffix in (".c", ".h", ".inc"):
                faults.append(f"{source.relative_to(root)}:{number} has {len(line)} columns, limit {COLUMNS}")
    for fault in faults:
        print("rooms:", fault)
    sys.exit(bool(faults) or len(doors) < 10)


main(pathlib.Path(sys.argv[1]).resolve())
