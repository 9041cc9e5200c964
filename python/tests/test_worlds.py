"""Many worlds at once, threads, and memory over many lives."""
import gc
import resource
import threading
import time

import numpy as np
import pytest

import verve

MESH = verve.Mesh.box((1, 1, 1), 2, 2, 2)


def make(i, **fields):
    world = verve.World(**fields)
    world.create_soft_body(mesh=MESH, material={"density": 1000, "young": 1e5 * (1 + i), "poisson": 0.3}, spin=(i, 1, 0))
    world.add_plane(offset=-0.6)
    return world


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_bits_do_not_depend_on_threads(threads):
    alone = [make(i) for i in range(9)]
    for world in alone:
        world.run(10)
    with verve.Worlds([make(i) for i in range(9)], threads=threads) as worlds:
        first = worlds[0][0].positions
        worlds.step(steps=10)
        assert [world.hash for world in worlds] == [world.hash for world in alone]
        positions, ledgers = worlds.positions(), worlds.ledgers
        assert positions.shape == (9, 27, 3)
        for i, world in enumerate(alone):
            assert np.array_equal(positions[i], world[0].positions)
            assert ledgers["total"][i] == world.ledger.total
        assert np.array_equal(first, positions[0])  # a view follows here too
        assert worlds.positions(out=positions) is positions
        with pytest.raises(ValueError):
            worlds.positions(out=np.empty((9, 27, 2)))
        assert np.array_equal(worlds.velocities()[3], alone[3][0].velocities)


def test_one_that_fails_does_not_stop_the_others():
    worlds = verve.Worlds([make(i, method="forward-euler" if i == 1 else "backward-euler", gravity=(0, 0, 0)) for i in range(3)])
    with pytest.raises(verve.DivergedError) as caught:
        worlds.step(0.5, steps=300)
    assert caught.value.index == 1 and set(caught.value.errors) == {1}
    assert worlds[0].time == pytest.approx(150) and worlds[2].time == pytest.approx(150) and worlds[1].time < 150
    assert set(worlds.step(0.5, steps=300, failing="return")) == {1}
    worlds[1].close()
    with pytest.raises(verve.DestroyedError):
        worlds.step()


def test_reset():
    with verve.Worlds([make(i) for i in range(4)]) as worlds:
        with pytest.raises(verve.BadInputError):
            worlds.reset()
        worlds.step(steps=3)
        worlds.mark()
        marked = [world.hash for world in worlds]
        worlds.step(steps=3)
        worlds.reset([2])
        assert [world.hash == mark for world, mark in zip(worlds, marked)] == [False, False, True, False]
        worlds.reset()
        assert [world.hash for world in worlds] == marked


def test_forces_of_a_batch():
    forces = np.zeros((3, 27, 3))
    forces[1, :, 0] = 2.0
    with verve.Worlds([make(0, gravity=(0, 0, 0)) for _ in range(3)]) as worlds:
        worlds.set_forces(forces)
        worlds.step(0.1)
        momenta = worlds.ledgers["momentum"][:, 0]
        assert momenta == pytest.approx([0, 27 * 2.0 * 0.1, 0], abs=1e-9)
        for wrong in (forces[:2], forces[..., :2], np.full((3, 27, 3), np.nan)):
            with pytest.raises(ValueError):
                worlds.set_forces(wrong)
        worlds[2].create_soft_body(mesh=verve.Mesh.box((1, 1, 1), 1, 1, 1))
        with pytest.raises(IndexError):
            worlds.positions(body=1)


def test_scenes_in_a_batch():
    with verve.Worlds.of("swing", 3) as worlds, verve.Scene("swing").world() as alone:
        worlds.step(steps=2)
        alone.run(2)
        assert {world.hash for world in worlds} == {alone.hash}


def test_python_runs_while_worlds_step():
    """The lock is released: another thread counts on meanwhile"""
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    with verve.World() as world:
        world.create_soft_body(mesh=verve.Mesh.box((1, 1, 1), 8, 8, 8))
        thread = threading.Thread(target=count)
        thread.start()
        try:
            time.sleep(0.01)
            before = counted[0]
            verve.lib.vvWorld_Step(world._id(), 1 / 60)  # one call of C, with the first factorization
            during = counted[0] - before
        finally:
            stop.set()
            thread.join()
    assert during > 5


def test_two_threads_share_a_world():
    with make(1) as world:
        body, faults = world[0], []

        def use():
            try:
                for _ in range(40):
                    world.step(1e-3)
                    assert np.isfinite(body.positions).all()
            except BaseException as error:
                faults.append(error)

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not faults and world.statistics.step_count == 160


@pytest.mark.parametrize("lives", [500, pytest.param(10000, marks=pytest.mark.long)])
def test_nothing_leaks_over_many_lives(lives):
    mesh = verve.Mesh.box((1, 1, 1), 1, 1, 1)
    shape = verve.Shape(kind="plane")

    def live(times):
        for _ in range(times):
            with verve.World() as world:
                body = world.create_soft_body(mesh=mesh)
                world.create_collider(shape=shape)
                body.positions
                body.destroy()

    live(200)
    gc.collect()
    blocks, size = verve.memory_in_use()[1], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    live(lives)
    gc.collect()
    assert verve.memory_in_use()[1] == blocks
    # a leak of one block of 100 bytes in each of 10,000 lives would be a megabyte
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - size < 1000


def test_as_many_worlds_as_the_library_has():
    worlds = [verve.World() for _ in range(verve.MAX_WORLDS - len([w for w in gc.get_objects() if isinstance(w, verve.World) and w._is_open()]))]
    with pytest.raises(verve.LimitError):
        verve.World()
    del worlds
    gc.collect()
    verve.World().close()
