"""Grab a jelly by a point of its surface, pull it aside and let go: the force of the hand, and its work in the ledger."""
import numpy as np

import verve

with verve.World() as world:
    jelly = world.create_soft_body(mesh=verve.Mesh.box((0.2, 0.2, 0.2), 4, 4, 4), material=verve.Material.jelly(),
                                   position=(0, 0.1, 0), damping={"stiffness": 0.01})
    world.add_plane(friction=1.0)
    world.run(60)  # comes to rest

    # where a mouse would point: a ray from the eye through the scene
    hit = world.cast_ray((0, 0.15, 2), (0, 0, -1), np.inf)
    assert hit.body is jelly
    print(f"hit {jelly.name} at {hit.point.round(3)}, vertices {hit.vertices}")

    before = world.ledger.added
    with world.create_handle(body=jelly, vertices=hit.vertices, weights=hit.weights) as hand:
        for frame in range(60):
            hand.move_to(hit.point + (0.08 * frame / 60, 0.03 * frame / 60, 0.05 * frame / 60))
            world.step()
            if frame % 15 == 14:
                print(f"{world.time:4.2f} s: the hand pulls with {np.linalg.norm(hand.force):5.2f} N")
        world.picture(480, 360, colouring="strain").save("grab.png")
    print(f"work of the hand: {world.ledger.added - before:.4f} J")
    world.run(60)
    print(f"let go: {world.ledger.dissipated:.4f} J dissipated, a picture of the pull in grab.png")
