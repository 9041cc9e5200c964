"""Drop a rubber box on the ground and watch where its energy is."""
import verve

with verve.World() as world:
    mesh = verve.Mesh.box((1, 1, 1), 4, 4, 4)
    box = world.create_soft_body(mesh=mesh, material=verve.Material.rubber(), position=(0, 2, 0))
    world.add_plane()

    positions = box.positions  # shows the world's memory: it follows the steps
    print(" time  lowest point  kinetic   elastic   gravity     total")
    for frame in world.frames(120):
        if frame % 20 == 0:
            energy = world.ledger
            print(f"{world.time:5.2f} {positions[:, 1].min():11.3f} m {energy.kinetic:8.1f} {energy.elastic:9.1f} "
                  f"{energy.gravity:9.1f} {energy.total:9.1f} J")
    world.picture(caption="hello").save("hello.png")
    print("a picture: hello.png; in a notebook, world shows itself")
