"""A ball on a spring, for the figures of Joubert's notes: a particle on a spring whose other end is held."""


def scene(k=50.0, mass=1.0, length=1.0, step=0.02, frames=200, gravity=True, stretch=1.0, velocity=(0, 0, 0),
        damping=0.0, down=False):
    end = [0, -length, 0] if down else [length, 0, 0]
    return {"verve": 1, "name": "ball on a spring", "timestep": step, "frames": frames, "gravity": [0, -9.81
            if gravity else 0, 0], "integrator": {},
            "bodies": [{"name": "spring", "mesh": {"points": [[0, 0, 0], end], "springs": [[0, 1]]},
                        "material": {"model": "spring", "density": 1000, "young": 1e5, "poisson": 0,
                        "thickness": 0.12, "springStiffness": {"structural": k}},
                        "regions": [{"where": {"all": True}, "mass": mass}],
                        "deform": [{"where": {"vertices": [1]}, "move": [(stretch - 1) * c for c in end]}]
                        if stretch != 1 else [],
                        "velocity": list(velocity), "damping": {"spring": damping},
                        "pins": [{"where": {"vertices": [0]}}]}], "camera": {"eye": [0, 0, 5], "target": [0, 0, 0]}}
