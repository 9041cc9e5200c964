"""The type stubs: a checker accepts the examples, and finds what is wrong."""
import os
import subprocess

import pytest

import verve

HERE = os.path.dirname(os.path.abspath(__file__))
WRONG = """import verve

world = verve.World(gravity=(0, 0, 0), method="verlet", wind={"density": 1.2})
body = world.create_soft_body(mesh=verve.Mesh.box((1, 1, 1), 2, 2, 2), material=verve.Material.rubber(), friction=0.5)
world.gravity = (0, -1, 0)
total: float = world.ledger.total
height: float = body.positions[0, 1]
verve.World(gravty=(0, 0, 0))  # wrong
body.pin_all()  # wrong
world.create_soft_body(mesh="box")  # wrong
count: str = body.vertex_count  # wrong
world.step("fast")  # wrong
verve.Worlds([body])  # wrong
"""


def check(*files):
    stage = os.path.dirname(os.path.dirname(verve.__file__))
    try:
        return subprocess.run(["mypy", "--ignore-missing-imports", "--cache-dir=/dev/null", "--python-executable", "/usr/bin/python3",
                               *files], env={**os.environ, "MYPYPATH": stage}, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("mypy is missing")


@pytest.mark.long
def test_a_checker_accepts_the_examples():
    folder = os.path.join(HERE, "..", "examples")
    run = check(*(os.path.join(folder, file) for file in sorted(os.listdir(folder)) if file.endswith(".py")))
    assert run.returncode == 0, run.stdout


@pytest.mark.long
def test_a_checker_finds_mistakes(tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(WRONG)
    said = check(file).stdout
    wrong = {i for i, line in enumerate(WRONG.splitlines(), 1) if line.endswith("# wrong")}
    assert {int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line} == wrong, said
