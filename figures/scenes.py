"""Scenes that several drivers start from, as dicts of the scene format."""


def cube(cells=4, young=1e4, spin=12.566, step=0.033, frames=3000):
    """The spinning cube of Dinev 2018, Figures 4 to 6: 1 m, 1000 kg/m^3, Poisson's ratio 0, no gravity. The paper
    gives neither
    stiffness nor spin; these make the midpoint rule run away within some thousand steps."""
    return {"verve": 1, "name": "spinning cube", "gravity": [0, 0, 0], "timestep": step, "frames": frames,
            "integrator": {"solver": "local-global", "iterations": 10, "modes": False},
            "bodies": [{"name": "cube", "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [cells] * 3},
                        "material": {"model": "corotated", "density": 1000, "young": young, "poisson": 0},
                        "spin": [0, 0, spin]}],
            "camera": {"eye": [1.5, 1.2, 3]}}


def bar(step=0.033, frames=300):
    """The hanging bar of Dinev 2018, Figure 8: 0.5 x 2 x 0.5 m, 540 tets, held at its upper face; its stiffness
    makes the first
    return come at frame 61, as in the paper."""
    return {"verve": 1, "name": "hanging bar", "timestep": step, "frames": frames,
            "integrator": {"solver": "local-global", "iterations": 10, "modes": False},
            "bodies": [{"name": "bar", "mesh": {"shape": "box", "size": [0.5, 2, 0.5], "cells": [3, 12, 3]},
                        "material": {"model": "corotated", "density": 1000, "young": 1.6e4, "poisson": 0},
                        "position": [0, -1, 0],
                        "pins": [{"where": {"box": [[-1, 0.99, -1], [1, 1.01, 1]]}, "stiffness": 1e6}]}],
            "camera": {"eye": [1.5, -1, 6], "target": [0, -1.2, 0]}}


def cactus(cells=3, young=1e5, damping=2.53, frames=300, step=0.033):
    """A cactus whose vertices start at random places of its box (Dinev 2018, Figure 7). Damping of 0.08 a step, as a
    rate."""
    return {"verve": 1, "name": "random cactus", "gravity": [0, 0, 0], "timestep": step, "frames": frames,
            "integrator": {"solver": "local-global", "iterations": 10, "modes": False},
            "bodies": [{"name": "cactus", "mesh": {"shape": "cactus", "size": 1, "cells": cells},
                        "material": {"model": "corotated", "density": 1000, "young": young, "poisson": 0},
                        "damping": {"rigidPreserving": damping},
                        "deform": [{"scatter": [[-0.3, -0.5, -0.3], [0.3, 0.5, 0.3]], "seed": 1}]}],
            "camera": {"eye": [0.4, 0.3, 2.8]}}


def shaken_cloth(cells=30, frames=180, step=1 / 30):
    """A cloth of springs that hangs from two corners, one of which is shaken for 1.5 s (Dinev 2018, Figure 10): 1 x
    1 m, 1 kg,
    1000 N/m, skip springs of 100 N/m."""
    shakes = [{"time": 0.15 * (i + 1), "move": [0, 0.04 * (-1) ** i, 0.04 * (-1) ** i]} for i in range(10)]
    return {"verve": 1, "name": "shaken cloth", "timestep": step, "frames": frames,
            "integrator": {"solver": "local-global", "iterations": 10},
            "bodies": [{"name": "cloth", "mesh": {"shape": "sheet", "size": [1, 1], "cells": [cells, cells],
            "skip": True},
                        "material": {"model": "spring", "density": 1000, "young": 1e5, "poisson": 0, "thickness": 0.001,
                                     "springStiffness": {"structural": 1000, "shear": 1000, "skip": 100}},
                        "position": [0, 1, 0],  # Algorithm 1 as printed needs a positive total energy
                        "pins": [{"where": {"vertices": [0]}},
                                 {"where": {"vertices": [cells]}, "keyframes": shakes + [{"time": 1.65, "move": [0, 0,
                                 0]}]}]}],
            "camera": {"eye": [1.5, 0.5, 3]}}


PRINTED = {"integrator": {"printed": True}}  # Algorithm 1 of Dinev 2018 as it is printed
