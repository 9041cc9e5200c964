"""256 worlds of 125 vertices from Python beside the same in C: CPU seconds in alternation, and the same bits."""
import os
import subprocess
import time

import numpy as np
import pytest

import verve

WORLDS, STEPS, THREADS, ROUNDS = 256, 12, 2, 4


def in_python():
    mesh = verve.Mesh.box((0.4, 0.1, 0.1), 4, 4, 4)
    assert mesh.vertex_count == 125
    held = np.flatnonzero(mesh.points[:, 0] < -0.199)

    def make(i):
        world = verve.World()
        world.create_soft_body(mesh=mesh, material={"density": 1000, "young": 2e4 * (1 + i), "poisson": 0.3, "loss": 0}).pin(held)
        return world

    with verve.Worlds([make(i) for i in range(WORLDS)], threads=THREADS) as worlds:
        worlds.step(steps=3)
        room = worlds.positions()
        start = time.process_time()
        for _ in range(STEPS):
            worlds.step()
            worlds.positions(out=room)  # what a learner would look at
        seconds = time.process_time() - start
        return seconds, sum(world.hash for world in worlds) & (2 ** 64 - 1)


@pytest.mark.long
def test_python_is_as_fast_as_c(tmp_path, capsys):
    stage = os.path.dirname(os.path.dirname(verve.__file__))
    here = os.path.dirname(os.path.abspath(__file__))
    libraries = os.path.join(stage, "verve", "lib")
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu17", "-O2", os.path.join(here, "batch.c"), "-I",
                    os.path.join(stage, "include"), "-L", libraries, "-lverve", "-pthread", "-Wl,-rpath," + libraries, "-o",
                    tmp_path / "batch"], check=True)
    ratios = []
    for _ in range(ROUNDS):
        said = subprocess.run([tmp_path / "batch", str(WORLDS), str(STEPS), str(THREADS)], check=True, capture_output=True,
                              text=True).stdout.split()
        seconds, hashes = in_python()
        assert int(said[1], 16) == hashes
        ratios.append(float(said[0]) / seconds)
    with capsys.disabled():
        print(f"\n{WORLDS} worlds of 125 vertices: speed of Python over C, by CPU time: "
              f"{', '.join(f'{ratio:.3f}' for ratio in ratios)}; median {np.median(ratios):.3f}")
    assert np.median(ratios) > 0.9
