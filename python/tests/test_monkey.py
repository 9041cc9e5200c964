"""Random calls with random arguments, of things that live and things that do not: exceptions, no crash."""
import inspect
import random
import subprocess
import sys

import numpy as np
import pytest

import verve

VALUES = [None, 0, -1, 1, 3, 2 ** 31, 2 ** 70, 0.5, -1.0, float("nan"), float("inf"), "", "box", "small-steps", b"x", (), (1, 2, 3),
          (0, 1, 0), [0, 1, 2], [[0, 1, 2]], [[0, 1, 2, 3]], np.zeros((27, 3)), np.zeros((8, 3)), np.full((8, 3), np.nan),
          np.zeros(8), np.ones(0), {}, {"young": 1e5}, object(), True, lambda *a: 0]


def play(seed, calls):
    rng = random.Random(seed)
    mesh = verve.Mesh.box((1, 1, 1), 1, 1, 1)
    worlds, things, views = [verve.World(), verve.Scene("swing").world()], [], []
    for _ in range(calls):
        if rng.random() < 0.02 or not worlds:
            worlds.append(verve.World(method=rng.choice(verve.method_names()), soft_contact=True))
        world = rng.choice(worlds)
        if rng.random() < 0.1 and world._is_open() and len(things) < 40:
            makers = [lambda: world.create_soft_body(mesh=mesh, position=(rng.random(), rng.random(), 0)), world.add_plane,
                      lambda: world.create_rigid_body(shape=verve.Shape(kind="sphere")), lambda: world.create_fluid(spacing=0.2),
                      lambda: world.create_handle(body=rng.choice(things or worlds), vertices=(0, -1, -1))]
            try:
                things.append(rng.choice(makers)())
            except (verve.VerveError, TypeError):
                pass
        thing = rng.choice(things + worlds + [mesh])
        names = [name for name in dir(type(thing)) if not name.startswith("_") and name not in (
            "frames", "run", "record", "write", "restore_snapshot", "solid", "repaired", "picture", "advance")]
        name = rng.choice(names)
        part = inspect.getattr_static(type(thing), name)
        pick = [rng.choice(VALUES + things + worlds) for _ in range(3)]
        try:
            if isinstance(part, property):
                if part.fset and rng.random() < 0.4:
                    setattr(thing, name, pick[0])
                else:
                    value = getattr(thing, name)
                    if isinstance(value, np.ndarray) and len(views) < 50:
                        views.append(value)
            elif name in ("close", "destroy") and rng.random() < 0.8:
                pass
            else:
                count = len([p for p in inspect.signature(getattr(thing, name)).parameters.values() if p.default is p.empty
                             and p.kind == p.POSITIONAL_OR_KEYWORD])
                if name == "step":
                    getattr(thing, name)()
                else:
                    getattr(thing, name)(*pick[:count])
        except (verve.VerveError, TypeError, ValueError, OverflowError, ReferenceError, AttributeError, KeyError, IndexError,
                BufferError):
            pass
        if rng.random() < 0.05 and views:
            sum(float(np.sum(view)) for view in views if view.dtype.kind == "f")
            del views[rng.randrange(len(views))]
        if rng.random() < 0.01 and len(things) > 2:
            del things[rng.randrange(len(things))]
    return len(things)


@pytest.mark.parametrize("seed, calls", [(1, 800), (2, 800)] + [
    pytest.param(seed, 20000, marks=pytest.mark.long) for seed in range(3, 9)])
def test_random_calls(seed, calls):
    # in a process of its own, so that a crash is a failure of one test
    code = f"import sys; sys.path.insert(0, {__file__.rsplit('/', 1)[0]!r}); import test_monkey; test_monkey.play({seed}, {calls})"
    run = subprocess.run([sys.executable, "-W", "ignore", "-X", "faulthandler", "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
