"""Scenes that several drivers start from, as dicts of the scene format."""


def cube(cells=4, young=1e4, spin=12.566, step=0.033, frames=3000):
    """The spinning cube of Dinev 2018, Figures 4 to 6: 1 m, 1000 kg/m^3, Poisson's ratio 0, no gravity. The paper gives neither
    stiffness nor spin; these make the midpoint rule run away within some thousand steps."""
    return {"verve": 1, "name": "spinning cube", "gravity": [0, 0, 0], "timestep": step, "frames": frames,
            "integrator": {"solver": "local-global", "iterations": 10, "modes": False},
            "bodies": [{"name": "cube", "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [cells] * 3},
                        "material": {"model": "corotated", "density": 1000, "young": young, "poisson": 0},
                        "spin": [0, 0, spin]}],
            "camera": {"eye": [1.5, 1.2, 3]}}
