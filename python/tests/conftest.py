import pytest

import verve


@pytest.fixture
def world():
    with verve.World() as made:
        yield made


@pytest.fixture
def box(world):
    return world.create_soft_body(mesh=verve.Mesh.box((1, 1, 1), 2, 2, 2), material=verve.Material.rubber(), name="box")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: for make test-python, not for make test")
