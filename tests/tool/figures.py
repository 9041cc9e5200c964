"""The kept numbers of make figures against what the documents say: figures.py <source-dir>

docs/figures/numbers.csv has the key numbers and verdicts of the quick set. Every entry of the papers' list has a verdict and a
driver that states claim and rule; the table of docs/figures.md is made from the verdicts.

Numbers in documents are compared both ways. docs/figures/quoted.csv says where a page quotes a kept number: it stands
there, to the digits that it is quoted with. docs/figures/sources.csv says where the other numbers of a page come from.
On README.md and docs/figures.md every number of the prose is in one of the two; on the other pages of the manual no
number of four digits and more is that of a figure without being quoted.
"""
import ast
import csv
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
source = sys.argv[1]
sys.path.insert(0, os.path.join(source, "figures"))
import papers  # noqa: E402

NUMBER = re.compile(r"(?<![A-Za-z_\d.])\d(?:[\d,.]*\d)?(?:e-?\d+)?")
WHOLE = ("README.md", "docs/figures.md")
faults = []


def read(name):
    with open(os.path.join(source, name), encoding="utf-8") as file:
        return file.read()


def rows(name):
    return list(csv.DictReader(read(name).splitlines()))


def prose(text):
    """The text without code, addresses of links and what is generated; all else stays at its place."""
    for pattern in (r"(?s)```.*?```", r"(?m)^    .*$", r"(?s)<!-- verdicts.*?<!-- end of verdicts -->",
                    r"(?s)<!--.*?-->", r"`[^`\n]*`", r"\]\([^)]*\)"):
        text = re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
    return text


def places(page, phrase):
    """Where a phrase stands; line breaks count as blanks."""
    pattern = r"\s+".join(re.escape(word) for word in phrase.split())
    return [m.span() for m in re.finditer(pattern, read(page))]


# ---- the list of the papers ------------------------------------------------------------------------------------------

numbers, verdicts = {}, {}
for row in rows("docs/figures/numbers.csv"):
    if row["number"]:
        numbers[row["figure"], row["number"]] = float(row["value"])
    else:
        verdicts[row["figure"]] = row["verdict"]

for entry in papers.entries():
    if entry not in verdicts:
        faults.append("%s has no verdict in docs/figures/numbers.csv" % entry)
    driver = "figures/%s.py" % entry.replace("-", "_")
    if not os.path.exists(os.path.join(source, driver)):
        if entry not in papers.MISSING:
            faults.append("%s has neither a driver nor a reason in papers.MISSING" % entry)
        continue
    about = next(ast.literal_eval(node.value) for node in ast.parse(read(driver)).body
                 if isinstance(node, ast.Assign) and node.targets[0].id == "about")
    for key in ("title", "claim", "rule"):
        if len(about.get(key, "")) < 10:
            faults.append("%s states no %s" % (driver, key))
for entry in verdicts:
    if entry not in papers.entries():
        faults.append("docs/figures/numbers.csv has %s, which is not in the list of papers.py" % entry)

page = read("docs/figures.md")
if papers.with_table(page, verdicts) != page:
    faults.append("the table of docs/figures.md is not that of docs/figures/numbers.csv; run figures/make.py --keep")

# ---- what pages quote, and where their other numbers come from -------------------------------------------------------

covered = {}  # page -> spans
quoted = rows("docs/figures/quoted.csv")
for row in quoted:
    value = numbers.get((row["figure"], row["number"]))
    if value is None:
        faults.append("quoted.csv names %s: %s, which is not in numbers.csv" % (row["figure"], row["number"]))
        continue
    text = row["sentence"].replace("{}", "%.*g" % (int(row["digits"]), value * float(row["factor"])))
    found = places(row["page"], text)
    if not found:
        faults.append("%s does not say '%s' (%s: %s)" % (row["page"], text, row["figure"], row["number"]))
    # the number alone, not what else is in the sentence
    before = len(" ".join(row["sentence"].split("{}")[0].split()))
    for start, end in found:
        covered.setdefault(row["page"], []).append((start + before - 2, end - len(row["sentence"].split("{}")[1]) + 2))

for row in rows("docs/figures/sources.csv"):
    found = places(row["page"], row["phrase"])
    covered.setdefault(row["page"], []).extend(found)
    if not found:
        faults.append("%s does not say '%s', which sources.csv has" % (row["page"], row["phrase"]))
    word, _, rest = row["source"].partition(" ")
    if word == "ctest":
        room, _, name = rest.partition("_")
        if not glob.glob(os.path.join(source, "tests", room, name + "_test.c")) and not glob.glob(
                os.path.join(source, "tests", room, name + ".c")):
            faults.append("sources.csv: there is no test %s" % rest)
    elif word == "page":
        if not os.path.exists(os.path.join(source, rest)):
            faults.append("sources.csv: there is no %s" % rest)
    elif word not in ("setting", "name", "make"):
        faults.append("sources.csv: '%s' is no source: ctest TEST, page FILE, make TARGET, setting or name" % row["source"])

for page in WHOLE:
    text = prose(read(page))
    for match in NUMBER.finditer(text):
        if not any(a <= match.start() and match.end() <= b for a, b in covered.get(page, [])):
            line = text.count("\n", 0, match.start()) + 1
            faults.append("%s:%d: %s is neither in quoted.csv nor in sources.csv of docs/figures" % (page, line,
                    match.group(0)))

# ---- numbers of figures that nobody lists ----------------------------------------------------------------------------


def forms(value):
    """What a page may write for it: four digits and more, also in percent and thousandths."""
    for factor in (1, 100, 1000):
        for digits in (4, 5, 6):
            text = ("%.*g" % (digits, abs(value) * factor))
            if "." in text and "e" not in text and len(text.replace(".", "").lstrip("0")) == digits:
                yield text


known = {}
for key, value in numbers.items():
    if abs(abs(value) - round(abs(value))) > 0.02 * abs(value):  # 0.998 and 2.001 are on every page
        for text in forms(value):
            known.setdefault(text, key)
for path in sorted(glob.glob(os.path.join(source, "docs", "*.md"))) + [os.path.join(source, "README.md")]:
    page = os.path.relpath(path, source)
    for match in NUMBER.finditer(prose(read(page))):
        if match.group(0) in known and not any(a <= match.start() and match.end() <= b for a, b in covered.get(page, [])):
            faults.append("%s says %s, which is %s: %s; list it in docs/figures/quoted.csv" % (
                (page, match.group(0)) + known[match.group(0)]))
if len(quoted) < 30:
    faults.append("only %d quoted numbers" % len(quoted))

for fault in faults:
    print("figures: " + fault, file=sys.stderr)
print("figures: %d entries, %d numbers, %d quoted" % (len(verdicts), len(numbers), len(quoted)))
sys.exit(1 if faults else 0)
