#!/usr/bin/env python3
"""Which tests cover a source file, by what they name.

  scripts/tests.py src/integrate/energy_control.c ...   the tests of these files, the closest first
  scripts/tests.py                                      of every file of src/, as a table
  scripts/tests.py --check                              fails where a file has none

A test covers a file when it has the file's name, names a function or table that the file defines, or chooses a method, model or
shape by the file's name. A file that no test names is covered by the tests of those that call it.
"""
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHOWN = 4
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
DEFINED = re.compile(r"^(?!static|typedef|extern|return|else)[A-Za-z_][\w *]*?\b(\w+)(?:\([^;{}]*\)\n\{|(?:\[[^\]]*\])? = )", re.M)
WORD = re.compile(r'"[a-z0-9-]+"|\b[A-Za-z_]\w{3,}\b')


def words(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".sh":
        return {f'"{word}"' for word in re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)+", text)}
    return set(WORD.findall(NOISE.sub("", text)))


def definitions(text):
    made = re.findall(r"^[A-Z_]+\((\w+), ", text, re.M)  # by a macro of the file, DAMPER(springDamper, ...)
    return set(DEFINED.findall(text)) | {name + "Kind" for name in made}


class Index:
    def __init__(self):
        self.sources = sorted(ROOT.glob("src/*/*.c"))
        self.tests = sorted(p for p in ROOT.glob("tests/*/*") if re.search(r"(_test|_soak)\.c$|\.sh$", p.name))
        self.named = {t: words(t) | self.shared(t) for t in self.tests}
        self.uses = {s: words(s) for s in self.sources}
        self.defines = {s: definitions(NOISE.sub("", s.read_text(encoding="utf-8"))) for s in self.sources}

    def shared(self, test):
        """what the headers beside a test name for it"""
        found = set()
        for name in re.findall(r'#include "(?:\w+/)?(\w+\.h)"', test.read_text(encoding="utf-8", errors="replace")):
            header = test.parent / name
            found |= words(header) if header.exists() else set()
        return found

    def weight(self, symbols, test):
        """a symbol that few tests name tells more"""
        hits = symbols & self.named[test]
        return sum(math.log(1 + len(self.tests) / sum(s in n for n in self.named.values())) for s in hits)

    def direct(self, source):
        stem, room = re.sub(r"_kernels$", "", source.stem), source.parent.name
        symbols = self.defines[source] | {f'"{stem.replace("_", "-")}"'}
        ranked = []
        for test in self.tests:
            name = re.sub(r"_(test|soak)$", "", test.stem)
            same = name == stem or (test.parent.name == room and name.startswith(stem + "_"))
            value = self.weight(symbols, test) + (100 if same and test.parent.name == room else 10 if same else 0)
            if value > 0:
                ranked.append((-value, str(test.relative_to(ROOT))))
        return [name for _, name in sorted(ranked)]

    def callers(self, source):
        twins = {source.with_name(source.name.replace("_kernels", "")), source.with_name(source.stem + "_kernels.c")}
        return [s for s in self.sources if s != source and (self.defines[source] & self.uses[s] or s in twins)]

    def tests_of(self, source):
        """by name, else those of its nearest callers that have some"""
        level, seen, found = [source], {source}, []
        while level and not found:
            for file in level:
                found += [t for t in self.direct(file) if t not in found]
            level = sorted({c for file in level for c in self.callers(file)} - seen)
            seen |= set(level)
        return found


def main(arguments):
    index = Index()
    chosen = [pathlib.Path(a).resolve() for a in arguments if a != "--check"] or index.sources
    bare = 0
    for source in chosen:
        if source not in index.uses:
            sys.exit(f"{source}: no source file of src/")
        tests = index.tests_of(source)
        bare += not tests
        if "--check" not in arguments:
            print(f"{source.relative_to(ROOT)}: {', '.join(tests[:SHOWN]) or 'none'}")
        elif not tests:
            print(f"{source.relative_to(ROOT)} has no test: name one after it, or let one name what it defines")
    sys.exit(bare > 0)


main(sys.argv[1:])
