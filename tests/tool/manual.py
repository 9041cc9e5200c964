#!/usr/bin/env python3
"""Every C block of README.md and the manual (docs/*.md) compiles, and every link to a heading finds it.

    manual.py COMPILER SOURCE-DIR

```c FILE        an excerpt: stands in FILE as it is printed (indentation aside; a line "// ..." leaves lines out). FILE is
                 compiled by the build.
```c             with main(): a program. Otherwise declarations of a file that includes <verve/verve.h>; those of one page
                 are compiled together.
```c statements  the inside of a function, with `world`, `body`, `mesh` and `result` given, after the declarations of its page.
"""
import os
import re
import subprocess
import sys
import tempfile

FLAGS = ["-std=c17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-unused-parameter"]
HEAD = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <verve/verve.h>\n"


def blocks(page):
    """(first line, info words, text) of every fenced C block"""
    found, start, lines = [], None, []
    for number, line in enumerate(open(page, encoding="utf-8"), 1):
        if start is None and re.match(r"```c(\s|$)", line):
            start, words, lines = number, line.split()[1:], []
        elif start is not None and line.startswith("```"):
            found.append((start, words, "".join(lines)))
            start = None
        elif start is not None:
            lines.append(line)
    return found


def strip(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def is_excerpt(text, file):
    whole = "\n" + "\n".join(strip(open(file, encoding="utf-8").read())) + "\n"
    at = 0
    for piece in "\n".join(strip(text)).split("// ...\n"):
        at = whole.find("\n" + piece.rstrip("\n") + "\n", at)
        if at < 0:
            return False
    return True


def compile_text(compiler, source, text, where):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "block.c")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        run = subprocess.run([compiler, *FLAGS, "-I", os.path.join(source, "include"), path], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"manual: {where} does not compile\n{run.stderr}")


def check_page(compiler, source, page):
    declarations, functions, count = HEAD, "", 0
    name = os.path.relpath(page, source)
    for line, words, text in blocks(page):
        where = f"{name}:{line}"
        count += 1
        if words and words[0] == "statements":
            functions += (f"static void block{line}(vvWorldId world, vvSoftBodyId body, vvMesh *mesh, vvResult result)\n"
                          f"{{\n#line {line + 1} \"{name}\"\n{text}}}\n")
        elif words:
            if not is_excerpt(text, os.path.join(source, words[0])):
                sys.exit(f"manual: {where} differs from {words[0]}")
        elif "int main(" in text:
            compile_text(compiler, source, f"#line {line + 1} \"{name}\"\n{text}", where)
        else:
            declarations += f"#line {line + 1} \"{name}\"\n{text}"
    if declarations != HEAD or functions:
        compile_text(compiler, source, declarations + functions, name)
    return count


def check_anchors(page):
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]*)\)", open(page, encoding="utf-8").read()):
        file = os.path.join(os.path.dirname(page), target) if target else page
        titles = re.findall(r"^#+ (.*)$", open(file, encoding="utf-8").read(), re.M)
        if anchor.lower() not in [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]:
            sys.exit(f"manual: {page} links to {target}#{anchor}, which is no heading")


def main():
    compiler, source = sys.argv[1:3]
    docs = os.path.join(source, "docs")
    pages = [os.path.join(source, "README.md")]
    pages += sorted(os.path.join(docs, name) for name in os.listdir(docs) if name.endswith(".md"))
    for page in pages:
        check_anchors(page)
    count = sum(check_page(compiler, source, page) for page in pages)
    if count < 20:
        sys.exit(f"manual: only {count} blocks found")
    print(f"manual: {count} blocks of C")


main()
