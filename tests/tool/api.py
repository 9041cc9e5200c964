#!/usr/bin/env python3
"""docs/api.md is what scripts/api.py makes of the headers, has every public name, and nothing public is without a comment.
Headers and the definition of a world stay small.

    api.py SOURCE-DIR
"""
import os
import re
import subprocess
import sys
import tempfile

MOST_LINES = 300
MOST_FIELDS = 21  # of vvWorldDef
UMBRELLA = '// Head.\n#ifndef V\n#include <verve/thing.h> // things\n#endif\n'
THING = '''// Things.
#ifndef T
#ifdef __cplusplus
extern "C" {
#endif

#define VV_BARE 1

typedef struct vvBare vvBare;

typedef enum vvKind
{
    VV_KIND_SAID, // said
    VV_KIND_BARE,
} vvKind;

// Said.
typedef struct vvSaid
{
    int said; // said

    // Said of both.
    double first;
    double second;

    double bare[3];
    void (*bareCall)(int said);
} vvSaid;

// Said of both.
VV_API int vvSaid_First(void);
VV_API int vvSaid_Second(int a,
                         int b);

VV_API int vvSaid_Bare(void);

#ifdef __cplusplus
}
#endif
#endif
'''
BARE = ["constant VV_BARE", "type vvBare", "enum vvKind", "enum vvKind VV_KIND_BARE", "struct vvSaid bare",
        "struct vvSaid bareCall", "function vvSaid_Bare"]


def generate(source, include):
    return subprocess.run([sys.executable, "-B", os.path.join(source, "scripts", "api.py"), include], capture_output=True,
                          text=True, encoding="utf-8")


def check_generator(source):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "verve"))
        for name, text in (("verve.h", UMBRELLA), ("thing.h", THING)):
            with open(os.path.join(folder, "verve", name), "w", encoding="utf-8") as out:
                out.write(text)
        run = generate(source, folder)
    found = [line.removeprefix("api.py: ").removesuffix(" has no comment") for line in run.stderr.splitlines()]
    if run.returncode != 1 or sorted(found) != sorted(BARE):
        sys.exit(f"api: of declarations without a comment it found {found}")


def check_names(include, page):
    for name in sorted(os.listdir(include)):
        text = open(os.path.join(include, name), encoding="utf-8").read()
        code = re.sub(r"//.*|/\*.*?\*/|^#(?!define VV_\w+ \d).*", "", text, flags=re.M)
        for word in set(re.findall(r"\b(?:vv[A-Z]|VV_)\w+", code)) - {"VV_API"}:
            if not re.search(rf"\b{word}\b", page):
                sys.exit(f"api: docs/api.md does not have {word} of {name}")


def check_sizes(include):
    """A header is read in one sitting, and a newcomer meets few fields of a world."""
    for name in sorted(os.listdir(include)):
        text = open(os.path.join(include, name), encoding="utf-8").read()
        if text.count("\n") >= MOST_LINES:
            sys.exit(f"api: {name} has {text.count(chr(10))} lines, must be below {MOST_LINES}")
    text = open(os.path.join(include, "world.h"), encoding="utf-8").read()
    body = re.search(r"typedef struct vvWorldDef\n\{(.*?)\n\} vvWorldDef;", text, flags=re.S).group(1)
    fields = sum(line.count(",") + 1 for line in re.sub(r"//.*", "", body).split(";")[:-1])
    if not 10 < fields <= MOST_FIELDS:
        sys.exit(f"api: vvWorldDef has {fields} fields, at most {MOST_FIELDS}; settings of one method go to its own struct")


def main():
    source = sys.argv[1]
    check_generator(source)
    run = generate(source, os.path.join(source, "include"))
    if run.returncode != 0:
        sys.exit("api: " + run.stderr)
    page = open(os.path.join(source, "docs", "api.md"), encoding="utf-8").read()
    if page != run.stdout:
        sys.exit("api: docs/api.md is old: make docs")
    check_names(os.path.join(source, "include", "verve"), page)
    check_sizes(os.path.join(source, "include", "verve"))
    print("api: docs/api.md is what the headers say")


main()
