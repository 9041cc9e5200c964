"""The hanging cloth of Macklin 2019, Figures 5 and 6."""


def cloth(frames=180, cells=32):
    """33 x 33 particles, 1 kg together, springs of 1e7 N/m, two corners held; a frame of 1/60 s."""
    return {"verve": 1, "name": "stiff cloth", "timestep": 1 / 60, "frames": frames, "gravity": [0, -9.81, 0],
            "integrator": {"method": "small-steps"},
            "bodies": [{"name": "cloth", "mesh": {"shape": "sheet", "size": [1, 1], "cells": [cells, cells]},
                        "material": {"model": "spring", "density": 1000, "young": 1e6, "poisson": 0, "thickness": 0.001,
                                     "springStiffness": {"structural": 1e7, "shear": 1e7}},
                        "pins": [{"where": {"vertices": [0]}}, {"where": {"vertices": [cells]}}]}],
            "camera": {"eye": [1.2, 0.4, 2.6], "target": [0, -0.3, 0]}}


CASES = {"1 substep × 40 iterations": {"integrator": {"substeps": 1, "iterations": 40}},
        "40 substeps × 1 iteration": {"integrator": {"substeps": 40, "iterations": 1}}}
EXPLICIT = {"integrator": {"method": "symplectic-euler", "substeps": 40}}
