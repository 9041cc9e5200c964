"""The Python of README.md and docs/python.md runs, with fewer frames."""
import os
import re

import numpy
import pytest

import verve

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def blocks(page):
    return re.findall(r"```python\n(.*?)```", open(os.path.join(ROOT, page), encoding="utf-8").read(), re.S)


def make(young):
    world = verve.World()
    world.create_soft_body(mesh=verve.Mesh.box((1, 1, 1), 1, 1, 1), material={"density": 1000, "young": young, "poisson": 0.3})
    return world


@pytest.mark.parametrize("page, number", [(page, i) for page in ("README.md", "docs/python.md")
                                          for i in range(len(blocks(page)))])
def test_block(page, number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = blocks(page)[number]
    code = re.sub(r"frames\((\d+|world\.scene\.frames)\)", "frames(2)", code).replace("range(100)", "range(2)")
    exec(compile(code.replace("256", "3"), f"{page} {number}", "exec"), {"verve": verve, "numpy": numpy, "make": make, "forces": numpy.zeros((3, 8, 3))})


def test_there_are_blocks():
    assert len(blocks("README.md")) == 1 and len(blocks("docs/python.md")) == 3
