"""A ball on a spring, for the figures of Joubert's notes: a rope of one cell whose upper end is held."""


def scene(k=50.0, mass=1.0, length=1.0, step=0.02, frames=200, gravity=True, stretch=1.0, velocity=(0, 0, 0),
        damping=0.0):
    # a rope's mass is density x pi/4 thickness^2 x length, half of it at each end
    density = 2 * mass / (3.141592653589793 / 4 * 0.05 ** 2 * length)
    return {"verve": 1, "name": "ball on a spring", "timestep": step, "frames": frames, "gravity": [0, -9.81
            if gravity else 0, 0], "integrator": {},
            "bodies": [{"name": "spring", "mesh": {"shape": "rope", "size": length, "cells": 1},
                        "material": {"model": "spring", "density": density, "young": 1e5, "poisson": 0,
                        "thickness": 0.05, "springStiffness": {"structural": k}},
                        "deform": [{"where": {"vertices": [1]}, "move": [(stretch - 1) * length, 0, 0]}]
                        if stretch != 1 else [],
                        "velocity": list(velocity), "damping": {"spring": damping},
                        "pins": [{"where": {"vertices": [0]}}]}]}
