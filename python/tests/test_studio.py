"""Scenes, records and pictures."""
import json
import os

import numpy as np
import pytest

import verve


def test_shipped_scenes_are_found():
    names = verve.scene_names()
    assert "swing" in names and names == sorted(names) and len(names) > 30
    assert os.path.exists(os.path.join(verve.scene_folder(), "swing.json"))
    assert json.loads(verve.scene_schema())["type"] == "object"


def test_scene_of_a_dict():
    scene = verve.Scene(text={"verve": 1, "timestep": 0.01, "frames": 3, "bodies": [
        {"name": "one", "mesh": {"shape": "box", "cells": [1, 1, 1]}}]}, sets=["integrator.method=verlet"])
    assert scene.method == "verlet" and scene.frames == 3 and json.loads(scene.text)["frames"] == 3
    with scene.world() as world:
        del scene
        world.step()
        assert world.time == pytest.approx(0.01) and world["one"].vertex_count == 8
        with pytest.raises(verve.BadInputError):
            world.step(0.5)


def test_record(tmp_path, world, box):
    with world.record(tmp_path / "out", formats="obj,pc2", ledger="ledger.csv") as recorder:
        recorder.add()
        for _ in world.frames(2):
            recorder.add()
        assert recorder.frame_count == 3
    with pytest.raises(verve.DestroyedError):
        recorder.add()
    files = sorted(os.listdir(tmp_path / "out"))
    assert "frames_000002.obj" in files and "frames.pc2" in files
    rows = open(tmp_path / "out/ledger.csv", encoding="utf-8").read().splitlines()
    assert len(rows) == 4
    # the last frame of the point cache: floats behind a head of 32 bytes
    points = np.frombuffer(open(tmp_path / "out/frames.pc2", "rb").read()[32:], "<f4").reshape(3, -1, 3)
    assert points[2, :, 1].mean() == pytest.approx(box.positions[np.unique(box.mesh.surface), 1].mean(), abs=1e-4)


def test_record_of_a_scene(tmp_path):
    with verve.Scene("swing").world() as world, world.record(tmp_path, formats="obj") as recorder:
        recorder.add()
    assert any(name.endswith(".obj") for name in os.listdir(tmp_path))


def test_pictures(tmp_path, world, box):
    picture = world.picture(120, 90, colours=[0xE02020])
    assert np.asarray(picture).shape == (90, 120, 4) and (picture.pixels[..., 3] == 255).all()
    red = picture.pixels[..., 0].astype(int) - picture.pixels[..., 1]
    assert (red > 60).sum() > 500
    png = world._repr_png_()
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and png == world.picture()._repr_png_()
    assert int.from_bytes(png[16:20], "big") == 640
    picture.save(tmp_path / "a.png")
    assert open(tmp_path / "a.png", "rb").read() == picture.png()
    before = world.picture(60, 45, colouring="speed", field_most=5).pixels
    world.run(20)
    assert (before != world.picture(60, 45, colouring="speed", field_most=5).pixels).any()


def test_what_does_not_move_is_seen(world, box):
    view = dict(eye=(2, 3, 6), target=(0, 0, 0))
    before = world.picture(60, 45, **view).pixels
    for add in (lambda: world.add_plane(offset=-1), lambda: world.create_collider(shape=verve.Shape(kind="sphere"), position=(1.5, 0, 0)),
                lambda: world.create_rigid_body(shape=verve.Shape(kind="box"), position=(-2, 0, 0))):
        add()
        after = world.picture(60, 45, **view).pixels
        assert (before != after).any(axis=2).sum() > 50
        before = after


def test_scene_camera():
    with verve.Scene("swing", sets={"camera": {"eye": [0, 0, 9], "target": [0, 0, 99]}}).world() as world:
        away = world.picture(60, 45).pixels
        seen = world.picture(60, 45, eye=(0, 0, 4), target=(0, 0, 0)).pixels
        assert len(np.unique(away.reshape(-1, 4), axis=0)) < len(np.unique(seen.reshape(-1, 4), axis=0))


def test_meshes(tmp_path):
    mesh = verve.Mesh.sphere(1, 3)
    mesh.write(tmp_path / "ball.msh")
    again = verve.Mesh(file=tmp_path / "ball.msh")
    assert np.array_equal(again.points, mesh.points) and np.array_equal(again.tets, mesh.tets)
    surface = verve.Mesh(points=mesh.points[np.unique(mesh.surface)], triangles=np.searchsorted(np.unique(mesh.surface), mesh.surface))
    solid = verve.Mesh.solid(points=surface.points, triangles=surface.surface, cells=6)
    assert solid.report.tet_count == solid.tet_count > 0 and solid.volume == pytest.approx(mesh.volume, rel=0.1)
    mended = verve.Mesh.repaired(points=surface.points, triangles=surface.surface[:-1])
    assert mended.report.closed_holes == 1
    embedding = verve.Embedding(mesh=mesh, points=[[0.1, 0.2, 0.05]])
    assert np.allclose(embedding.positions(2 * mesh.points), [[0.2, 0.4, 0.1]])


def test_cut(world):
    sheet = world.create_soft_body(mesh=verve.Mesh.sheet(1, 1, 4, 4), model="triangle")
    before = sheet.mesh
    sheet.cut(verve.Blade(before=[(-2, -1, 0.03), (-2, 1, 0.03)], after=[(2, -1, 0.03), (2, 1, 0.03)]))
    assert sheet.change_count == 1 and sheet.mesh.vertex_count > before.vertex_count
    world.step()
    assert sheet.positions.shape == (sheet.vertex_count, 3)


def test_rigid_bodies_and_joints(world):
    shape = verve.Shape(kind="box", size=(0.2, 0.2, 0.2))
    one = world.create_rigid_body(shapes=[{"shape": shape, "position": (0, 0.5, 0)}, {"shape": shape, "position": (0, -0.5, 0)}])
    assert one.mass == pytest.approx(2 * 0.2 ** 3 * 1000) and one.centre_of_mass == pytest.approx(np.zeros(3))
    definition = verve.JointDef(kind="hinge", body_b=one)
    definition.place((0, 0.5, 0), (0, 0, 1))
    joint = world.create_joint(definition)
    one.apply_angular_impulse((0, 0, 1))
    world.run(5)
    assert joint.definition.body_b is one and abs(joint.measure(3)) > 0.01
    assert one.inertia.shape == (3, 3)
    assert one.pose.rotation[0] < 1
