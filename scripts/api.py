#!/usr/bin/env python3
"""Prints docs/api.md, the API reference, from the comments of the public headers. Run `make docs` to write it.

    api.py INCLUDE-DIR        exit 1 if a function, a type, a field or a value of an enum has no comment

What it knows of C is how our headers are written: a comment stands above a declaration, or behind it, and holds for all
declarations below it up to a blank line. "=====" rules off a section. An indented line of a comment is an entry of a list ("word",
two blanks, text; what belongs to it is indented further), or else a line of code.
"""
import os
import re
import sys

missing = []  # names without a comment


# ---- text ------------------------------------------------------------------------------------------------------------

def inline(text):
    """Markdown of a line of a comment: names of the API as code, pages as links"""
    out = []
    for piece in re.split(r"(`[^`]*`)", text):
        if not piece.startswith("`"):
            piece = re.sub(r"([*|<])", r"\\\1", piece)
            piece = re.sub(r"\b(vv[A-Z]\w*(?:\.\w+)?(?:\(\))?|VV_\w+|NULL)", r"`\1`", piece)
            piece = re.sub(r"\bdocs/([a-z-]+\.md)", r"[\1](\1)", piece)
        out.append(piece)
    return "".join(out)


def markdown(lines, indent=""):
    """Markdown of the lines of a comment: paragraphs, lists, code"""
    out, kind, depth = [], None, 0
    for line in lines:
        text = line.strip()
        blanks = len(line) - len(line.lstrip())
        entry = re.match(r"(\S.*?)  +(\S.*)$", text)
        if not text:
            kind = None
        elif blanks >= 2 and kind in ("entry", "code") and blanks > depth:
            out[-1] += " " + inline(text) if kind == "entry" else "\n" + indent + "    " + line[depth:]
        elif blanks >= 2 and entry:
            out += [""] if kind != "entry" and out else []
            word = entry.group(1)
            out.append("- " + (inline(word) if "`" in word else f"`{word}`") + " " + inline(entry.group(2)))
            kind, depth = "entry", blanks
        elif blanks >= 2:
            out += [""] if kind != "code" and out else []
            out.append("    " + line[blanks:])
            kind, depth = "code", blanks
        elif kind == "text":
            out[-1] += " " + inline(text)
        else:
            out += [""] if out else []
            out.append(inline(text))
            kind = "text"
    return [indent + line if line else "" for line in out]


# ---- declarations ----------------------------------------------------------------------------------------------------

class Item:
    """A declaration with the comment behind it, or a free comment (code None)"""
    def __init__(self, code, comment, names):
        self.code, self.comment, self.names = code, comment, names


def names_of(code):
    """The names that a declaration declares: of a function, a member or members, a value of an enum"""
    code = re.sub(r"/\*.*?\*/", "", code)
    callback = re.search(r"\(\*(\w+)\)", code)
    if callback:
        return [callback.group(1)]
    function = re.search(r"(\w+)\(", code)
    if function:
        return [function.group(1)]
    code = re.sub(r"\[[^\]]*\]|:\s*\d+|=.*", "", code).rstrip(";, ")
    return [re.search(r"(\w+)\s*$", piece).group(1) for piece in code.split(",")]


def split_comment(line):
    at = line.find("//")
    return (line.rstrip(), None) if at < 0 else (line[:at].rstrip(), line[at + 2:].removeprefix(" "))


def runs_of(lines, owner):
    """Runs of declarations without a blank line between them: (head comment, [Item])"""
    runs, head, items, pending = [], [], [], ""
    for line in lines + [""]:
        code, comment = split_comment(line)
        bare = code.strip()
        if not line.strip():
            if head or items:
                runs.append((head, items))
            head, items = [], []
        elif not bare and items and items[-1].comment and len(code) == 0 and line.index("//") > 4:
            items[-1].comment.append(comment)
        elif not bare:
            if items:
                runs.append((head, items))
                head, items = [], []
            head.append(comment)
        else:
            pending = (pending + " " + bare).strip()
            if pending.endswith(";") or owner.startswith("enum"):
                items.append(Item(pending.rstrip(";,"), [comment] if comment else [], names_of(pending)))
                pending = ""
    return runs


def groups_of(head, items, owner):
    """Declarations of a run that share a comment: (comment, [Item]), and the comment above all of them"""
    above, groups = [], []
    if head and items and (items[0].comment or owner == "function" and any(item.comment for item in items)):
        above = head
    elif head and items:
        groups.append((head, []))
    for item in items:
        if item.comment or not groups or groups[-1][1] and groups[-1][1][-1].comment:
            groups.append((item.comment, []))
        groups[-1][1].append(item)
    return above, groups


def print_runs(runs, owner):
    """Members or functions as a list"""
    out = []
    for head, items in runs:
        if not items:
            out += [""] + markdown(head) + [""]
            continue
        above, groups = groups_of(head, items, owner)
        if above:
            out += [""] + markdown(above) + [""]
        for comment, shared in groups:
            if not comment and not (above and owner == "function"):
                missing.extend(f"{owner} {name}" for item in shared for name in item.names)
            text = markdown(comment, "  ")
            code = ", ".join(f"`{item.code}`" for item in shared)
            first = " " + text[0].strip() if text and not text[0].strip().startswith("- ") else ""
            out.append(f"- {code}" + (":" + first if text else ""))
            out += text[1:] if first else text
    return out


# ---- headers ---------------------------------------------------------------------------------------------------------

def blocks_of(lines):
    """Pieces of a header between blank lines at file level; the inside of braces holds together"""
    block, depth = [], 0
    for line in lines + [""]:
        if line.strip() or depth > 0:
            block.append(line)
            depth += split_comment(line)[0].count("{") - split_comment(line)[0].count("}")
        elif block:
            yield block
            block = []


def print_type(kind, name, comment, body):
    if not comment and kind != "union":
        missing.append(f"{kind} {name}")
    out = ["", f"#### {name}", ""] + markdown(comment)
    if body is None:
        return out
    return out + [""] + print_runs(runs_of(body, f"{kind} {name}."), f"{kind} {name}")


def print_block(block):
    comment = []
    while block and block[0].startswith("//"):
        comment.append(split_comment(block[0])[1])
        block = block[1:]
    if comment and re.match(r"={9,}$", comment[0]):
        return ["", "### " + comment[1], ""] + markdown(comment[3:])
    rule = re.match(r"-{4} (.*?) -+$", comment[0]) if comment else None
    if rule:
        title = rule.group(1)
        return ["", "### " + title[0].upper() + title[1:], ""] + markdown(comment[1:])
    if not block:
        return [""] + markdown(comment) + [""]
    opened = re.match(r"typedef (struct|enum) (\w+)$", block[0])
    opaque = re.match(r"typedef struct (\w+) \1;(?: *// (.*))?$", block[0])
    if opened:
        end = next(i for i, line in enumerate(block) if line.startswith("}"))
        rest = block[end + 1:]
        return print_type(opened.group(1), opened.group(2), comment, block[2:end]) + (print_block(rest) if rest else [])
    if opaque:
        said = comment + ([opaque.group(2)] if opaque.group(2) else [])
        return print_type("type", opaque.group(1), said, None) + (print_block(block[1:]) if block[1:] else [])
    if block[0].startswith("#define"):
        out = markdown(comment) + [""] if comment else []
        for line in block:
            code, said = split_comment(line)
            _, name, value = code.split(None, 2)
            if not said and not comment:
                missing.append(f"constant {name}")
            out.append(f"- `{name}` {value}" + (": " + inline(said) if said else ""))
        return [""] + out
    block = [re.sub(r"^VV_API ", "", line) for line in block]
    return [""] + print_runs(runs_of(["// " + line for line in comment] + block, "function"), "function")


def print_header(path):
    lines = open(path, encoding="utf-8").read().splitlines()
    head = [split_comment(line)[1] for line in lines[:next(i for i, l in enumerate(lines) if not l.startswith("//"))]]
    out = ["", "## " + os.path.basename(path), ""] + markdown(head)
    begin = next(i for i, line in enumerate(lines) if line.startswith('extern "C" {')) + 2
    end = max(i for i, line in enumerate(lines) if line.startswith("#ifdef __cplusplus"))
    for block in blocks_of(lines[begin:end]):
        out += print_block(block)
    return out


def main():
    folder = os.path.join(sys.argv[1], "verve")
    umbrella = open(os.path.join(folder, "verve.h"), encoding="utf-8").read()
    order = re.findall(r"#include <verve/(\w+\.h)> +// (.*)", umbrella)
    if os.path.exists(os.path.join(folder, "studio.h")):
        order.append(("studio.h", "a library of its own, libverve-studio: scenes and pictures"))
    head = umbrella[:umbrella.index("#ifndef")].splitlines()
    out = ["<!-- Written by `make docs` from include/verve/*.h: change the comments there. -->", "# API reference", ""]
    out += markdown([split_comment(line)[1] for line in head]) + ["", "| header | what it has |", "| --- | --- |"]
    out += [f"| [{name}](#{name.replace('.', '')}) | {inline(said)} |" for name, said in order]
    left = {name for name in os.listdir(folder) if name.endswith(".h")} - {name for name, _ in order} - {"verve.h"}
    missing.extend(f"header {name}: verve.h does not include it with a comment" for name in sorted(left))
    for name, _ in order:
        out += print_header(os.path.join(folder, name))
    text = "\n".join(out) + "\n"
    sys.stdout.write(re.sub(r"\n{3,}", "\n\n", text))
    for name in missing:
        print(f"api.py: {name} has no comment", file=sys.stderr)
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
