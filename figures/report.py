"""The report: one file that needs nothing else, readable on a phone, in light and dark."""
import base64
import html
import os
import re

import figure
import papers

STYLE = """
:root { --paper: #fdfdfc; --text: #23282d; --soft: #5b646d; --line: #d9dde1; --card: #f4f5f5; --good: #1f7a44; --mid:
#9a6200; --bad: #a8323c;
        --link: #1b63b0 }
@media (prefers-color-scheme: dark) { :root { --paper: #16191c; --text: #e4e7ea; --soft: #a3acb5; --line: #343a41;
--card: #1f2428;
        --good: #6fcf97; --mid: #f0b64d; --bad: #f08b93; --link: #7db7f5 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--text); font: 16px/1.55 system-ui, -apple-system, "Segoe UI",
sans-serif }
main, header { max-width: 60rem; margin: 0 auto; padding: 0 1rem }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1.6rem 0 .4rem }
h2 { font-size: 1.35rem; margin: 3rem 0 .2rem; border-top: 2px solid var(--line); padding-top: 1.4rem }
h3 { font-size: 1.1rem; margin: 0 0 .3rem }
p { margin: .4rem 0 } p, li { overflow-wrap: anywhere } a { color: var(--link) }
article { border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 1.2rem 0; background:
var(--paper) }
.where { color: var(--soft); font-weight: 600; margin-right: .4rem }
.soft, figcaption, .by { color: var(--soft); font-size: .92rem }
.verdict { display: inline-block; font-weight: 700; border: 1.5px solid currentColor; border-radius: 1rem; padding: 0
.7rem; font-size: .85rem }
.reproduced { color: var(--good) } .with { color: var(--mid) } .not { color: var(--bad) }
figure { margin: .8rem 0; overflow: auto hidden } figure svg { width: 100%; height: auto; color: var(--text) }
@media (max-width: 34rem) { figure svg, figure img { min-width: 34rem } }
figure img { width: 100%; height: auto; border-radius: .4rem; background: #fff }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .9rem; margin: .5rem 0 }
th, td { text-align: left; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
overflow-wrap: anywhere }
.wide td, .wide th { overflow-wrap: normal }
ul { padding-left: 1.2rem; margin: .4rem 0 } li.no::marker { content: "✗ "; color: var(--bad) } li.yes::marker {
content: "✓ "; color: var(--good) }
details { margin: .4rem 0 } summary { cursor: pointer; color: var(--soft) }
pre { overflow-x: auto; background: var(--card); padding: .6rem; border-radius: .4rem; font-size: .82rem;
line-height: 1.4 }
nav table td { padding: .15rem .6rem .15rem 0 }
.chips a { display: inline-block; text-decoration: none; border-radius: .4rem; padding: .1rem .5rem; margin: .15rem
.1rem; border: 1px solid currentColor;
           font-size: .88rem }
"""

CLASS = {"reproduced": "reproduced", "with a difference": "with", "not reproduced": "not"}


def text(words):
    return html.escape(str(words), quote=False)


def svg(path):
    """An SVG of matplotlib, to be put into a page: ids made its own, ink in the page's colour of text."""
    with open(path, encoding="utf-8") as file:
        data = file.read()
    data = data[data.index("<svg"):]
    data = re.sub(r"<metadata>.*?</metadata>", "", data, flags=re.S)
    data = data.replace(figure.INK, "currentColor")
    data = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", data, count=1)
    data = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", data, count=1)
    own = "f" + figure.digest(path)[:6]
    data = re.sub(r'\bid="([^"]+)"', r'id="%s\1"' % own, data)
    data = re.sub(r'url\(#([^)]+)\)', r"url(#%s\1)" % own, data)
    data = re.sub(r'(xlink:)?href="#([^"]+)"', r'href="#%s\2"' % own, data)
    return data


def picture(identity, entry):
    path = os.path.join(figure.OUT, identity, entry["file"])
    if path.endswith(".svg"):
        body = svg(path)
    else:
        with open(path, "rb") as file:
            body = '<img loading="lazy" alt="%s" src="data:image/png;base64,%s">' % (
                html.escape(entry["caption"]), base64.b64encode(file.read()).decode())
    return "<figure>%s<figcaption>%s</figcaption></figure>" % (body, text(entry["caption"]))


def table(entry):
    head = "".join("<th>%s</th>" % text(c) for c in entry["header"])
    rows = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % text(c) for c in r) for r in entry["rows"])
    caption = '<p class="soft">%s</p>' % text(entry["caption"]) if entry["caption"] else ""
    return '<div class="wide"><table><tr>%s</tr>%s</table></div>%s' % (head, rows, caption)


def article(result):
    about, identity = result["about"], result["about"]["id"]
    out = ['<article id="%s">' % identity,
           '<h3><span class="where">%s</span>%s</h3>' % (text(papers.where(identity)), text(about["title"])),
           '<p><span class="verdict %s">%s</span></p>' % (CLASS[result["verdict"]], result["verdict"]),
           "<p><b>The claim.</b> %s</p>" % text(about["claim"])]
    if about.get("shows"):
        out.append('<p class="soft">%s</p>' % text(about["shows"]))
    if "error" in result:
        out.append("<p><b>It could not be made:</b> %s</p>" % text(result["error"]))
    out += [picture(identity, p) for p in result["pictures"]]
    out += [table(t) for t in result["tables"]]
    if result["checks"]:
        out.append("<p><b>Measured.</b></p><ul>")
        for check in result["checks"]:
            out.append('<li class="%s">%s%s</li>' % ("yes" if check["holds"] else "no", text(check["words"]),
                                                     "" if check["core"] else ' <span class="soft">(a detail)</span>'))
        out.append("</ul>")
    for words in result["differences"]:
        out.append("<p><b>A difference.</b> %s</p>" % text(words))
    for entry in result.get("firsts", []):
        out.append("<p><b>The first rule %s.</b> %s</p>" % ("held" if entry["holds"] else "did not hold",
                text(entry["words"])))
    for words in result["notes"]:
        out.append("<p>%s</p>" % text(words))
    out.append("<details><summary>Rule, settings, numbers, commands</summary>")
    out.append("<p><b>Rule of the verdict.</b> %s</p>" % text(about["rule"]))
    out += ["<p>%s</p>" % text(words) for words in result["settings"]]
    if result["numbers"]:
        out.append(table({"header": ["number", "value", "unit"], "caption": "",
                          "rows": [[n["key"] + (" (of this machine)" if n["noisy"] else ""), "%.6g" % n["value"],
                          n["unit"]]
                                   for n in result["numbers"]]}))
    out.append("<pre>make figures FIG=%s\n%s</pre></details></article>" % (identity,
            text("\n".join(result["commands"]))))
    return "\n".join(out)


def missing(entry):
    reason = papers.MISSING.get(entry, "It has not been made.")
    return ('<article id="%s"><h3><span class="where">%s</span></h3><p><span class="verdict not">not '
            'reproduced</span></p><p>%s</p></article>'
            % (entry, text(papers.where(entry)), text(reason)))


def chips(paper, by):
    out = []
    for name in paper["figures"]:
        entry = "%s-%s" % (paper["key"], name)
        verdict = by[entry]["verdict"] if entry in by else "not reproduced"
        words = papers.where(entry).replace("Figure ", "")
        out.append('<a class="%s" href="#%s" title="%s">%s</a>' % (CLASS[verdict], entry, verdict, text(words)))
    return "".join(out)


def errata():
    rows = "".join("<article><h3><span class='where'>%s</span>%s</h3><p><b>Printed.</b> %s</p><p><b>Right.</b> %s</p>"
                   "<p class='soft'>Evidence: %s</p></article>" % tuple(map(text, row)) for row in papers.ERRATA)
    return ("<h2 id='errata'>Errors in the papers</h2><p>Found while they were implemented. None of them changes what "
            "a paper is about; each "
            "costs a reader an afternoon.</p>" + rows)


def write(results, marks, path):
    by = {r["about"]["id"]: r for r in results}
    entries = papers.entries()
    verdicts = [by[e]["verdict"] if e in by else "not reproduced" for e in entries]
    counts = " · ".join('<span class="%s">%d %s</span>' % (CLASS[v], verdicts.count(v), v) for v in CLASS)
    out = ["<!doctype html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
            "content='width=device-width, initial-scale=1'>",
           "<meta name='color-scheme' content='light dark'><title>Verve: the papers' figures, "
            "regenerated</title><style>%s</style></head><body>" % STYLE,
           "<header><h1>The papers' figures, regenerated</h1>",
           "<p>Verve is a library for soft bodies that keep their energy. It contains the methods of five texts, and "
            "one command, "
           "<code>make figures</code>, measures what each of their figures claims. For every figure this page has the "
            "claim in a sentence, our plot or "
           "frames, what was measured, and a verdict. You need not have the papers at hand.</p>",
           "<p><b>How to read a verdict.</b> <span class='reproduced'>Reproduced</span>: everything that was measured "
            "agrees with the claim. "
           "<span class='with'>With a difference</span>: the claim holds, a detail does not, or our scene differs in "
            "a way that matters. "
           "<span class='not'>Not reproduced</span>: the claim did not hold here, or we could not make the figure; "
            "the reason stands there. A verdict is "
           "computed from the measured numbers by the rule that the entry states.</p>",
           "<p>%s, of %d entries.</p>" % (counts, len(entries)), "<nav class='chips'>"]
    for paper in papers.PAPERS:
        out.append("<p><a href='#%s' class='soft'><b>%s</b></a> %s</p>" % (paper["key"], text(paper["short"]),
                chips(paper, by)))
    out.append("<p><a href='#errata' class='soft'>Errors in the papers</a></p></nav>")
    size = "the long set" if any(r["full"] for r in results) else "the quick set"
    out.append("<p class='soft'>Made by %s (%s): %s.</p></header><main>" % (text(marks["command"]), size,
            text(marks["line"])))
    for paper in papers.PAPERS:
        out.append("<h2 id='%s'>%s</h2><p class='by'>%s</p><p>%s</p>" % (paper["key"], text(paper["name"]),
                text(paper["by"]), text(paper["about"])))
        for name in paper["figures"]:
            entry = "%s-%s" % (paper["key"], name)
            out.append(article(by[entry]) if entry in by else missing(entry))
    out.append(errata() + "</main></body></html>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out))
