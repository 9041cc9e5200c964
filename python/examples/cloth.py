"""A cloth from numpy arrays, hung by two corners in the wind."""
import numpy as np

import verve

n = 24  # cells along a side
x, z = np.meshgrid(np.linspace(-0.5, 0.5, n + 1), np.linspace(0, 1, n + 1), indexing="ij")
points = np.stack([x, np.full_like(x, 1.0), z], axis=-1).reshape(-1, 3)
corner = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
a, b, c, d = corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]
triangles = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])

with verve.World(wind={"velocity": (0, 0, 3), "density": 1.2}) as world:
    cloth = world.create_soft_body(mesh=verve.Mesh(points=points, triangles=triangles), model="triangle",
                                   material=verve.Material.cotton())
    cloth.pin([corner[0, 0], corner[-1, 0]])
    for frame in world.frames(90):
        if frame % 30 == 29:
            lengths = np.linalg.norm(cloth.positions[cloth.mesh.edges[:, 0]] - cloth.positions[cloth.mesh.edges[:, 1]], axis=1)
            rest = np.linalg.norm(points[cloth.mesh.edges[:, 0]] - points[cloth.mesh.edges[:, 1]], axis=1)
            print(f"{world.time:4.2f} s: hangs down to {cloth.positions[:, 1].min():6.3f} m, "
                  f"threads stretch by up to {100 * (lengths / rest - 1).max():.2f} %")
    world.picture(480, 480).save("cloth.png")
    print(f"{len(points)} vertices, {len(triangles)} triangles; cloth.png")
