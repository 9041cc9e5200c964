"""What is written by hand: making and destroying, steps, meshes, records, scenes, pictures."""
from __future__ import annotations

import logging
import os
import weakref
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _api as api
from ._core import (SHARED, BadInputError, DestroyedError, Guard, Keeper, Thing, VerveError, as_array, as_pointer,
                    as_shape, as_struct, as_text, check, definition_of, dtype_of, error_of, ffi, lib, open_handles,
                    pointer, text, things, vector, wrap)

__all__ = ["Attachment", "Collider", "Constraint", "Embedding", "Fluid", "Handle", "Hinge", "Joint", "Mesh", "Picture",
           "Recorder", "RigidBody", "Scene", "SceneWorld", "Shape", "SoftBody", "World", "scene_folder", "scene_names",
           "scene_schema", "version"]

Path = Union[str, "os.PathLike[str]"]

log = logging.getLogger("verve")
_LEVELS = {lib.VV_LOG_DEBUG: logging.DEBUG, lib.VV_LOG_INFO: logging.INFO, lib.VV_LOG_WARNING: logging.WARNING}


@ffi.def_extern()
def vvpyLog(level, message, user_data):
    log.log(_LEVELS.get(level, logging.INFO), "%s", text(message))


def version() -> str:
    """"major.minor.patch" of the library"""
    return text(lib.vvGetVersion())


# ---- worlds ----------------------------------------------------------------------------------------------------------

class _Handle:
    """A world of the library, as long as the object in Python lives"""
    def __init__(self, keeper, id_, threads, scene_world=None):
        self.keeper, self.keeper_c, self.id, self.threads, self.scene_world = keeper, keeper.c, id_, threads, scene_world
        self.lost = None  # why it can no longer be used
        lib.vvpyRetainKeeper(keeper.c)  # the collector may take the keeper before the world
        open_handles.add(self)

    def close(self, why="was closed"):
        if self.lost is None:
            self.lost = why
            if self.scene_world is not None:
                lib.vvDestroySceneWorld(self.scene_world)
            else:
                lib.vvDestroyWorld(self.id)
            lib.vvpyReleaseKeeper(self.keeper_c)

    def __del__(self):
        if lib is not None:
            self.close()


def _forked():
    # threads of the parent are not in the child: a step of such a world would wait for them for ever
    for handle in list(open_handles):
        if handle.threads != 1:
            handle.lost = "was made before a fork, with threads that this process does not have"


os.register_at_fork(after_in_child=_forked)


class World(api.WorldBase):
    """A world: it holds bodies and colliders and advances them in time.

    The fields of WorldDef are keywords: World(gravity=(0, -9.81, 0), method="stabilized", threads=0). A world is a
    context manager, and closes at the end of it; its bodies are what it iterates over, and world["name"] is one of them.
    Messages go to the logger "verve" of the module logging.
    """
    def __init__(self, definition: Optional[api.WorldDef] = None, **fields: Any) -> None:
        definition = definition_of(api.WorldDef, definition, fields)
        keeper = Keeper()
        definition._c.allocator = keeper.allocator()
        definition._c.logger.write = lib.vvpyLog
        result = ffi.new("vvResult *")
        id_ = lib.vvCreateWorld(definition._c, result)
        check(result)
        self._begin(_Handle(keeper, id_, definition.threads), definition.timestep)

    def _begin(self, handle, timestep):
        self._handle, self._ref = handle, handle.id
        self._guard = Guard()
        self._things = weakref.WeakValueDictionary()
        self._views = weakref.WeakValueDictionary()
        self._meshes = {}
        self.timestep = timestep  # s, of a step() without a length
        self._initial = None

    @property
    def _world(self):  # not an attribute: worlds go at once, without the collector
        return self

    def _is_open(self):
        return self._handle.lost is None

    def _open(self):
        if self._handle.lost is not None:
            raise DestroyedError(f"the world {self._handle.lost}", "make another one")

    def _keeper(self):
        return self._handle.keeper.c

    def close(self) -> None:
        """Destroys the world and all that is in it. Arrays that show its memory stay readable."""
        with self._guard:
            self._handle.close()

    destroy = close

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> Iterator[SoftBody]:
        return iter(self.bodies)

    def __len__(self) -> int:
        return len(self.bodies)

    def __bool__(self):
        return True

    def __getitem__(self, name: Union[str, int]) -> SoftBody:
        """The body of a name, or of a number"""
        bodies = self.bodies
        if isinstance(name, int):
            return bodies[name]
        for body in bodies:
            if body.name == name:
                return body
        raise KeyError(name)

    # ---- time

    def _refresh(self):
        """Arrays that show positions and velocities show those of now"""
        for (name, id_), view in list(self._views.items()):
            noun = name[2:].split("_")[0]
            ref = getattr(lib, f"vvLoad{noun}Id")(id_)
            if getattr(lib, f"vv{noun}_IsValid")(ref):
                getattr(lib, name)(ref)

    def step(self, dt: Optional[float] = None) -> None:
        """Takes one step of `dt` seconds, or of `world.timestep`. The lock of Python is released meanwhile. Where it
        diverges, the world keeps the state before it."""
        with self._guard:
            check(lib.vvWorld_Step(self._id(), self.timestep if dt is None else dt))
            if self._views:
                self._refresh()

    def advance(self, seconds: float) -> None:
        """Adds `seconds` to a store of time and takes as many steps of the definition's `timestep` as it holds."""
        with self._guard:
            result = lib.vvWorld_Advance(self._id(), seconds)
            self._refresh()
            check(result)

    def frames(self, count: int, dt: Optional[float] = None) -> Iterator[int]:
        """Steps `count` times and yields the number of each step afterwards"""
        for frame in range(count):
            self.step(dt)
            yield frame

    def run(self, count: int, dt: Optional[float] = None) -> None:
        """Steps `count` times"""
        for _ in self.frames(count, dt):
            pass

    def save(self) -> bytes:
        """The state as bytes, from which a run continues with the same bits"""
        with self._guard:
            size = lib.vvWorld_GetStateSize(self._id())
            state = bytearray(size)
            check(lib.vvWorld_SaveState(self._id(), ffi.from_buffer(state), size))
            return bytes(state)

    def restore(self, state: bytes) -> None:
        """Puts a state back that `save` returned, of this world or one that was made alike"""
        with self._guard:
            check(lib.vvWorld_RestoreState(self._id(), ffi.from_buffer(state), len(state)))
            self._refresh()

    def restore_snapshot(self, file: Path) -> int:
        """Puts the saved state of a record's snapshot back; returns the frame that it belongs to"""
        with self._guard:
            frame = ffi.new("int *")
            check(lib.vvRestoreSnapshot(self._id(), as_text("file", file), frame))
            self._refresh()
            return frame[0]

    # ---- what is in it

    def create_soft_body(self, definition: Optional[api.SoftBodyDef] = None, *,
                         examples: Optional[Sequence[ArrayLike]] = None, **fields: Any) -> SoftBody:
        """Makes a body. The fields of SoftBodyDef are keywords; `mesh` is required. `examples`: arrays of positions,
        shapes in which the body is at rest too."""
        with self._guard:
            definition = definition_of(api.SoftBodyDef, definition, fields)
            mesh = definition.mesh
            if mesh is None:
                raise BadInputError("mesh is missing", "pass mesh=verve.Mesh.box(...)")
            definition._c.mesh = mesh._pointer()  # it may have been lent by a body that is gone
            definition._check(self)
            if examples is not None:
                shape = (mesh.vertex_count, 3)
                kept = [as_shape("examples", example, "float64", shape) for example in examples]
                pointers = ffi.new("const double *[]", [pointer(array) for array in kept])
                definition._keep["examples"] = (kept, pointers)
                definition._c.examples, definition._c.exampleCount = pointers, len(kept)
            result = ffi.new("vvResult *")
            made = lib.vvCreateSoftBody(self._id(), definition._c, result)
            check(result)
            body = wrap(self, "SoftBody", made)
            self._meshes[body.id] = mesh
            return body

    def create_rigid_body(self, definition: Optional[api.RigidBodyDef] = None, *,
                          shapes: Optional[Iterable[Union[api.RigidShape, dict]]] = None, **fields: Any) -> RigidBody:
        """Makes a rigid body. The fields of RigidBodyDef are keywords. `shapes`: RigidShapes, or dicts of their fields,
        for bodies of several shapes."""
        with self._guard:
            definition = definition_of(api.RigidBodyDef, definition, fields)
            if shapes is not None:
                parts = [part if isinstance(part, api.RigidShape) else api.RigidShape(**part) for part in shapes]
                array = ffi.new("vvRigidShape[]", len(parts))
                for i, part in enumerate(parts):
                    array[i] = part._c[0]
                definition._keep["shapes"] = (parts, array)
                definition._c.shapes, definition._c.shapeCount = array, len(parts)
            result = ffi.new("vvResult *")
            made = lib.vvCreateRigidBody(self._id(), definition._c, result)
            check(result)
            return wrap(self, "RigidBody", made)

    def create_bonds(self, definition: Optional[api.BondDef] = None, **fields: Any) -> List[Attachment]:
        """Holds every vertex of one body near another where it is; returns the attachments."""
        with self._guard:
            definition = definition_of(api.BondDef, definition, fields)
            room = definition.body_a.vertex_count if definition.body_a is not None else 0
            ids, result = ffi.new("vvAttachmentId[]", max(room, 1)), ffi.new("vvResult *")
            count = lib.vvCreateBonds(self._id(), definition._c, ids, room, result)
            check(result)
            return [wrap(self, "Attachment", ffi.new("vvAttachmentId *", ids[i])[0]) for i in range(count)]

    def add_plane(self, normal: ArrayLike = (0, 1, 0), offset: float = 0.0, **fields: Any) -> Collider:
        """A plane as a collider, the ground by default; other keywords are fields of ColliderDef."""
        return self.create_collider(shape=Shape(kind="plane", normal=normal, offset=offset), **fields)

    def record(self, folder: Path, formats: Optional[str] = "pc2", **fields: Any) -> Recorder:
        """A recorder that writes frames of this world into a folder. Other keywords are fields of RecorderDef."""
        return Recorder(self, folder=folder, formats=formats or "", **fields)

    # ---- pictures

    def picture(self, width: int = 640, height: int = 480, *, eye: Optional[ArrayLike] = None,
                target: Optional[ArrayLike] = None, field_of_view: Optional[float] = None, **fields: Any) -> Picture:
        """A picture of the present state: light, shadow, no display needed. Without `eye` and `target` all that moves is
        seen. Other keywords are fields of PictureDef: colouring="strain", colours=[0xE05020], caption="..." ..."""
        definition = api.PictureDef(width=width, height=height, **fields)
        if field_of_view is not None:
            definition.camera.field_of_view = field_of_view
        for name, place in (("eye", eye), ("target", target)):
            if place is not None:
                setattr(definition.camera, name, place)
                setattr(definition, "has_" + name, True)
        if not (0 < width <= 16384 and 0 < height <= 16384 and width * height <= 1 << 25):
            raise BadInputError(f"a picture of {width} x {height} pixels", "sides from 1 to 16384, at most 2^25 together")
        definition._c.allocator = SHARED.allocator()
        pixels = numpy.empty((height, width, 4), "uint8")
        with self._guard:
            check(lib.vvWorld_Paint(self._id(), definition._c, ffi.from_buffer(pixels), pixels.nbytes))
        return Picture(pixels)

    def _repr_png_(self):
        return self.picture()._repr_png_()

    def __repr__(self):
        if not self._is_open():
            return "<verve.World (closed)>"
        counts = self.statistics
        return (f"<verve.World: {counts.body_count} bodies, {counts.vertex_count} vertices, {self.method}, "
                f"{self.time:.3f} s>")


class Picture:
    """Pixels of a picture, `pixels`: height x width x 4 bytes. A notebook shows it."""
    def __init__(self, pixels: NDArray[numpy.uint8]) -> None:
        self.pixels = pixels

    def png(self) -> bytes:
        """The bytes of a PNG file"""
        size, result = ffi.new("size_t *"), ffi.new("vvResult *")
        height, width = self.pixels.shape[:2]
        data = lib.vvCreatePng(ffi.from_buffer(self.pixels), width, height, size, result)
        check(result)
        try:
            return bytes(ffi.buffer(data, size[0]))
        finally:
            lib.vvDestroyPng(data)

    def save(self, file: Path) -> None:
        """Writes a PNG file"""
        with open(file, "wb") as out:
            out.write(self.png())

    _repr_png_ = png

    def __array__(self, dtype=None):
        return self.pixels if dtype is None else self.pixels.astype(dtype)

    def __repr__(self):
        return f"<verve.Picture {self.pixels.shape[1]} x {self.pixels.shape[0]}>"


# ---- what is in a world ----------------------------------------------------------------------------------------------

class SoftBody(api.SoftBodyBase):
    """A soft body. `positions` and `velocities` are arrays that show the world's memory: they follow its steps, and stay
    readable when the body is gone. Assigning to them teleports the body."""
    @property
    def mesh(self) -> Mesh:
        """Its mesh; of a body that was cut or torn, the one that it has now"""
        with self._lock():
            mesh = self._world._meshes.get(self.id)
            address = lib.vvSoftBody_GetMesh(self._id())
            if mesh is not None and mesh._p == address:
                return mesh
            return Mesh._adopt(ffi.cast("vvMesh *", address), lender=self)

    def _cell_count(self):
        mesh = self.mesh
        return mesh.tet_count or mesh.surface_count or mesh.edge_count

    def _element_count(self):
        mesh, model = self.mesh, self.model
        if model in ("triangle", "woven", "triangle-curve"):
            return mesh.surface_count
        return mesh.edge_count if model in ("spring", "squared-spring", "curve", "membrane") else mesh.tet_count

    @property
    def element_forces(self) -> NDArray[numpy.float64]:
        """small-steps: the forces of springs, tets or triangles in the last substep; vvSoftBody_CopyElementForces"""
        with self._lock():
            mesh, model = self.mesh, self.model
            columns = 1 if model in ("spring", "squared-spring", "curve", "membrane") else 3 if model in ("triangle", "woven", "triangle-curve") else 6
            count = self._element_count()
            room = numpy.zeros(max(6 * mesh.tet_count, 3 * mesh.surface_count, mesh.edge_count))
            check(lib.vvSoftBody_CopyElementForces(self._id(), pointer(room)))
            return room[:count * columns].reshape((count, columns) if columns > 1 else count)

    def render_positions(self, interpolation: float = 1.0) -> NDArray[numpy.float32]:
        """Positions as floats; `interpolation` 1 is the present state, 0 the one before the last step"""
        with self._lock():
            out = numpy.empty((self.vertex_count, 3), "float32")
            check(lib.vvSoftBody_CopyPositions(self._id(), interpolation, ffi.from_buffer("float[]", out), 12))
            return out

    @property
    def normals(self) -> NDArray[numpy.float32]:
        """Normals of the surface as floats, weighted by area; 0 at inner vertices"""
        with self._lock():
            out = numpy.empty((self.vertex_count, 3), "float32")
            check(lib.vvSoftBody_CopyNormals(self._id(), ffi.from_buffer("float[]", out), 12))
            return out

    def set_forces(self, forces: ArrayLike) -> None:
        """Sets a constant force, N, on every vertex: vertex_count x 3"""
        with self._lock():
            forces = as_shape("forces", forces, "float64", (self.vertex_count, 3))
            check(lib.vvpySetForces(self._id(), pointer(forces), len(forces)))

    def split(self, facets: ArrayLike) -> None:
        """Opens the body along facets of its mesh: count x 3 faces of a solid, count x 2 edges of a sheet, points of a
        rope"""
        with self._lock():
            mesh = self.mesh
            columns = 3 if mesh.tet_count else 2 if mesh.surface_count else 1
            facets, count = as_array("facets", facets, "int32", columns)
            check(lib.vvSoftBody_Split(self._id(), pointer(facets), count))

    def create_muscle(self, definition: Optional[api.MuscleDef] = None, **fields: Any) -> Constraint:
        definition = definition_of(api.MuscleDef, definition, fields)
        if definition.tets is None:  # then these are of all tets
            for name in ("groups", "directions"):
                array = getattr(definition, name)
                if array is not None and len(array) != self.mesh.tet_count:
                    raise ValueError(f"{name} has {len(array)} rows, must have {self.mesh.tet_count}")
        return super().create_muscle(definition)

    create_muscle.__doc__ = api.SoftBodyBase.create_muscle.__doc__

    def create_constraint(self, definition: Optional[api.ConstraintDef] = None, *,
                          project: Optional[Callable] = None, function: Optional[Callable] = None,
                          **fields: Any) -> Constraint:
        """Makes constraints of your own. The fields of ConstraintDef are keywords. Either project(element, z) returns the
        point of the set nearest to z (rows x 3), or function(element, x) returns C(x) and its gradient (corners x 3).
        They are called in every iteration: this is for trying out an idea."""
        if (project is None) == (function is None):
            raise BadInputError("a constraint needs project or function", "pass one of them")
        definition = definition_of(api.ConstraintDef, definition, fields)
        corners = definition.corners
        rows = definition.rows or corners

        def seen(at, count):
            return numpy.frombuffer(ffi.buffer(at, 24 * count), "float64").reshape(count, 3)

        if project is not None:
            @ffi.callback("void(void *, int, const double *, double *)")
            def call(_, element, z, p):
                seen(p, rows)[...] = project(element, seen(z, rows))
            definition._c.project = call
        else:
            @ffi.callback("double(void *, int, const double *, double *)")
            def call(_, element, x, gradient):
                value, slope = function(element, seen(x, corners))
                seen(gradient, corners)[...] = slope
                return value
            definition._c.function = call
        made = self._create("Constraint", lib.vvCreateConstraint, api.ConstraintDef, definition, {})
        made._calls = call
        self._world._meshes[("constraint", made.id)] = call  # lives as long as the world
        return made

    def embedded(self, embedding: Embedding, interpolation: float = 1.0) -> NDArray[numpy.float32]:
        """Positions of an embedding's points for this body, as floats"""
        with self._lock():
            out = numpy.empty((embedding.point_count, 3), "float32")
            target = ffi.new("vvRenderTarget *")
            target.positions, target.positionStride = ffi.from_buffer("float[]", out), 12
            check(lib.vvSoftBody_WriteEmbedding(self._id(), embedding._pointer(), interpolation, target))
            return out

    def __repr__(self):
        if not self.is_valid:
            return "<verve.SoftBody (destroyed)>"
        return f"<verve.SoftBody '{self.name}': {self.vertex_count} vertices, {self.model}>"


class Collider(api.ColliderBase):
    __doc__ = api.ColliderBase.__doc__


class RigidBody(api.RigidBodyBase):
    __doc__ = api.RigidBodyBase.__doc__


class Joint(api.JointBase):
    __doc__ = api.JointBase.__doc__


class Fluid(api.FluidBase):
    """A fluid of particles. `positions`, `velocities` and `ids` show the world's memory; their order changes from step to
    step."""
    def add_particles(self, positions: ArrayLike, velocities: Optional[ArrayLike] = None) -> None:
        """Adds particles at count x 3 positions"""
        with self._lock():
            positions, count = as_array("positions", positions, "float64", 3)
            if velocities is not None:
                velocities = as_shape("velocities", velocities, "float64", positions.shape)
            check(lib.vvFluid_AddParticles(self._id(), pointer(positions),
                                           ffi.NULL if velocities is None else pointer(velocities), count))

    @property
    def surface(self) -> Tuple[NDArray[numpy.float64], NDArray[numpy.int32]]:
        """Points and triangles of its surface, a closed mesh, made for the present particles"""
        with self._lock():
            out = ffi.new("vvFluidSurface *")
            check(lib.vvFluid_MakeSurface(self._id(), out))
            if out.pointCount == 0:
                return numpy.empty((0, 3)), numpy.empty((0, 3), "int32")
            return (numpy.frombuffer(ffi.buffer(out.points, 24 * out.pointCount), "float64").reshape(-1, 3).copy(),
                    numpy.frombuffer(ffi.buffer(out.triangles, 12 * out.triangleCount), "int32").reshape(-1, 3).copy())


class Attachment(api.AttachmentBase):
    __doc__ = api.AttachmentBase.__doc__


class Handle(api.HandleBase):
    """A handle: a point of a body on a spring, to drag it by. `with` lets it go at the end."""
    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: Any) -> None:
        self.destroy()


class Hinge(api.HingeBase):
    __doc__ = api.HingeBase.__doc__


class Constraint(api.ConstraintBase):
    __doc__ = api.ConstraintBase.__doc__


# ---- meshes and shapes -----------------------------------------------------------------------------------------------

def _mesh_definition(definition, fields):
    if definition is None and "shape" not in fields:
        if "points" in fields:
            fields["shape"] = "arrays"
        if "file" in fields:
            fields["shape"] = "file"
    definition = definition_of(api.MeshDef, definition, fields)
    definition._c.allocator = SHARED.allocator()
    return definition


class Mesh(api.MeshBase):
    """A mesh: immutable, shared by any number of bodies. Mesh(points=..., triangles=...) makes one of arrays, of tets,
    triangles or edges; Mesh(file="bunny.obj") reads one; Mesh.box(...) and others generate one. The fields of MeshDef are
    keywords. Its arrays show its memory, and cannot be written."""
    def __init__(self, definition: Optional[api.MeshDef] = None, **fields: Any) -> None:
        definition = _mesh_definition(definition, fields)
        result = ffi.new("vvResult *")
        self._p, self._lender = lib.vvCreateMesh(definition._c, result), None
        check(result)

    @classmethod
    def solid(cls, surface: Optional[api.MeshDef] = None, *, kind: str = "conforming", cells: int = 10, edge: float = 0.0,
              grading: int = 0, surface_edge: float = 0.0, **fields: Any) -> Mesh:
        """Tets that fill a closed surface: vvCreateSolidMesh. `surface`: a MeshDef; or its fields as keywords. The mesh
        has a `report`."""
        definition = _mesh_definition(surface, fields)
        solid = api.SolidDef(kind=kind, cells=cells, edge=edge, grading=grading, surface_edge=surface_edge)
        report, result = api.SolidReport(), ffi.new("vvResult *")
        mesh = cls._adopt(lib.vvCreateSolidMesh(definition._c, solid._c, report._c, result))
        check(result)
        mesh.report = report
        return mesh

    @classmethod
    def repaired(cls, mesh: Optional[api.MeshDef] = None, *, weld: float = 0.0, holes: int = 64, piece: int = 0,
                 **fields: Any) -> Mesh:
        """A mesh with what is wrong in it mended: vvCreateRepairedMesh. `mesh`: a MeshDef; or its fields as keywords. The
        mesh has a `report`."""
        definition = _mesh_definition(mesh, fields)
        repair = api.RepairDef(weld=weld, holes=holes, piece=piece)
        report, result = api.RepairReport(), ffi.new("vvResult *")
        made = cls._adopt(lib.vvCreateRepairedMesh(definition._c, repair._c, report._c, result))
        check(result)
        made.report = report
        return made

    def write(self, file: Path, format: Optional[str] = None) -> None:
        """Writes the mesh to a file, by its ending or in a format of mesh_format_names()"""
        check(lib.vvWriteMesh(self._pointer(), as_text("file", file),
                              ffi.NULL if format is None else as_text("format", format)))

    def __repr__(self):
        return f"<verve.Mesh: {self.vertex_count} vertices, {self.tet_count} tets, {self.surface_count} triangles>"


class Shape(api.ShapeBase):
    """Rigid geometry by its signed distance. The fields of ShapeDef are keywords: Shape(kind="sphere", radius=0.2)."""
    def __init__(self, definition: Optional[api.ShapeDef] = None, **fields: Any) -> None:
        definition = definition_of(api.ShapeDef, definition, fields)
        definition._c.allocator = SHARED.allocator()
        result = ffi.new("vvResult *")
        self._p, self._lender = lib.vvCreateShape(definition._c, result), None
        check(result)

    def distance(self, point: ArrayLike) -> Tuple[float, NDArray[numpy.float64]]:
        """Signed distance of a point, and the direction in which it grows"""
        normal = ffi.new("vvVec3 *")
        distance = lib.vvShape_GetDistance(self._pointer(), as_struct("vvVec3", point), normal)
        return distance, vector(normal[0])


class Embedding(api.EmbeddingBase):
    """A render mesh that moves with bodies of a mesh. The fields of EmbeddingDef are keywords; body.embedded(embedding) has
    the points for a body."""
    def __init__(self, definition: Optional[api.EmbeddingDef] = None, **fields: Any) -> None:
        definition = definition_of(api.EmbeddingDef, definition, fields)
        definition._c.allocator = SHARED.allocator()
        for name in ("normals", "tangents"):
            array = getattr(definition, name)
            if array is not None and (definition.points is None or len(array) != len(definition.points)):
                raise ValueError(f"{name} has {len(array)} rows, must have as many as points")
        if definition.mesh is None:
            raise BadInputError("mesh is missing", "pass mesh=verve.Mesh.box(...)")
        definition._c.mesh = definition.mesh._pointer()
        result = ffi.new("vvResult *")
        self._p, self._lender = lib.vvCreateEmbedding(definition._c, result), None
        check(result)
        self._vertex_count = definition.mesh.vertex_count

    def positions(self, vertices: ArrayLike) -> NDArray[numpy.float64]:
        """The points for vertices of the mesh, in full precision"""
        vertices = as_shape("vertices", vertices, "float64", (self._vertex_count, 3))
        out = numpy.empty((self.point_count, 3))
        check(lib.vvEmbedding_GetPositions(self._pointer(), pointer(vertices), pointer(out)))
        return out


def _def_element_count(definition):
    corners = lib.vvSoftBodyDef_GetElementCorners(definition._c)
    mesh = definition.mesh
    return {4: mesh.tet_count, 3: mesh.surface_count, 2: mesh.edge_count}.get(corners, 0)


api.SoftBodyDef._element_count = _def_element_count


# ---- records ---------------------------------------------------------------------------------------------------------

class Recorder(api.RecorderBase):
    """Writes frames of a world into a folder. The fields of RecorderDef are keywords. A context manager: the files are
    complete at the end of it."""
    def __init__(self, world: World, definition: Optional[api.RecorderDef] = None, **fields: Any) -> None:
        definition = definition_of(api.RecorderDef, definition, fields)
        definition._c.allocator = SHARED.allocator()
        result = ffi.new("vvResult *")
        self._lender, self._p, self._world = None, ffi.NULL, world
        with world._guard:
            self._p = lib.vvCreateRecorder(world._id(), definition._c, result)
        check(result)

    def add(self) -> None:
        """The present state becomes the next frame"""
        with self._world._guard:
            self._world._open()
            check(lib.vvRecorder_Add(self._pointer()))

    def close(self) -> None:
        """Writes what is left and closes all files"""
        if self._p != ffi.NULL:
            with self._world._guard:
                pointer_, self._p = self._p, ffi.NULL
                check(lib.vvRecorder_Close(pointer_))

    def __del__(self):
        try:
            if lib is not None and getattr(self, "_p", None):
                self.close()
        except VerveError:
            pass

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


# ---- scenes ----------------------------------------------------------------------------------------------------------

def scene_folder() -> Optional[str]:
    """Where the shipped scenes lie; None: nowhere"""
    room = ffi.new("char[]", 4096)
    return text(room) if lib.vvFindSceneFolder(room, 4096) else None


def scene_names(folder: Optional[Path] = None) -> List[str]:
    """The scenes of a folder, or the shipped ones"""
    out, room = [], ffi.new("char[]", 256)
    where = ffi.NULL if folder is None else as_text("folder", folder)
    while lib.vvGetSceneName(where, len(out), room, 256):
        out.append(text(room))
    return out


def _owned_text(pointer_):
    if pointer_ == ffi.NULL:
        raise MemoryError
    try:
        return text(pointer_)
    finally:
        lib.vvDestroyText(pointer_)


def scene_schema() -> str:
    """The JSON Schema of scene files, as text"""
    return _owned_text(lib.vvCreateSceneSchema())


class Scene(api.SceneBase):
    """A scene file, checked. Scene("swing") is a shipped one, Scene("my.json") a file, Scene(text="{...}") JSON, or a dict.
    `sets` change it before it is checked: {"frames": 10, "bodies.0.material.young": 2e5}, or words "path=value".
    world() makes its world."""
    def __init__(self, file: Optional[Path] = None, *, text: Union[str, dict, None] = None,
                 folder: Optional[Path] = None, sets: Union[dict, Iterable[str]] = (), anywhere: bool = False) -> None:
        import json
        if isinstance(text, dict):
            text = json.dumps(text)
        if isinstance(sets, dict):
            sets = [f"{path}={json.dumps(value)}" for path, value in sets.items()]
        definition = api.SceneDef(anywhere=anywhere)
        definition._c.allocator = SHARED.allocator()
        for name, value in (("file", file), ("text", text), ("folder", folder)):
            if value is not None:
                setattr(definition, name, value)
        kept = [ffi.new("char[]", as_text("sets", word)) for word in sets]
        array = ffi.new("const char *[]", kept or [ffi.NULL])
        definition._c.sets, definition._c.setCount = array, len(kept)
        result = ffi.new("vvResult *")
        self._p, self._lender = lib.vvCreateScene(definition._c, result), None
        check(result)

    @property
    def text(self) -> str:
        """The scene as it was understood, every default written out: JSON"""
        return _owned_text(lib.vvScene_CreateText(self._pointer()))

    @property
    def camera(self) -> Optional[api.Camera]:
        """Where the scene wants to be seen from; None: it does not say"""
        camera = api.Camera()
        return camera if lib.vvScene_GetCamera(self._pointer(), camera._c) else None

    def world(self, threads: int = 1) -> SceneWorld:
        """A world of this scene, with all that drives it"""
        return SceneWorld(self, threads)

    def __repr__(self):
        return f"<verve.Scene '{self.name}': {self.description}>"


class SceneWorld(World):
    """The world of a scene: step() is one frame, in which keyframes, forces and muscles of the scene act."""
    def __init__(self, scene: Union[Scene, Path], threads: int = 1) -> None:
        if not isinstance(scene, Scene):
            scene = Scene(scene)
        definition = api.SceneWorldDef(threads=threads)
        keeper = Keeper()
        definition._c.allocator = keeper.allocator()
        definition._c.logger.write = lib.vvpyLog
        result = ffi.new("vvResult *")
        made = lib.vvCreateSceneWorld(scene._pointer(), definition._c, result)
        check(result)
        self._begin(_Handle(keeper, lib.vvSceneWorld_GetWorld(made), threads, made), scene.timestep)
        self.scene = scene

    def step(self, dt: Optional[float] = None) -> None:
        """Takes one frame of the scene. Its length is the scene's: set it there."""
        if dt is not None:
            raise BadInputError("a scene has frames of its own length", 'set it: Scene(..., sets={"timestep": ...})')
        with self._guard:
            self._open()
            check(lib.vvSceneWorld_Step(self._handle.scene_world))
            if self._views:
                self._refresh()

    def picture(self, width: int = 640, height: int = 480, *, eye: Optional[ArrayLike] = None,
                target: Optional[ArrayLike] = None, field_of_view: Optional[float] = None, **fields: Any) -> Picture:
        camera = self.scene.camera
        if camera is not None and eye is None and target is None:
            eye, target = camera.eye, camera.target
            field_of_view = field_of_view or camera.field_of_view
        return super().picture(width, height, eye=eye, target=target, field_of_view=field_of_view, **fields)

    picture.__doc__ = World.picture.__doc__

    def record(self, folder: Path, formats: Optional[str] = None, **fields: Any) -> Recorder:
        """A recorder with what the scene wants recorded; keywords change it"""
        if formats is not None:
            fields["formats"] = formats
        wanted = lib.vvScene_GetRecorderDef(self.scene._pointer())
        definition = api.RecorderDef._value(wanted)
        definition._keep["scene"] = self.scene
        return Recorder(self, definition, folder=folder, **fields)

    @property
    def rigid_names(self) -> List[str]:
        """The names of its rigid bodies, in their order"""
        return [text(lib.vvSceneWorld_GetRigidName(self._handle.scene_world, i)) for i in range(len(self.rigid_bodies))]
