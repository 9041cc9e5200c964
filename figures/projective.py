"""Rows of verve lab projective, for the figures of Bouaziz 2014."""


def rows(f, figure):
    """The rows of one figure; small bodies in the quick set, the paper's sizes with FULL=1."""
    words = ["projective", "--figure", figure] + ([] if f.full else ["--quick"])
    if not f.full:
        f.setting("Small bodies (verve lab projective --quick); FULL=1 takes the paper's sizes.")
    return [r for r in f.lab(*words) if r["figure"] == figure]


def curve(rows, case, unit=None):
    """iterations, value and seconds of a case."""
    mine = [r for r in rows if r["case"] == case and (unit is None or r["unit"] == unit)]
    return [r["iterations"] for r in mine], [r["value"] for r in mine], [r["seconds"] for r in mine]
