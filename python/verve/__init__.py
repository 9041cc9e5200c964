"""Verve: real-time soft-body physics that keeps its energy.

    import verve

    with verve.World() as world:
        body = world.create_soft_body(mesh=verve.Mesh.box((1, 1, 1), 8, 8, 8), material=verve.Material.rubber())
        world.add_plane(offset=-2)
        for frame in world.frames(600):
            print(body.positions[:, 1].min(), world.ledger.total)

Names follow the C library: vvSoftBody_SetForce is SoftBody.set_force, fields of definitions are keywords, what vvWorld_GetX
returns is a property. `verve.lib` and `verve.ffi` are the library itself, by cffi.
"""
from ._api import *
from ._core import (BadInputError, DestroyedError, DivergedError, FileError, LimitError, OutOfMemoryError, VerveError, ffi,
                    lib, memory_in_use)
from ._extra import *
from ._worlds import *

__version__ = version()
