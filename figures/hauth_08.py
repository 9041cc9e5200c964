"""Hauth 2004, Figure 8: choosing a method."""
import advice
from figure import short

about = {
    "title": "Choosing a method",
    "claim": "Whether a problem is stiff and whether it is damped decide which method suits it: explicit methods for "
        "what is not stiff, Verlet for undamped motion below its limit, implicit methods for what is "
             "stiff and damped.",
    "shows": "Hauth's figure is a tree of questions. verve advise answers them by measuring a scene, tries the "
        "candidates on it and recommends the cheapest that is good enough.",
    "rule": "On each scene the words for Hauth's tree follow from the measured numbers, and the recommended method is "
        "one that the tree names for that case, or an implicit method that keeps energy.",
}
SCENES = ["swing", "plucked-bar", "stiff-beam", "hanging-cloth"]
FIT = {"explicit": ("symplectic-euler", "verlet", "rk4", "rk23", "rk45", "explicit-midpoint"),
        "kept": ("small-midpoint", "stabilized", "implicit-midpoint", "small-steps", "trapezoid", "newmark"),
       "damped": ("backward-euler", "bdf2", "linear-implicit-euler", "generalized-alpha")}


def make(f):
    rows, good = [], []
    for scene in SCENES:
        a = advice.trials(f, scene, 30, 8)
        named = a["advice"]["method"]
        rows.append([scene, short(a["stepTimesHighest"]), "yes" if a["stiff"] else "no", short(a["dampingRatio"]),
                a["figure8"], named])
        names = FIT["kept"] + FIT["explicit"] + (FIT["damped"] if a["stiff"] else ())
        good.append(named in names and a["stiff"] == (a["stepTimesHighest"] > 2))
        f.number("step times highest frequency, " + scene, a["stepTimesHighest"])
    f.table(["scene", "h ω of the stiffest motion", "stiff", "damping ratio", "where the tree ends",
            "recommended after trials"], rows)
    f.check("Stiff where h ω is above 2, the limit of explicit methods, in %d of %d scenes; every recommendation is "
            "of the branch." % (sum(good), len(good)), all(good))
    f.differs("Trials on the scene replace the last branches of the tree.")
