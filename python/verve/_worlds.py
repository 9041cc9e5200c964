"""Many worlds in one call."""
from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Iterator, Optional

import numpy
from numpy.typing import ArrayLike, NDArray

from ._core import BadInputError, VerveError, as_shape, check, dtype_of, error_of, ffi, lib, pointer
from ._extra import World

__all__ = ["Worlds"]


class Worlds:
    """A vector environment: worlds that step together, on several threads, with the lock of Python released.

    Worlds([make(i) for i in range(256)]) takes worlds that exist; Worlds.of("jelly-drop", 64) makes them of a scene. Each
    world is stepped by one thread, so that its bits are those of a world alone. Give the worlds threads=1, the default.
    """
    def __init__(self, worlds: Iterable[World], threads: Optional[int] = None) -> None:
        self.worlds = list(worlds)
        if not self.worlds:
            raise BadInputError("no worlds", "pass at least one")
        for world in self.worlds:
            if not isinstance(world, World):
                raise TypeError(f"must be worlds, not {type(world).__name__}")
        if len(set(map(id, self.worlds))) < len(self.worlds):
            raise BadInputError("the same world twice", "pass each world once")
        self.threads = threads or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else threads or 1
        if self.threads < 1:
            raise BadInputError(f"threads is {self.threads}", "pass 1 or more")
        count = len(self.worlds)
        self._ids = ffi.new("vvWorldId[]", count)
        self._scenes = ffi.new("vvSceneWorld *[]", count)
        self._results = ffi.new("vvResult[]", count)
        self._any_scene = False
        for i, world in enumerate(self.worlds):
            self._ids[i] = world._id()
            if world._handle.scene_world is not None:
                self._scenes[i] = world._handle.scene_world
                self._any_scene = True
        self._initial = None

    @classmethod
    def of(cls, scene: Any, count: int, threads: Optional[int] = None, **keywords: Any) -> Worlds:
        """`count` worlds of one scene"""
        from ._extra import Scene
        if not isinstance(scene, Scene):
            scene = Scene(scene, **keywords)
        return cls([scene.world() for _ in range(count)], threads)

    def __len__(self) -> int:
        return len(self.worlds)

    def __iter__(self) -> Iterator[World]:
        return iter(self.worlds)

    def __getitem__(self, index: int) -> World:
        return self.worlds[index]

    def __enter__(self) -> Worlds:
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        """Closes all worlds"""
        for world in self.worlds:
            world.close()

    def _hold(self):
        for world in self.worlds:
            world._guard.lock.acquire()

    def _release(self):
        for world in self.worlds:
            world._guard.lock.release()

    def step(self, dt: Optional[float] = None, steps: int = 1, failing: str = "raise") -> Dict[int, VerveError]:
        """Steps every world `steps` times by `dt` seconds, or by the first one's `timestep`; worlds of scenes take frames.
        A world that fails keeps its last good state and the others go on. failing="raise": the first error is raised,
        with `index` and all `errors` by index; "return": such a dict is returned, empty where all went well."""
        if failing not in ("raise", "return"):
            raise BadInputError(f"failing is {failing!r}", 'choose "raise" or "return"')
        if steps < 1:
            raise BadInputError(f"steps is {steps}", "pass 1 or more")
        if dt is None:
            dt = self.worlds[0].timestep
        self._hold()
        try:
            for world in self.worlds:
                world._open()
            lib.vvpyStepMany(self._ids, self._scenes if self._any_scene else ffi.NULL, len(self.worlds), dt, steps,
                             self.threads, self._results)
            for world in self.worlds:
                if world._views:
                    world._refresh()
        finally:
            self._release()
        ok = lib.VV_OK
        errors = {i: error_of(self._results[i]) for i in range(len(self.worlds)) if self._results[i].code != ok}
        if errors and failing == "raise":
            index, error = next(iter(errors.items()))
            error.index, error.errors = index, errors
            raise error
        return errors

    def mark(self) -> None:
        """What reset() goes back to: the present states"""
        self._initial = [world.save() for world in self.worlds]

    def reset(self, which: Optional[Iterable[int]] = None) -> None:
        """Back to the states of mark(), of all worlds or of those with these numbers"""
        if self._initial is None:
            raise BadInputError("there is nothing to go back to", "call mark() first")
        for i in range(len(self.worlds)) if which is None else which:
            self.worlds[i].restore(self._initial[i])

    def _bodies(self, body):
        """The body with this number of every world, as ids, and how many vertices each has"""
        bodies = [world.bodies[body] for world in self.worlds]
        counts = {one.vertex_count for one in bodies}
        if len(counts) > 1:
            raise BadInputError(f"bodies of {min(counts)} to {max(counts)} vertices", "ask world by world")
        return ffi.new("vvSoftBodyId[]", [one._id() for one in bodies]), counts.pop()

    def set_forces(self, forces: ArrayLike, body: int = 0) -> None:
        """Sets a constant force, N, on every vertex of a body of every world: worlds x vertices x 3"""
        ids, count = self._bodies(body)
        forces = as_shape("forces", forces, "float64", (len(self.worlds), count, 3))
        self._hold()
        try:
            check(lib.vvpyScatter(ids, len(self.worlds), pointer(forces), count))
        finally:
            self._release()

    def _gather(self, what, body, out):
        ids, count = self._bodies(body)
        shape = (len(self.worlds), count, 3)
        if out is None:
            out = numpy.empty(shape)
        if out.shape != shape or out.dtype != numpy.float64 or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError(f"out must be a contiguous float64 array of the shape {shape}")
        self._hold()
        try:
            if not lib.vvpyGather(ids, len(self.worlds), what, ffi.from_buffer("double[]", out), count):
                raise BadInputError("bodies of different sizes", "ask world by world")
        finally:
            self._release()
        return out

    def positions(self, body: int = 0, out: Optional[NDArray[numpy.float64]] = None) -> NDArray[numpy.float64]:
        """Positions of a body of every world: worlds x vertices x 3, copied into one array"""
        return self._gather(0, body, out)

    def velocities(self, body: int = 0, out: Optional[NDArray[numpy.float64]] = None) -> NDArray[numpy.float64]:
        """Velocities of a body of every world: worlds x vertices x 3, copied into one array"""
        return self._gather(1, body, out)

    @property
    def ledgers(self) -> NDArray[numpy.void]:
        """The ledgers of all worlds: an array of records with the fields of Ledger"""
        out = numpy.zeros(len(self.worlds), dtype_of("vvLedger"))
        self._hold()
        try:
            lib.vvpyLedgers(self._ids, len(self.worlds), ffi.cast("vvLedger *", out.ctypes.data))
        finally:
            self._release()
        return out
