"""Every example runs, and says what it found."""
import importlib.util
import os
import re
import subprocess
import sys

import pytest

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")
WORDS = {"compare": ["40"], "fit": ["64", "20"]}
SAYS = {"hello": r"total", "compare": r"backward-euler +after", "grab": r"work of the hand: 1\.\d+ J",
        "cloth": r"625 vertices", "fit": r"best fit 4\d\.\d kPa"}


NAMES = sorted(file[:-3] for file in os.listdir(FOLDER) if file.endswith(".py"))
SLOW = {"compare", "fit"}  # in make test-python


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] if name in SLOW else []) for name in NAMES])
def test_example(name, tmp_path):
    if name == "compare" and importlib.util.find_spec("matplotlib") is None:
        pytest.skip("matplotlib is missing")
    run = subprocess.run([sys.executable, os.path.join(FOLDER, name + ".py")] + WORDS.get(name, []), cwd=tmp_path,
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert re.search(SAYS[name], run.stdout), run.stdout
    for picture in re.findall(r"\w+\.png", run.stdout):
        assert os.path.getsize(tmp_path / picture) > 1000
