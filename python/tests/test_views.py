"""Arrays that show the memory of the library: whose memory it is, how long it lives."""
import gc

import numpy as np
import pytest

import verve


def address_of(array):
    return array.__array_interface__["data"][0]


def test_positions_are_the_memory_of_the_world(world, box):
    for name, call in (("positions", verve.lib.vvSoftBody_GetPositions), ("velocities", verve.lib.vvSoftBody_GetVelocities),
                       ("masses", verve.lib.vvSoftBody_GetMasses)):
        array = getattr(box, name)
        assert address_of(array) == int(verve.ffi.cast("uintptr_t", call(box._id()))), name
        assert np.shares_memory(array, getattr(box, name))
        with pytest.raises(ValueError):
            array[0] = 1


def test_views_follow_the_steps(world, box):
    positions, velocities = box.positions, box.velocities
    before = positions.copy()
    world.step(0.1)
    # free fall, whatever the method
    assert np.allclose(positions[:, 1] - before[:, 1], -0.5 * 9.81 * 0.1 ** 2, atol=1e-9)
    assert np.allclose(velocities[:, 1], -9.81 * 0.1, atol=1e-9)
    box.positions = before + (5, 0, 0)
    assert np.allclose(box.positions[:, 0], before[:, 0] + 5)
    assert np.allclose(positions, box.positions)


def test_views_outlive_what_they_show():
    mesh = verve.Mesh.box((1, 1, 1), 2, 2, 2)
    expected = mesh.points.copy()
    for end in ("close", "destroy", "collect", "cut"):
        world = verve.World(gravity=(0, 0, 0))
        body = world.create_soft_body(mesh=mesh)
        positions, masses = body.positions, body.masses
        if end == "close":
            world.close()
        elif end == "destroy":
            body.destroy()
        elif end == "cut":
            body.cut({"before": [[-2, 0.1, -2], [2, 0.1, -2]], "after": [[-2, 0.1, 2], [2, 0.1, 2]]})
            assert len(body.positions) > len(positions)
        if end == "collect":
            del world, body
            gc.collect()
        for _ in range(20):  # somebody else wants that memory
            with verve.World() as other:
                other.create_soft_body(mesh=mesh, position=(7, 7, 7)).positions
        assert np.array_equal(positions, expected), end
        assert masses.sum() > 0


def test_worlds_go_at_once_and_in_cycles():
    gc.collect()
    _, before = verve.memory_in_use()
    gc.disable()
    try:
        world = verve.World()
        world.create_soft_body(mesh=verve.Mesh.box((1, 1, 1), 1, 1, 1)).positions
        del world
        assert verve.memory_in_use()[1] == before
    finally:
        gc.enable()
    for _ in range(50):  # the collector finalises what is in a cycle in any order
        ring = [verve.World(), verve.Scene("swing").world()]
        ring += [ring, ring[0].create_soft_body(mesh=verve.Mesh.box((1, 1, 1), 1, 1, 1)).positions]
        ring[0].ring = ring[1].ring = ring
    del ring
    gc.collect()
    assert verve.memory_in_use()[1] == before


def test_memory_goes_with_the_last_view():
    gc.collect()
    _, before = verve.memory_in_use()
    world = verve.World()
    body = world.create_soft_body(mesh=verve.Mesh.box((1, 1, 1), 2, 2, 2))
    positions = body.positions
    half = positions[3:]
    world.close()
    del body, positions
    gc.collect()
    assert verve.memory_in_use()[1] > before  # the block that `half` shows
    del world, half
    gc.collect()
    assert verve.memory_in_use()[1] == before


def test_arrays_of_a_mesh_keep_it():
    points = verve.Mesh.box((2, 1, 1), 2, 2, 2).points
    gc.collect()
    assert np.isclose(points[:, 0].max(), 1) and not points.flags.writeable


def test_a_mesh_that_a_body_lends():
    world = verve.Scene("swing").world()
    mesh = world[0].mesh
    points = mesh.points
    definition = verve.SoftBodyDef(mesh=mesh)
    assert points.shape == (81, 3)
    world.close()
    for use in (lambda: mesh.points, lambda: verve.Embedding(mesh=mesh, points=[[0, 0, 0]]),
                lambda: verve.World().create_soft_body(definition)):
        with pytest.raises(verve.DestroyedError):
            use()
    assert np.isfinite(points).all()


def test_contacts_are_records_that_the_library_fills(world, box):
    world.add_plane(offset=-0.505)
    world.run(60)
    contacts = world.contacts
    assert len(contacts) > 0
    assert set(contacts["body"]) == {box.id}
    assert contacts["collider"][0] == world.colliders[0].id
    assert np.allclose(contacts["normal"], (0, 1, 0), atol=1e-6)
    # together they carry the weight
    assert contacts["force"][:, 1].sum() == pytest.approx(box.mass * 9.81, rel=0.5)
    kinds = world.contact_events["kind"]
    assert len(kinds) == 1 and kinds[0] == verve.ContactEventKind.STAY


def test_a_ledger_is_a_record(world, box):
    world.step()
    ledger = world.ledger
    assert ledger.record["total"] == ledger.total == pytest.approx(ledger.kinetic + ledger.elastic + ledger.gravity)
    assert np.array_equal(ledger.record["momentum"], ledger.momentum)
    ledger._c.total = 7
    assert ledger.record["total"] == 7


def test_fluid_views(world):
    fluid = world.create_fluid(spacing=0.1)
    assert fluid.positions.shape == (0, 3)
    fluid.add_box(((0, 0, 0), (0.5, 0.5, 0.5)), (0, 0, 0))
    positions = fluid.positions
    assert positions.shape == (125, 3) and len(set(fluid.ids)) == 125
    world.run(3)
    assert fluid.positions.mean(axis=0)[1] < 0.25
    fluid.destroy()
    assert np.isfinite(positions).all()
    points, triangles = world.create_fluid(spacing=0.1).surface
    assert points.shape == (0, 3) and triangles.shape == (0, 3)
