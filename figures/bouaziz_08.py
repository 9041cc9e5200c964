"""Bouaziz 2014, Figure 8: example-based materials."""
import numpy as np

from figure import shipped, short

about = {
    "title": "Bodies that yield as examples show",
    "claim": "With examples, bodies deform on impact in the directions the artist drew.",
    "shows": "The paper has three cars; ours are three soft bars that fall on each other: one has a bent example, one "
        "a twisted one, one both.",
    "rule": "During the fall the bar with the twisted example twists at least 1.5 times as far as the same bar with "
        "the example taken away.",
}


def twist(points, axis=2):
    """Degrees between the ends of a bar along z, over time."""
    rest = points[0]
    low, high = rest[:, axis] < rest[:, axis].min() + 1e-6, rest[:, axis] > rest[:, axis].max() - 1e-6
    out = []
    for p in points:
        angles = []
        for end in (low, high):
            a, b = rest[end][:, :2] - rest[end][:, :2].mean(0), p[end][:, :2] - p[end][:, :2].mean(0)
            angles.append(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
        out.append(np.degrees(angles[1] - angles[0]))
    return np.abs(np.unwrap(out, period=360))


def make(f):
    scene = shipped("examples")
    plain = shipped("examples")
    for body in plain["bodies"]:
        body.pop("examples")
        for key in ("exampleStiffness", "exampleWeights"):
            body["material"].pop(key, None)
        body["material"]["young"] = 1e5
    with_them, without = f.run(scene), f.run(plain)
    a, b = twist(with_them.points("twisted")), twist(without.points("twisted"))
    figure, ax = f.axes(height=3)
    ax.plot(with_them["time"][: len(a)], a, label="with the twisted example")
    ax.plot(without["time"][: len(b)], b, label="without, as stiff")
    ax.set(xlabel="time, s", ylabel="twist of the second bar, degrees")
    ax.legend()
    f.save(figure, "twist", "Twist between the ends of the bar whose example is twisted.")
    f.render([with_them, without], "bars", "Frame 40: with examples (left) and without.", "--to", 40, "--columns", 2,
            "--size", "900x380", labels=["with examples", "without"])
    most = f.number("largest twist with the example", a.max(), "degrees"), f.number("largest twist without", b.max(),
            "degrees")
    f.check("Largest twist: %s° with the example, %s° without." % (short(most[0]), short(most[1])),
            most[0] > 1.5 * most[1])
    f.differs("Bars instead of cars.")
