"""What the generated classes stand on: errors, structs and their fields, ids, owned objects, views of memory."""
import difflib
import enum
import os
import threading
import weakref

import numpy

from ._native import ffi, lib

__all__ = ["Array", "Choice", "Fixed", "Flag", "Nested", "Number", "Owned", "Pointed", "Reference", "Struct", "Text",
           "Thing", "Vector", "Words", "as_array", "as_id", "as_pointer", "as_shape", "as_struct", "as_text", "as_value",
           "check", "ffi", "lib", "numbers", "pointer", "records", "text", "things", "vector", "words", "wrap"]


# ---- errors ----------------------------------------------------------------------------------------------------------

class VerveError(Exception):
    """A call that the library refused. `code` is the vvCode as a word, `message` names the value and the limit, `remedy`
    says what to do. After an error the world is as it was before the call."""
    code = "error"

    def __init__(self, message, remedy=""):
        super().__init__(f"{message}; {remedy}" if remedy else message)
        self.message, self.remedy = message, remedy


class BadInputError(VerveError, ValueError):
    """An argument is outside its range; nothing was changed."""
    code = "bad input"


class DestroyedError(VerveError, ReferenceError):
    """The object was destroyed or closed, or its world is calling back."""
    code = "bad id"


class OutOfMemoryError(VerveError, MemoryError):
    """There was no memory; nothing was changed."""
    code = "out of memory"


class DivergedError(VerveError, ArithmeticError):
    """A step left the finite numbers; the world keeps the state before it."""
    code = "diverged"


class LimitError(VerveError):
    """A fixed limit is reached."""
    code = "limit"


class FileError(VerveError, OSError):
    """A file could not be read or written."""
    code = "input/output"

    def __str__(self):
        return Exception.__str__(self)


_ERRORS = {lib.VV_BAD_INPUT: BadInputError, lib.VV_BAD_ID: DestroyedError, lib.VV_OUT_OF_MEMORY: OutOfMemoryError,
           lib.VV_DIVERGED: DivergedError, lib.VV_LIMIT: LimitError, lib.VV_INPUT_OUTPUT: FileError}


def error_of(result):
    """The exception of a vvResult that is no success"""
    kind = _ERRORS.get(result.code, VerveError)
    return kind(text(result.message), text(result.remedy))


def check(result):
    if result.code != lib.VV_OK:
        raise error_of(result)


# ---- values ----------------------------------------------------------------------------------------------------------

_CTYPES = {"float64": "double", "int32": "int", "uint32": "uint32_t", "uint8": "uint8_t"}


def text(pointer_):
    return ffi.string(pointer_).decode("utf-8", "replace") if pointer_ != ffi.NULL else None


def as_text(name, value):
    """Bytes of a str or a path, for `const char *`"""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{name} has a null character")
    return value.encode("utf-8")


def vector(value):
    """A vvVec3 or vvQuat as an array of its own"""
    return numpy.array([getattr(value, name) for name, _ in ffi.typeof(value).fields])


def as_struct(ctype, value):
    """A vvVec3 or vvQuat of a sequence"""
    numbers_ = [float(x) for x in numpy.asarray(value, dtype="float64").ravel()]
    if len(numbers_) != len(ffi.typeof(ctype).fields):
        raise ValueError(f"{len(numbers_)} numbers, must be {len(ffi.typeof(ctype).fields)}")
    return ffi.new(ctype + " *", numbers_)[0]


def _contiguous(name, value, dtype):
    array = numpy.asarray(value)
    if dtype != "float64" and array.size > 0:
        if array.dtype.kind not in "iub":
            raise TypeError(f"{name} must be integers, not {array.dtype}")
        if array.dtype.kind != "b":
            limits = numpy.iinfo(dtype)
            if array.min() < limits.min or array.max() > limits.max:
                raise OverflowError(f"{name} has a number that does not fit into {dtype}")
    elif array.dtype.kind not in "iufb":
        raise TypeError(f"{name} must be numbers, not {array.dtype}")
    return numpy.ascontiguousarray(array, dtype=dtype)


def as_array(name, value, dtype, columns):
    """A contiguous array of rows, and how many there are"""
    array = _contiguous(name, value, dtype)
    if array.ndim == 0 and columns == 1:
        array = array.reshape(1)
    if array.ndim != (1 if columns == 1 else 2) or (columns > 1 and array.shape[1] != columns):
        raise ValueError(f"{name} has the shape {array.shape}, must be (count{', ' + str(columns) if columns > 1 else ''})")
    return array, len(array)


def as_shape(name, value, dtype, shape):
    array = _contiguous(name, value, dtype)
    if array.shape != tuple(shape):
        raise ValueError(f"{name} has the shape {array.shape}, must be {tuple(shape)}")
    return array


def pointer(array):
    return ffi.from_buffer(f"{_CTYPES[array.dtype.name]}[]", array) if array.size else ffi.NULL


def numbers(ctype, columns, fill):
    """What a function lists that writes at most `capacity` numbers and returns how many there are"""
    count = fill(ffi.NULL, 0)
    array = numpy.empty((count, columns) if columns > 1 else count, "float64" if ctype == "double" else "int32")
    if count:
        fill(ffi.from_buffer(ctype + "[]", array), count)
    return array


_dtypes = {}


def dtype_of(ctype):
    """The layout of a struct as a numpy dtype; ids are 64-bit integers"""
    if ctype not in _dtypes:
        _dtypes[ctype] = _dtype(ffi.typeof(ctype))
    return _dtypes[ctype]


def _dtype(kind):
    if kind.kind == "primitive":
        if kind.cname == "_Bool":
            return numpy.dtype("?")
        size = ffi.sizeof(kind)
        if kind.cname in ("double", "float"):
            return numpy.dtype(f"f{size}")
        return numpy.dtype(("u" if "unsigned" in kind.cname or kind.cname in ("uint32_t", "uint64_t", "size_t") else "i")
                           + str(size))
    if kind.kind == "enum":
        return numpy.dtype("i4")
    if kind.kind == "pointer":
        return numpy.dtype("u8")
    if kind.kind == "array":
        return numpy.dtype((_dtype(kind.item), (kind.length,)))
    if kind.cname.endswith("Id"):
        return numpy.dtype("u8")
    if kind.cname.split()[-1] in ("vvVec3", "vvQuat"):
        return numpy.dtype(("f8", (len(kind.fields),)))
    names, formats, offsets = [], [], []
    for name, field in kind.fields:
        names.append(_snake(name))
        formats.append(_dtype(field.type))
        offsets.append(field.offset)
    return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(kind)})


def _snake(name):
    return "".join("_" + c.lower() if c.isupper() else c for c in name)


def records(ctype, fill):
    """The same for structs: the library writes into the array"""
    count = fill(ffi.NULL, 0)
    array = numpy.zeros(count, dtype_of(ctype))
    if count:
        fill(ffi.cast(ctype + " *", array.ctypes.data), count)
    return array


def words(name_at):
    out = []
    while True:
        word = name_at(len(out))
        if word == ffi.NULL:
            return out
        out.append(text(word))


class Words(enum.IntEnum):
    """An enum of the library. Its members are also known by their words: "hinge" is JointKind.HINGE."""
    @classmethod
    def of(cls, value):
        if isinstance(value, str):
            word = value.upper().replace("-", "_").replace(" ", "_")
            if word in cls.__members__:
                return cls[word]
            near = difflib.get_close_matches(word, list(cls.__members__), 1, 0)
            raise BadInputError(f"there is no {cls.__name__} '{value}'", f"did you mean '{near[0].lower()}'")
        return cls(value)

    def __str__(self):
        return self.name.lower().replace("_", "-")


# ---- structs ---------------------------------------------------------------------------------------------------------

_classes = {}  # by name: structs, ids and owned objects


class Struct:
    """A struct of the library. Its fields are attributes; a definition starts from its defaults."""
    _ctype = None
    _default = None

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        _classes[cls.__name__] = cls

    def __init__(self, **fields):
        self._c = ffi.new(self._ctype + " *")
        self._owner, self._keep, self._counts = None, {}, {}
        if self._default is not None:
            self._c[0] = getattr(lib, self._default)()
        self._set(fields)

    @classmethod
    def _view(cls, pointer_, owner):
        """Of a struct inside another one: it shares its memory"""
        view = cls.__new__(cls)
        view._c, view._owner, view._keep, view._counts = pointer_, owner, {}, {}
        return view

    @classmethod
    def _value(cls, value, owner=None):
        """A copy of what a function returned"""
        struct = cls.__new__(cls)
        struct._c, struct._owner, struct._keep, struct._counts = ffi.new(cls._ctype + " *", value), owner, {}, {}
        return struct

    @classmethod
    def _fields(cls):
        if "_named" not in vars(cls):
            cls._named = {}
            for base in reversed(cls.__mro__):
                cls._named.update({name: field for name, field in vars(base).items() if isinstance(field, Number)})
        return cls._named

    def _set(self, fields):
        for name, value in fields.items():
            if name not in self._fields():
                near = difflib.get_close_matches(name, list(self._fields()), 1)
                raise TypeError(f"{type(self).__name__} has no field '{name}'"
                                + (f"; did you mean '{near[0]}'" if near else ""))
            setattr(self, name, value)

    def _check(self, owner):
        """Arrays whose length depends on something else are as long as that"""
        for field in self._fields().values():
            if isinstance(field, Array):
                field.check(self, owner)

    @property
    def record(self):
        """The struct as a numpy record that shares its memory"""
        return numpy.frombuffer(ffi.buffer(self._c), dtype_of(self._ctype))[0]

    def __eq__(self, other):
        return type(self) is type(other) and bytes(ffi.buffer(self._c)) == bytes(ffi.buffer(other._c))

    __hash__ = None

    def __repr__(self):
        shown = []
        for name in self._fields():
            try:
                shown.append(f"{name}={getattr(self, name)!r}")
            except VerveError:
                pass
        return f"{type(self).__name__}({', '.join(shown)})"


class Number:
    """A field: a number. The other fields refine it."""
    def __init__(self, name):
        self.name = name

    def __set_name__(self, owner, attribute):
        self.attribute = attribute

    def __get__(self, struct, owner=None):
        return self if struct is None else self.get(struct)

    def __set__(self, struct, value):
        try:
            self.set(struct, value)
        except TypeError as error:
            raise TypeError(f"{self.attribute}: {error}") from None

    def get(self, struct):
        return getattr(struct._c, self.name)

    def set(self, struct, value):
        setattr(struct._c, self.name, value)


class Flag(Number):
    def set(self, struct, value):
        if value not in (True, False, 0, 1):
            raise TypeError(f"must be a bool, not {value!r}")
        setattr(struct._c, self.name, bool(value))


class Text(Number):
    def get(self, struct):
        return text(getattr(struct._c, self.name))

    def set(self, struct, value):
        kept = ffi.NULL if value is None else ffi.new("char[]", as_text(self.attribute, value))
        struct._keep[self.name] = kept
        setattr(struct._c, self.name, kept)


class Choice(Number):
    def __init__(self, name, words_):
        super().__init__(name)
        self.words = words_

    def get(self, struct):
        return self.words(getattr(struct._c, self.name))

    def set(self, struct, value):
        setattr(struct._c, self.name, int(self.words.of(value)))


class Vector(Number):
    def get(self, struct):
        return vector(getattr(struct._c, self.name))

    def set(self, struct, value):
        at = getattr(struct._c, self.name)
        setattr(struct._c, self.name, as_struct(ffi.typeof(at).cname.rstrip("& "), value))


class Fixed(Number):
    """An array inside the struct: it is seen, not copied"""
    def get(self, struct):
        at = getattr(struct._c, self.name)
        kind, shape = _dtype(ffi.typeof(at)), ()
        while kind.subdtype:
            shape, kind = shape + kind.subdtype[1], kind.subdtype[0]
        return numpy.frombuffer(ffi.buffer(at), kind).reshape(shape)

    def set(self, struct, value):
        view = self.get(struct)
        array = _contiguous(self.attribute, value, view.dtype.name)
        if array.shape != view.shape:
            raise ValueError(f"{self.attribute} has the shape {array.shape}, must be {view.shape}")
        view[...] = array


class Nested(Number):
    def __init__(self, name, kind):
        super().__init__(name)
        self.kind = kind

    def get(self, struct):
        return _classes[self.kind]._view(ffi.addressof(struct._c, self.name), struct)

    def set(self, struct, value):
        kind = _classes[self.kind]
        if isinstance(value, dict):
            inner = self.get(struct)
            inner._set(value)
            struct._keep.update({(self.name, key): kept for key, kept in inner._keep.items()})
        elif isinstance(value, kind):
            getattr(struct._c, self.name)
            setattr(struct._c, self.name, value._c[0])
            struct._keep[self.name] = value
        else:
            raise TypeError(f"must be a {self.kind} or a dict of its fields, not {type(value).__name__}")


class Pointed(Nested):
    """A pointer to a struct"""
    def get(self, struct):
        return struct._keep.get(self.name)

    def set(self, struct, value):
        if isinstance(value, dict):
            value = _classes[self.kind](**value)
        if value is not None and not isinstance(value, _classes[self.kind]):
            raise TypeError(f"must be a {self.kind}, not {type(value).__name__}")
        struct._keep[self.name] = value
        setattr(struct._c, self.name, value._c if value is not None else ffi.NULL)


class Reference(Nested):
    """An id, or a pointer to what has an owner"""
    def get(self, struct):
        if self.name in struct._keep:
            return struct._keep[self.name]
        at = getattr(struct._c, self.name)
        owner = struct
        while owner is not None and not isinstance(owner, Thing):
            owner = owner._owner
        return wrap(owner, self.kind, at) if owner is not None and not _is_pointer(at) else None

    def set(self, struct, value):
        at = getattr(struct._c, self.name)
        if value is None:
            new = ffi.NULL if _is_pointer(at) else ffi.new(ffi.typeof(at).cname.rstrip("& ") + " *")[0]
        elif not isinstance(value, _classes[self.kind]):
            raise TypeError(f"must be a {self.kind}, not {type(value).__name__}")
        else:
            new = value._pointer() if _is_pointer(at) else value._id()
        struct._keep[self.name] = value
        setattr(struct._c, self.name, new)


def _is_pointer(at):
    return ffi.typeof(at).kind == "pointer"


class Array(Number):
    """A pointer to numbers, with the fields that count them"""
    def __init__(self, name, dtype, shape, length=None):
        super().__init__(name)
        self.dtype, self.shape, self.length = dtype, shape, length

    def get(self, struct):
        return struct._keep.get(self.name)

    def set(self, struct, value):
        if value is None:
            struct._keep.pop(self.name, None)
            setattr(struct._c, self.name, ffi.NULL)
            for count in {k for k, (_, name) in struct._counts.items() if name == self.name}:
                del struct._counts[count]
                setattr(struct._c, count, 0)
            return
        array = _contiguous(self.attribute, value, self.dtype)
        good = array.ndim == len(self.shape) and all(
            not isinstance(want, int) or have == want for have, want in zip(array.shape, self.shape))
        if not good:
            raise ValueError(f"{self.attribute} has the shape {array.shape}, must be "
                             f"({', '.join(str(want or 'count') for want in self.shape)})")
        for have, want in zip(array.shape, self.shape):
            if isinstance(want, str):
                before = struct._counts.get(want)
                if before and before[1] != self.name and before[0] != have:
                    raise ValueError(f"{self.attribute} has {have} rows, {_snake(before[1])} has {before[0]}")
        for have, want in zip(array.shape, self.shape):
            if isinstance(want, str):
                struct._counts[want] = (have, self.name)
                setattr(struct._c, want, have)
        array = array.copy() if array is value or array.base is not None else array  # what is given later stays out
        struct._keep[self.name] = array
        setattr(struct._c, self.name, pointer(array))

    def check(self, struct, owner):
        array = struct._keep.get(self.name)
        if array is None or self.length is None:
            return
        want = self.length(struct, owner)
        if len(array) != want:
            raise ValueError(f"{self.attribute} has {len(array)} rows, must have {want}")


def as_value(kind, value):
    return as_pointer(kind, value)[0]


def as_pointer(kind, value):
    if isinstance(value, dict):
        value = kind(**value)
    if not isinstance(value, kind):
        if kind.__name__ == "Box":  # two corners
            lower, upper = value
            value = kind(lower=lower, upper=upper)
        else:
            raise TypeError(f"must be a {kind.__name__} or a dict of its fields, not {type(value).__name__}")
    return value._c


# ---- views of memory of the library ----------------------------------------------------------------------------------

class _View:
    """What a numpy array of the library's memory has as its base: it keeps the memory, whatever becomes of its owner"""
    __slots__ = ("__array_interface__", "address", "keeper", "owner", "__weakref__")

    def __init__(self, address, shape, dtype, keeper, owner):
        self.address, self.keeper, self.owner = address, None, owner
        if keeper is not None:
            if not lib.vvpyKeeper_Pin(keeper, address):
                raise OutOfMemoryError("no memory for a view")
            self.keeper = keeper
        self.__array_interface__ = {"data": (int(ffi.cast("uintptr_t", address)), True), "shape": tuple(shape),
                                    "typestr": numpy.dtype(dtype).str, "version": 3}

    def __del__(self):
        if self.keeper is not None and lib is not None:
            lib.vvpyKeeper_Unpin(self.keeper, self.address)


# ---- objects with an id ----------------------------------------------------------------------------------------------

class Thing:
    """Something in a world, or a world. A destroyed one raises DestroyedError."""
    _noun = None

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        if not cls.__name__.endswith("Base"):
            _classes.setdefault(cls.__name__, cls)

    def __init__(self, *_, **__):
        raise TypeError(f"a {self._noun} is made by its world: world.create_{_snake(self._noun).lstrip('_')}(...)")

    @classmethod
    def _of(cls, world, id_):
        thing = cls.__new__(cls)
        thing._world, thing._ref = world, id_
        return thing

    def _id(self):
        self._world._open()
        if not getattr(lib, f"vv{self._noun}_IsValid")(self._ref):
            raise DestroyedError(f"the {self._noun} was destroyed", "make another one")
        return self._ref

    def _lock(self):
        return self._world._guard

    @property
    def is_valid(self):
        """Whether it still exists"""
        return self._world._is_open() and getattr(lib, f"vv{self._noun}_IsValid")(self._ref)

    @property
    def id(self):
        """Its id as a 64-bit integer, as in the arrays of contacts"""
        return getattr(lib, f"vvStore{self._noun}Id")(self._ref)

    def destroy(self):
        """Takes it out of its world; what was destroyed already stays so"""
        with self._lock():
            if self.is_valid:
                getattr(lib, f"vvDestroy{self._noun}")(self._ref)

    def _view(self, name, address, shape, dtype):
        if address == ffi.NULL:
            return numpy.empty(shape, dtype)
        views, key = self._world._views, (name, self.id)
        view = views.get(key)
        if view is None or view.address != address or view.__array_interface__["shape"] != shape:
            view = views[key] = _View(address, shape, dtype, self._world._keeper(), None)
        return numpy.asarray(view)

    def _create(self, noun, function, kind, definition, fields):
        with self._lock():
            definition = definition_of(kind, definition, fields)
            definition._check(self)
            result = ffi.new("vvResult *")
            made = function(self._id(), definition._c, result)
            check(result)
            return wrap(self, noun, made)

    def __eq__(self, other):
        return isinstance(other, Thing) and self._noun == other._noun and self.id == other.id

    def __hash__(self):
        return hash((self._noun, self.id))

    def __repr__(self):
        return f"<verve.{self._noun} {self.id:#x}{'' if self.is_valid else ' (destroyed)'}>"


def definition_of(kind, definition, fields):
    """A definition with fields changed; the one that was given is not"""
    if definition is None:
        return kind(**fields)
    if not isinstance(definition, kind):
        raise TypeError(f"the definition must be a {kind.__name__}, not {type(definition).__name__}")
    if not fields:
        return definition
    copy = kind._value(definition._c[0])
    copy._keep, copy._counts = dict(definition._keep), dict(definition._counts)
    copy._set(fields)
    return copy


def wrap(thing, noun, id_):
    """The object of an id; None of the null id. The same id has the same object while it lives"""
    world = thing._world
    if noun == "World":
        return world
    key = (noun, getattr(lib, f"vvStore{noun}Id")(id_))
    if key[1] == 0:
        return None
    found = world._things.get(key)
    if found is None:
        found = world._things[key] = _classes[noun]._of(world, id_)
    return found


def as_id(value, noun):
    if not isinstance(value, _classes[noun]):
        raise TypeError(f"must be a {noun}, not {type(value).__name__}")
    return value._id()


def things(thing, noun, fill):
    count = fill(ffi.NULL, 0)
    ids = ffi.new(f"vv{noun}Id[]", max(count, 1))
    fill(ids, count)
    return [wrap(thing, noun, ffi.new(f"vv{noun}Id *", ids[i])[0]) for i in range(count)]


# ---- objects with an owner -------------------------------------------------------------------------------------------

class Owned:
    """Something of the library with a life of its own: a mesh, a shape, a recorder ..."""
    _noun = None

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        if not cls.__name__.endswith("Base"):
            _classes.setdefault(cls.__name__, cls)

    @classmethod
    def _adopt(cls, pointer_, lender=None):
        """`lender`: who owns it instead"""
        owned = cls.__new__(cls)
        owned._p, owned._lender = pointer_, lender
        return owned

    @classmethod
    def _made(cls, pointer_, name):
        if pointer_ == ffi.NULL:
            raise BadInputError(f"no {cls.__name__.lower()} of these arguments",
                                f"{cls.__name__}(shape='{name}', ...) says why")
        return cls._adopt(pointer_)

    def _pointer(self):
        if self._p == ffi.NULL:
            raise DestroyedError(f"the {self._noun} was destroyed", "make another one")
        if self._lender is not None and lib.vvSoftBody_GetMesh(self._lender._id()) != self._p:
            raise DestroyedError("the body has another mesh now", "ask for body.mesh again")
        return self._p

    def _view(self, name, address, shape, dtype):
        if address == ffi.NULL or 0 in shape:
            return numpy.empty(shape, dtype)
        if self._lender is not None:  # whose mesh may change
            size = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
            return numpy.frombuffer(ffi.buffer(address, size), dtype).reshape(shape).copy()
        return numpy.asarray(_View(address, shape, dtype, None, self))

    def __del__(self):  # numpy arrays of it have it as their base
        pointer_ = getattr(self, "_p", None)
        if pointer_ is not None and lib is not None and pointer_ != ffi.NULL and self._lender is None:
            self._p = ffi.NULL
            getattr(lib, f"vvDestroy{self._noun}")(pointer_)


# ---- memory ----------------------------------------------------------------------------------------------------------

class Keeper:
    """The allocator of a world: memory that a view shows is not freed before the view is"""
    def __init__(self):
        self.c = lib.vvpyCreateKeeper()
        if self.c == ffi.NULL:
            raise OutOfMemoryError("no memory for a world")

    def allocator(self):
        return lib.vvpyKeeper_GetAllocator(self.c)

    def __del__(self):
        if lib is not None and getattr(self, "c", None):
            lib.vvpyReleaseKeeper(self.c)


SHARED = Keeper()  # of what has no world
lib.vvpyRetainKeeper(SHARED.c)  # for ever: meshes may go after this module when Python ends


def memory_in_use():
    """Bytes and blocks that worlds, meshes and all else hold through the package, views of what is gone included"""
    return lib.vvpyGetBytes(), lib.vvpyGetBlocks()


class Guard:
    """The lock of a world: two threads that use it take turns"""
    __slots__ = ("lock", "__weakref__")

    def __init__(self):
        self.lock = threading.RLock()

    def __enter__(self):
        self.lock.acquire()

    def __exit__(self, *_):
        self.lock.release()


open_handles = weakref.WeakSet()  # of worlds: what a fork must know of
