"""What is refused, and how: bad arguments raise, and what was destroyed raises rather than crashes."""
import gc
import os

import numpy as np
import pytest

import verve


def test_errors_have_a_remedy(world):
    with pytest.raises(verve.BadInputError) as caught:
        world.step(-1)
    assert "-1" in caught.value.message and caught.value.remedy and caught.value.code == "bad input"
    assert isinstance(caught.value, ValueError)
    with pytest.raises(verve.BadInputError, match="small-midpoint"):
        verve.World(method="small-midpont")
    with pytest.raises(verve.FileError, match="swing"):
        verve.Scene("swign")
    with pytest.raises(OSError):
        verve.Mesh(file="/nowhere/at/all.obj")


@pytest.mark.parametrize("call", [
    lambda w, b: w.step("fast"),
    lambda w, b: setattr(w, "gravity", (1, 2)),
    lambda w, b: setattr(w, "gravity", "down"),
    lambda w, b: setattr(w, "method", 3),
    lambda w, b: setattr(w, "iterations", 2 ** 40),
    lambda w, b: b.pin([0.5]),
    lambda w, b: b.pin([[0]]),
    lambda w, b: b.pin([27]),
    lambda w, b: b.pin([-1]),
    lambda w, b: b.pin([2 ** 40]),
    lambda w, b: setattr(b, "positions", np.zeros((26, 3))),
    lambda w, b: setattr(b, "positions", np.full((27, 3), np.nan)),
    lambda w, b: setattr(b, "velocities", ["x"] * 27),
    lambda w, b: b.set_force(99, (0, 0, 1)),
    lambda w, b: b.set_forces(np.zeros((3, 3))),
    lambda w, b: b.set_element_stiffness([1.0]),
    lambda w, b: setattr(b, "material", {"yonug": 1}),
    lambda w, b: setattr(b, "material", 7),
    lambda w, b: w.create_soft_body(),
    lambda w, b: w.create_soft_body(mesh=7),
    lambda w, b: w.create_soft_body(mesh=b.mesh, vertex_mass=[1.0]),
    lambda w, b: w.create_soft_body(mesh=b.mesh, vertex_friction=np.ones(26)),
    lambda w, b: w.create_soft_body(mesh=b.mesh, element_stiffness=np.ones(3)),
    lambda w, b: w.create_soft_body(mesh=b.mesh, examples=[np.zeros((2, 3))]),
    lambda w, b: w.create_soft_body(mesh=b.mesh, model="rubbery"),
    lambda w, b: w.create_soft_body(mesh=b.mesh, name="a\0b"),
    lambda w, b: w.create_collider(shape=None),
    lambda w, b: w.create_joint(kind="weld"),
    lambda w, b: w.create_handle(body=w),
    lambda w, b: b.create_skin(positions=np.zeros((2, 3))),
    lambda w, b: b.create_muscle(groups=[0, 1]),
    lambda w, b: b.create_muscle(tets=[0, 1], groups=[0, 1, 0]),
    lambda w, b: b.create_constraint(vertices=[[0, 1]]),
    lambda w, b: verve.Mesh(points=[[0, 0, 0]], tets=[[0, 1, 2, 3]]),
    lambda w, b: verve.Mesh(points=[[0, 0]], triangles=[[0, 1, 2]]),
    lambda w, b: verve.Mesh.box((1, 1, 1), 0, 1, 1),
    lambda w, b: verve.Shape(kind="sphere", radius=-1),
    lambda w, b: verve.Shape(kind="convex", points=np.zeros((4, 2))),
    lambda w, b: verve.SoftBody(),
    lambda w, b: verve.World(gravtiy=(0, 0, 0)),
    lambda w, b: verve.World(threads=65),
    lambda w, b: w.restore(b"nonsense"),
    lambda w, b: w.picture(0, 10),
    lambda w, b: w.picture(10 ** 6, 10 ** 6),
    lambda w, b: w.picture(eye=(0, 0, 0), target=(0, 0, 0)),
    lambda w, b: w.picture(colouring="rainbow"),
    lambda w, b: verve.Scene(text="{"),
    lambda w, b: verve.Scene(text="{}", file="swing"),
    lambda w, b: verve.Scene(),
    lambda w, b: verve.Scene("swing", sets={"bodies.0.material.young": -1}),
    lambda w, b: verve.Worlds([]),
    lambda w, b: verve.Worlds([w, w]),
    lambda w, b: verve.Worlds([b]),
    lambda w, b: w.record("/proc/nowhere"),
])
def test_bad_arguments_raise_and_change_nothing(world, box, call):
    before = world.hash
    with pytest.raises((verve.VerveError, TypeError, ValueError, OverflowError)):
        call(world, box)
    assert world.hash == before and len(world) == 1
    world.step()


@pytest.mark.parametrize("fields", [{"vertex_mass": [1.0]}, {"vertex_mass": np.ones(28)}, {"vertex_friction": np.ones(26)},
                                    {"element_stiffness": np.ones(3)}, {"element_toughness": np.ones(3)},
                                    {"positions": np.zeros((26, 3))}])
def test_arrays_are_as_long_as_the_mesh_wants(world, box, fields):
    with pytest.raises(ValueError, match="must have") as caught:
        world.create_soft_body(mesh=box.mesh, **fields)
    assert not isinstance(caught.value, verve.VerveError)  # before the library reads beyond their end


def test_a_field_that_is_misspelt_is_named():
    with pytest.raises(TypeError, match="did you mean 'gravity'"):
        verve.World(gravty=(0, 0, 0))
    with pytest.raises(verve.BadInputError, match="did you mean 'hinge'"):
        verve.JointDef(kind="hing")


def test_what_was_destroyed_raises(world, box):
    handle = world.create_handle(body=box, vertices=(0, -1, -1), weights=(1, 0, 0))
    shape = verve.Shape(kind="sphere")
    collider = world.create_collider(shape=shape, position=(9, 9, 9))
    box.destroy()
    box.destroy()
    for call in (lambda: box.positions, lambda: box.mass, lambda: box.mesh, lambda: box.pin([0]), lambda: handle.force,
                 lambda: world.create_handle(body=box)):
        with pytest.raises(verve.DestroyedError):
            call()
    assert not box.is_valid and not handle.is_valid and collider.is_valid
    assert "destroyed" in repr(box)
    world.close()
    world.close()
    for call in (world.step, lambda: world.ledger, lambda: world.bodies, lambda: collider.pose, world.save, world.picture,
                 lambda: verve.Worlds([world]), lambda: world.record("x")):
        with pytest.raises(verve.DestroyedError):
            call()
    assert repr(world) == "<verve.World (closed)>"


def test_order_of_collection_does_not_matter(tmp_path):
    for order in range(6):
        world = verve.World()
        mesh = verve.Mesh.box((1, 1, 1), 1, 1, 1)
        body = world.create_soft_body(mesh=mesh)
        recorder = world.record(tmp_path, formats="obj")
        recorder.add()
        scene = verve.Scene("swing")
        played = scene.world()
        things = [world, mesh, body, recorder, scene, played]
        del world, mesh, body, recorder, scene, played
        while things:
            del things[order % len(things)]
            gc.collect()


def test_diverging_keeps_the_state():
    with verve.World(method="forward-euler", gravity=(0, 0, 0)) as world:
        body = world.create_soft_body(mesh=verve.Mesh.box((1, 1, 1), 1, 1, 1), spin=(0, 5, 0))
        with pytest.raises(verve.DivergedError) as caught:
            world.run(10000, 0.5)
        assert isinstance(caught.value, ArithmeticError) and np.isfinite(body.positions).all()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_errors_in_callbacks_do_not_end_the_process(world, box):
    calls = []

    def project(element, z):
        calls.append(element)
        raise RuntimeError("mine")

    box.create_constraint(vertices=[[0, 1]], corners=2, project=project)
    try:
        world.step()
    except verve.VerveError:
        pass
    assert calls and np.isfinite(box.positions).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork():
    with verve.World() as alone, verve.World(threads=2) as team:
        for world in (alone, team):
            world.create_soft_body(mesh=verve.Mesh.box((1, 1, 1), 2, 2, 2))
            world.step()
        child = os.fork()
        if child == 0:  # nothing of pytest is to run here
            code = 1
            try:
                alone.step()
                try:
                    team.step()
                except verve.DestroyedError as error:
                    code = 0 if "fork" in str(error) else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        team.step()
