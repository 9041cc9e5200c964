"""The kept numbers of make figures against what the documents say: figures.py <source-dir>

docs/figures/numbers.csv has the key numbers and verdicts of the quick set. Every entry of the papers' list has a verdict and a
driver that states claim and rule; the table of docs/figures.md is made from the verdicts; every number that
docs/figures/quoted.csv says a page quotes stands there, to the digits that it is quoted with.
"""
import ast
import csv
import os
import sys

sys.dont_write_bytecode = True
source = sys.argv[1]
sys.path.insert(0, os.path.join(source, "figures"))
import papers  # noqa: E402

faults = []


def read(name):
    with open(os.path.join(source, name), encoding="utf-8") as file:
        return file.read()


def rows(name):
    return list(csv.DictReader(read(name).splitlines()))


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

quoted = rows("docs/figures/quoted.csv")
for row in quoted:
    value = numbers.get((row["figure"], row["number"]))
    if value is None:
        faults.append("quoted.csv names %s: %s, which is not in numbers.csv" % (row["figure"], row["number"]))
        continue
    text = row["sentence"].replace("{}", "%.*g" % (int(row["digits"]), value * float(row["factor"])))
    if text not in read(row["page"]):
        faults.append("%s does not say '%s' (%s: %s)" % (row["page"], text, row["figure"], row["number"]))
if len(quoted) < 8:
    faults.append("only %d quoted numbers" % len(quoted))

for fault in faults:
    print("figures: " + fault, file=sys.stderr)
print("figures: %d entries, %d numbers, %d quoted" % (len(verdicts), len(numbers), len(quoted)))
sys.exit(1 if faults else 0)
