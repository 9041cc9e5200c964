#!/usr/bin/env python3
"""Makes the generated half of the package from the public headers: what cffi is told, the classes, the type stubs.

    generate.py INCLUDE-DIR OUT-DIR        writes _cdef.h, _api.py and the stubs *.pyi

Declarations and docstrings come from the headers alone. What C does not say is in the tables below: the lengths of arrays
that no argument counts, and the few functions that are written by hand in verve/_extra.py or that Python has no use for.
A function or an array that no rule covers is an error, so that a new one in a header cannot be forgotten.
"""
import ast
import keyword
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))
import api  # how comments of our headers belong to what they describe

# ---- what C does not say ---------------------------------------------------------------------------------------------

# arrays of definitions whose length another object gives: the expression is evaluated when the object is made
LENGTHS = {
    "vvSoftBodyDef.elementToughness": "d.mesh.tet_count or d.mesh.surface_count or d.mesh.edge_count",
    "vvSoftBodyDef.elementStiffness": "d._element_count()",
    "vvSoftBodyDef.elementWarp": "d.mesh.surface_count",
    "vvSoftBodyDef.vertexMass": "d.mesh.vertex_count",
    "vvSoftBodyDef.vertexFriction": "d.mesh.vertex_count",
    "vvSoftBodyDef.positions": "d.mesh.vertex_count",
    "vvSkinDef.positions": "owner.vertex_count",
    "vvSkinDef.maxDistances": "owner.vertex_count",
    "vvSkinDef.backstopDistances": "owner.vertex_count",
}
COLUMNS = {"vvSoftBodyDef.elementWarp": 3, "vvSoftBodyDef.positions": 3, "vvSkinDef.positions": 3}
# arrays with a count among the fields of the same struct: field -> count fields by dimension, then columns
COUNTED = {
    "vvShapeDef.heights": ("rows", "columns"),
    "vvHingeDef.vertices": ("count", 4),
    "vvConstraintDef.vertices": ("count", "corners"),
    "vvConstraintDef.weights": ("count",),
    "vvConstraintDef.matrix": ("count", "rows", "corners"),
    "vvMuscleDef.tets": ("count",),
    "vvMuscleDef.groups": ("count",),
    "vvMuscleDef.directions": ("count", 3),
}
# structs and fields that stay with `verve.lib`: hooks of C, and what only other structs that are left out use
NO_STRUCT = {"vvResult", "vvAllocator", "vvLogger", "vvTaskHooks", "vvVec3", "vvQuat", "vvFaces", "vvRenderTarget",
             "vvDebugDraw", "vvMeshEvent", "vvFluidSurface", "vvContact", "vvContactEvent", "vvBreakEvent", "vvOverlap",
             "vvElement"}
NO_FIELD = {"allocator", "logger", "tasks", "userData", "cookie", "faces", "examples", "exampleCount", "progress",
            "data", "dataSize", "project", "projectLanes", "function", "sets", "setCount", "shapes", "shapeCount"}
# arrays that functions return: shape by expressions of the object
RETURNED = {
    "vvSoftBody_GetPositions": "(self.vertex_count, 3)",
    "vvSoftBody_GetVelocities": "(self.vertex_count, 3)",
    "vvSoftBody_GetMasses": "(self.vertex_count,)",
    "vvFluid_GetPositions": "(self.count, 3)",
    "vvFluid_GetVelocities": "(self.count, 3)",
    "vvFluid_GetIds": "(self.count,)",
    "vvMesh_GetPoints": "(self.vertex_count, 3)",
    "vvMesh_GetTets": "(self.tet_count, 4)",
    "vvMesh_GetEdges": "(self.edge_count, 2)",
    "vvMesh_GetEdgeKinds": "(self.edge_count,)",
    "vvMesh_GetSurface": "(self.surface_count, 3)",
    "vvEmbedding_GetTriangles": "(self.triangle_count, 3)",
    "vvEmbedding_GetPoints": "(self.point_count, 3)",
}
# arrays that functions fill: their shapes
FILLED = {
    "vvSoftBody_CopyForces": "(self.vertex_count, 3)",
    "vvSoftBody_CopyEnergyDensities": "(self.vertex_count,)",
    "vvSoftBody_CopyStretches": "(self._cell_count(),)",
    "vvSoftBody_CopyConstraintForces": "(self.vertex_count, 3)",
    "vvRigidBody_CopyInertia": "(3, 3)",
}
# arrays that functions read without a count: their shapes
READ = {
    "vvSoftBody_SetPositions": "(self.vertex_count, 3)",
    "vvSoftBody_SetVelocities": "(self.vertex_count, 3)",
    "vvSoftBody_SetElementStiffness": "(self._element_count(),)",
    "vvSoftBody_SetElementWarp": "(self._element_count(), 3)",
    "vvSoftBody_SetElementWarp": "(self.triangle_count, 3)",
    "vvConstraint_MoveSkin": "(self.body.vertex_count, 3)",
}
# records that functions fill: arrays of numpy with the layout of the struct
RECORDS = {"vvContact", "vvContactEvent", "vvBreakEvent", "vvOverlap"}
# written by hand in _extra.py
BY_HAND = """vvCreateWorld vvDestroyWorld vvWorld_Step vvWorld_Advance vvWorld_SaveState vvWorld_RestoreState
    vvWorld_GetStateSize vvCreateSoftBody vvDestroySoftBody vvSoftBody_CopyPositions vvSoftBody_CopyNormals
    vvSoftBody_CopyElementForces vvSoftBody_Split vvSoftBody_GetMesh vvSoftBodyDef_GetElementCorners vvCreateMesh
    vvDestroyMesh vvReadMesh vvWriteMesh vvCreateSolidMesh vvMesh_GetEmbedding vvCreateRepairedMesh vvRepairMesh
    vvCreateEmbedding vvDestroyEmbedding vvEmbedding_GetPositions vvSoftBody_WriteEmbedding vvCreateShape vvDestroyShape
    vvShape_GetDistance vvCollider_GetShape vvRigidBody_GetShapes vvCreateRigidBody vvCreateBonds vvFluid_AddParticles
    vvFluid_MakeSurface vvCreateRecorder vvRecorder_Close vvRestoreSnapshot vvCreateScene vvDestroyScene
    vvScene_CreateText vvScene_GetRecorderDef vvScene_GetCamera vvCreateSceneSchema vvDestroyText vvFindSceneFolder
    vvGetSceneName vvCreateSceneWorld vvDestroySceneWorld vvSceneWorld_Step vvSceneWorld_GetWorld
    vvSceneWorld_GetBody vvSceneWorld_FindBody vvSceneWorld_GetCollider vvSceneWorld_GetRigidBody
    vvSceneWorld_FindRigidBody vvSceneWorld_GetRigidName vvWorld_Paint vvCreatePng vvDestroyPng vvCode_GetName
    vvGetVersion vvDestroyConstraint vvCreateConstraint vvSoftBody_GetElement vvWalkFigure""".split()
# of no use here: integers of ids, pointers of the caller, buffers of renderers, callbacks that draw
UNUSED = re.compile(r"vv(Store|Load)\w+Id|\w+_GetUserData|vvDefaultDebugDraw|vvWorld_Draw|vvWorld_GetMeshEvents|"
                    r"vvMesh_GetFaces|vvEmbedding_GetFaces|vvEmbedding_Write|vvFluid_CopyPositions")

NUMBERS = {"double": "float", "float": "float", "int": "int", "uint32_t": "int", "uint64_t": "int", "size_t": "int",
           "long long": "int"}
DTYPES = {"double": "float64", "int": "int32", "uint32_t": "uint32"}


# ---- headers ---------------------------------------------------------------------------------------------------------

class Field:
    def __init__(self, ctype, name, dims, doc):
        self.ctype, self.name, self.dims, self.doc = ctype, name, dims, doc


class Function:
    def __init__(self, result, name, params, doc):
        self.result, self.name, self.params, self.doc = result, name, params, doc


class Headers:
    """What the headers declare, in their order"""
    def __init__(self, include):
        folder = os.path.join(include, "verve")
        umbrella = open(os.path.join(folder, "verve.h"), encoding="utf-8").read()
        self.order = []
        for name in re.findall(r"#include <verve/(\w+\.h)>", umbrella) + ["studio.h"]:
            self.depend(folder, name)
        self.cdef, self.constants, self.enums, self.structs = [], {}, {}, {}
        self.opaque, self.functions = {}, []
        for name in self.order:
            self.read(os.path.join(folder, name))

    def depend(self, folder, name):
        """A header behind those that it includes"""
        if name in self.order or name == "verve.h":
            return
        for other in re.findall(r"#include <verve/(\w+\.h)>", open(os.path.join(folder, name), encoding="utf-8").read()):
            self.depend(folder, other)
        self.order.append(name)

    def read(self, path):
        lines = open(path, encoding="utf-8").read().splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith('extern "C" {')) + 2
        end = max(i for i, line in enumerate(lines) if line.startswith("#ifdef __cplusplus"))
        region = lines[begin:end]
        plain = re.sub(r"/\*.*?\*/", "", "\n".join(api.split_comment(line)[0] for line in region), flags=re.S)
        self.cdef.append(re.sub(r"\bVV_API ", "", plain))
        for block in api.blocks_of(region):
            self.block(block)

    def block(self, block):
        comment = []
        while block and block[0].startswith("//"):
            comment.append(api.split_comment(block[0])[1])
            block = block[1:]
        if not block:
            return
        opened = re.match(r"typedef (struct|enum) (\w+)$", block[0])
        opaque = re.match(r"typedef struct (\w+) \1;(?: *// (.*))?$", block[0])
        if opened:
            end = next(i for i, line in enumerate(block) if line.startswith("}"))
            body = api.runs_of(block[2:end], f"{opened.group(1)} {opened.group(2)}.")
            (self.enum if opened.group(1) == "enum" else self.struct)(opened.group(2), comment, body)
            if block[end + 1:]:
                self.block(block[end + 1:])
        elif opaque:
            self.opaque[opaque.group(1)] = comment + [opaque.group(2) or ""]
            if block[1:]:
                self.block(block[1:])
        elif block[0].startswith("#define"):
            for line in block:
                code, said = api.split_comment(line)
                _, name, value = code.split(None, 2)
                self.constants[name] = (int(value, 0), said or " ".join(comment))
        else:
            block = [re.sub(r"^VV_API ", "", line) for line in block]
            for head, items in api.runs_of(["// " + line for line in comment] + block, "function"):
                above, groups = api.groups_of(head, items, "function")
                for said, shared in groups:
                    for item in shared:
                        self.function(item.code, said + ([""] if said and above else []) + above)

    def enum(self, name, comment, runs):
        members, value = [], -1
        for head, items in runs:
            for item in items:
                given = re.match(r"(\w+)\s*=\s*(\w+)", item.code)
                value = int(given.group(2), 0) if given else value + 1
                members.append((item.names[0], value, " ".join(item.comment or head)))
        self.enums[name] = (comment, members)

    def struct(self, name, comment, runs):
        fields = []
        for head, items in runs:
            above, groups = api.groups_of(head, items, "struct")
            for said, shared in groups:
                for item in shared:
                    fields += self.fields(item.code, said or above)
        self.structs[name] = (comment, fields)

    def fields(self, code, doc):
        code = re.sub(r"/\*.*?\*/", "", code).strip()
        if "(*" in code:
            return [Field("function", api.names_of(code)[0], [], doc)]
        code = re.sub(r"\s*:\s*\d+", "", code)
        base = re.match(r"((?:const |struct )*(?:long long|\w+))\s*(.*)$", code)
        out = []
        for piece in base.group(2).split(","):
            match = re.match(r"\s*((?:\*|const\b|\s)*)(\w+)((?:\[\w+\])*)$", piece)
            stars = re.sub(r"\s+", "", match.group(1))
            dims = re.findall(r"\[(\w+)\]", match.group(3))
            out.append(Field((base.group(1) + " " + stars).strip(), match.group(2), dims, doc))
        return out

    def function(self, code, doc):
        code = re.sub(r"/\*.*?\*/", "", code).strip()
        match = re.match(r"(.*?[\s*])(vv\w+)\((.*)\)$", code)
        params = []
        for piece in match.group(3).split(","):
            if piece.strip() in ("void", ""):
                continue
            part = re.match(r"\s*(.*?[\s*])(\w+)\s*$", piece)
            params.append((re.sub(r"\s+", " ", part.group(1)).replace(" *", " *").strip(), part.group(2)))
        self.functions.append(Function(match.group(1).strip(), match.group(2), params, doc))


# ---- names -----------------------------------------------------------------------------------------------------------

def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def python_name(name):
    word = snake(name)
    return "definition" if word == "def" else word + "_" if keyword.iskeyword(word) else word


def quoted(doc, indent=4):
    """A docstring"""
    lines = [line.rstrip() for line in doc]
    while lines and not lines[0]:
        lines = lines[1:]
    while lines and not lines[-1]:
        lines = lines[:-1]
    text = "\n".join((" " * indent + line if line and i else line) for i, line in enumerate(lines))
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    return '"""' + text + ('\n' + " " * indent if len(lines) > 1 else (" " if text.endswith('"') else "")) + '"""'


class Writer:
    """_api.py and its stub"""
    def __init__(self, headers):
        self.h = headers
        self.code, self.stub, self.faults = [], [], []
        self.ids = {name[2:-2]: name for name in headers.structs if name.endswith("Id")}  # SoftBody -> vvSoftBodyId
        self.methods = {}
        self.names = []

    def out(self, code, stub=None):
        self.code.append(code)
        self.stub.append(code if stub is None else stub)

    # ---- constants, enums, structs

    def constants(self):
        for name, (value, said) in self.h.constants.items():
            self.out(f"{name[3:]} = {value}  # {said}", f"{name[3:]}: int")
            self.names.append(name[3:])

    def enums(self):
        for name, (comment, members) in self.h.enums.items():
            prefix = os.path.commonprefix([m[0] for m in members])
            prefix = prefix[:prefix.rindex("_") + 1]
            lines = [f"class {name[2:]}(Words):", "    " + quoted(comment + [""] + [
                f"  {m[0][len(prefix):]}: {m[2]}" for m in members])]
            stubs = [f"class {name[2:]}(IntEnum):"]
            for member, value, said in members:
                word = member[len(prefix):]
                if word[0].isdigit():
                    word = "_" + word
                lines.append(f"    {word} = {value}  # {said}")
                stubs.append(f"    {word} = {value}")
            self.out("\n\n" + "\n".join(lines), "\n" + "\n".join(stubs))
            self.names.append(name[2:])

    def field(self, struct, field):
        """(descriptor, type of what is read, type of what is set), or None where it is left out"""
        c, key = field.ctype, f"{struct}.{field.name}"
        if field.name in NO_FIELD or c == "function" or c.startswith("void"):
            return None
        at = repr(field.name)
        if field.dims:
            return f"Fixed({at})", "NDArray[Any]", "ArrayLike"
        if c in NUMBERS:
            return f"Number({at})", NUMBERS[c], NUMBERS[c]
        if c == "bool":
            return f"Flag({at})", "bool", "bool"
        if c in ("vvVec3", "vvQuat"):
            return f"Vector({at})", "Any", "ArrayLike"  # checkers want one type to read and to set
        if c == "const char *":
            return f"Text({at})", "Optional[str]", "Optional[str]"
        if c in self.h.enums:
            return f"Choice({at}, {c[2:]})", c[2:], f"Union[{c[2:]}, str, int]"
        if c.endswith("Id") and c[2:-2] in self.ids:
            return f"Reference({at}, {c[2:-2]!r})", f"Optional[{c[2:-2]}]", f"Optional[{c[2:-2]}]"
        if c in self.h.structs:
            return f"Nested({at}, {c[2:]!r})", c[2:], f"Union[{c[2:]}, dict]"
        pointed = re.sub(r"^const ", "", c[:-2]) if c.endswith(" *") else None
        if pointed in self.h.opaque:
            return f"Reference({at}, {pointed[2:]!r})", f"Optional[{pointed[2:]}]", f"Optional[{pointed[2:]}]"
        if pointed in self.h.structs and c.startswith("const"):
            return f"Pointed({at}, {pointed[2:]!r})", f"Optional[{pointed[2:]}]", f"Union[{pointed[2:]}, dict, None]"
        if pointed in DTYPES:
            shape = self.shape(struct, field)
            if shape is not None:
                return (f"Array({at}, {DTYPES[pointed]!r}, {shape!r}" +
                        (f", lambda d, owner: {LENGTHS[key]})" if key in LENGTHS else ")"), "Optional[NDArray[Any]]",
                        "Optional[ArrayLike]")
        self.faults.append(f"{key}: no rule for {c}")
        return None

    def shape(self, struct, field):
        """Names of count fields and numbers of columns"""
        key = f"{struct}.{field.name}"
        names = {f.name for f in self.h.structs[struct][1]}
        if key in LENGTHS:
            return (None,) + ((COLUMNS[key],) if key in COLUMNS else ())
        if key in COUNTED:
            return COUNTED[key]
        said = " ".join(field.doc or [])
        match = re.search(r"\b(\w*[cC]ount)\b(?: x (\d+))?", said)
        if match and match.group(1) in names:
            return (match.group(1),) + ((int(match.group(2)),) if match.group(2) else ())
        return None

    def structs(self):
        defaults = {f.result: f.name for f in self.h.functions if re.match(r"vvDefault\w+$", f.name)}
        for name, (comment, fields) in self.h.structs.items():
            if name in NO_STRUCT or name.endswith("Id"):
                continue
            lines = [f"class {name[2:]}(Struct):", "    " + quoted(comment), f"    _ctype = {name!r}"]
            stubs = [f"class {name[2:]}(Struct):"]
            if name in defaults:
                lines.append(f"    _default = {defaults[name]!r}")
            keywords, aliased = [], set()
            for field in fields:
                made = self.field(name, field)
                if made is None:
                    continue
                word = python_name(field.name)
                lines.append(f"    {word} = {made[0]}")
                lines.append(f"    {word}.__doc__ = {quoted(field.doc or [])}")
                stubs.append(f"    @property\n    def {word}(self) -> {made[1]}: ...")
                stubs.append(f"    @{word}.setter\n    def {word}(self, value: {made[2]}) -> None: ...")
                keywords.append(f"{word}: {made[2]} = ...")
            stubs.append(f"    def __init__(self, *, {', '.join(keywords)}) -> None: ..." if keywords else "    ...")
            for function in self.h.functions:
                match = re.match(rf"{name}_(\w+)$", function.name)
                if match and function.name not in BY_HAND:
                    code, stub = self.method(function, python_name(match.group(1)), "self._c" if function.params else None)
                    lines += [code] if function.params else ["    @staticmethod", code]
                    stubs += [stub] if function.params else ["    @staticmethod", stub]
            self.out("\n\n" + "\n".join(lines), "\n" + "\n".join(stubs))
            self.names.append(name[2:])

    # ---- functions

    def returned(self, function, call):
        """How a call's result is handed out: (lines, type)"""
        c = function.result
        if c == "void":
            return [call], "None"
        if c == "vvResult":
            return [f"check({call})"], "None"
        if c in NUMBERS or c == "bool":
            return [f"return {call}"], NUMBERS.get(c, "bool")
        if c == "const char *":
            return [f"return text({call})"], "str"
        if c in ("vvVec3", "vvQuat"):
            return [f"return vector({call})"], "Any"
        if c in self.h.enums:
            return [f"return {c[2:]}({call})"], c[2:]
        if c.endswith("Id") and c[2:-2] in self.ids:
            return [f"return wrap(self, {c[2:-2]!r}, {call})"], c[2:-2]
        if c in self.h.structs:
            return [f"return {c[2:]}._value({call}{', self' if 'self._id' in call else ''})"], c[2:]
        pointed = re.sub(r"^const ", "", c[:-2]) if c.endswith(" *") else None
        if function.name in RETURNED:
            return [f"return self._view({function.name!r}, {call}, {RETURNED[function.name]}, {DTYPES[pointed]!r})"], \
                f"NDArray[{DTYPES[pointed]}]"
        self.faults.append(f"{function.name}: no rule for its result {c}")
        return [call], "Any"

    def method(self, function, name, first):
        """Source and stub of a method; `first`: what stands for the first parameter"""
        names, hints, before, args = [], [], [], [first] if first else []
        params = function.params[1:] if first else function.params
        fill, taken, listed = None, set(), None
        for i, (c, param) in enumerate(params):
            if param in taken:
                continue
            word = python_name(param)
            following = params[i + 1] if i + 1 < len(params) else (None, None)
            pointed = re.sub(r"^const ", "", c[:-2]) if c.endswith(" *") else None
            hint = None
            if c in NUMBERS or c == "bool":
                args.append(word)
                hint = NUMBERS.get(c, "bool")
            elif c in ("vvVec3", "vvQuat"):
                args.append(f"as_struct({c!r}, {word})")
                hint = "ArrayLike"
            elif c == "const char *":
                args.append(f"as_text({word!r}, {word})")
                hint = "str"
            elif c in self.h.enums:
                args.append(f"{c[2:]}.of({word})")
                hint = f"Union[{c[2:]}, str, int]"
            elif c.endswith("Id") and c[2:-2] in self.ids:
                args.append(f"as_id({word}, {c[2:-2]!r})")
                hint = c[2:-2]
            elif c in self.h.structs:
                args.append(f"as_value({c[2:]}, {word})")
                hint = f"Union[{c[2:]}, dict]"
            elif c == "vvResult *":
                args.append("result")
                continue
            elif pointed in DTYPES and c.startswith("const") and following[1] in ("count", param[:-1] + "Count"):
                columns = 3 if pointed == "double" else 1
                before.append(f"{word}, {word}_count = as_array({word!r}, {word}, {DTYPES[pointed]!r}, {columns})")
                args += [f"pointer({word})", f"{word}_count"]
                taken.add(following[1])
                hint = "ArrayLike"
            elif pointed in DTYPES and c.startswith("const") and function.name in READ:
                before.append(f"{word} = as_shape({word!r}, {word}, {DTYPES[pointed]!r}, {READ[function.name]})")
                args.append(f"pointer({word})")
                hint = "ArrayLike"
            elif pointed in DTYPES and function.name in FILLED:
                before.append(f"{word} = numpy.empty({FILLED[function.name]}, {DTYPES[pointed]!r})")
                args.append(f"pointer({word})")
                fill = word
                continue
            elif pointed and not c.startswith("const") and following[1] == "capacity":
                listed = pointed
                args.append("LIST")
                taken.add("capacity")
                continue
            elif pointed in self.h.structs and c.startswith("const"):
                args.append(f"as_pointer({pointed[2:]}, {word})")
                hint = f"Union[{pointed[2:]}, dict]"
            elif pointed in self.h.structs and function.result == "vvResult":
                before += [f"{word} = {pointed[2:]}()", f"{word}._owner = self"]
                args.append(f"{word}._c")
                fill = word
                continue
            elif pointed == "int" and function.result == "vvResult":
                before.append(f'{word} = ffi.new("int *")')
                args.append(word)
                fill = f"{word}[0]"
                continue
            else:
                self.faults.append(f"{function.name}: no rule for its parameter {c} {param}")
                continue
            names.append(word)
            hints.append(f"{word}: {hint}")
        call = f"lib.{function.name}({', '.join(args)})"
        if listed:
            return self.listing(function, name, names, hints, before, args, listed)
        lines, kind = self.returned(function, call)
        if fill:
            lines, kind = [f"check({call})", f"return {fill}"], "NDArray[float64]" if "numpy" in str(before) else "Any"
        if first and first.startswith("self._id"):
            lines = ["with self._lock():"] + ["    " + line for line in before + lines]
            before = []
        head = f"    def {name}({', '.join((['self'] if first else []) + names)}):"
        code = "\n".join([head, "        " + quoted(function.doc, 8)] + ["        " + line for line in before + lines])
        stub = f"    def {name}({', '.join((['self'] if first else []) + hints)}) -> {kind}: ..."
        return code, stub

    def listing(self, function, name, names, hints, before, args, listed):
        """writes at most `capacity`, returns how many there are"""
        fill = "lambda at, room: lib." + function.name + "(" + ", ".join(
            "at, room" if arg == "LIST" else arg for arg in args) + ")"
        if listed in RECORDS:
            line, kind = f"return records({listed!r}, {fill})", "NDArray[Any]"
        elif listed.endswith("Id"):
            line, kind = f"return things(self, {listed[2:-2]!r}, {fill})", f"List[{listed[2:-2]}]"
        elif listed == "double":
            line, kind = f"return numbers('double', 3, {fill})", "NDArray[float64]"
        elif listed == "int":
            line, kind = f"return numbers('int', 1, {fill})", "NDArray[int32]"
        else:
            self.faults.append(f"{function.name}: no rule for a list of {listed}")
            return "", ""
        lines = ["with self._lock():"] + ["    " + item for item in before + [line]]
        code = "\n".join([f"    def {name}({', '.join(['self'] + names)}):", "        " + quoted(function.doc, 8)] +
                         ["        " + item for item in lines])
        return code, f"    def {name}({', '.join(['self'] + hints)}) -> {kind}: ..."

    def creator(self, function):
        """vvCreateThing(owner, def, result): a method of the owner with the fields of the definition as keywords"""
        match = re.match(r"vvCreate(\w+)$", function.name)
        types = [c for c, _ in function.params]
        if not match or len(types) != 3 or types[2] != "vvResult *" or not types[1].endswith("Def *"):
            return None
        owner, made = types[0], function.result
        if not owner.endswith("Id") or not made.endswith("Id"):
            return None
        definition = re.sub(r"^const vv| \*$", "", types[1])
        name = "create_" + snake(match.group(1))
        code = "\n".join([
            f"    def {name}(self, definition=None, **fields):",
            "        " + quoted(function.doc + ["", f"The fields of {definition} are keywords."], 8),
            f"        return self._create({made[2:-2]!r}, lib.{function.name}, {definition}, definition, fields)"])
        fields = self.keywords(f"vv{definition}")
        stub = (f"    def {name}(self, definition: Optional[{definition}] = ..., *, {fields}) -> {made[2:-2]}: ...")
        return owner[2:-2], code, stub

    def keywords(self, struct):
        out = []
        for field in self.h.structs[struct][1]:
            made = self.field(struct, field)
            if made:
                out.append(f"{python_name(field.name)}: {made[2]} = ...")
        return ", ".join(out)

    def classes(self):
        groups = {name: [] for name in list(self.ids) + [n[2:] for n in self.h.opaque]}
        loose = []
        for function in self.h.functions:
            if function.name in BY_HAND or UNUSED.fullmatch(function.name) or function.name.startswith("vvDefault"):
                continue
            made = self.creator(function)
            if made:
                groups[made[0]].append(("method", None, made[1], made[2]))
                continue
            match = re.match(r"vv(\w+?)_(\w+)$", function.name)
            noun = match.group(1) if match else None
            if match and f"vv{noun}" in self.h.structs:
                continue  # with its struct
            if match and noun in groups:
                groups[noun].append(("function", function, match.group(2), None))
            elif re.match(r"vvDestroy\w+$", function.name):
                continue  # verve/_core.py, by name
            else:
                loose.append(function)
        for noun, entries in groups.items():
            self.one_class(noun, entries)
        self.loose(loose)

    def one_class(self, noun, entries):
        is_id = noun in self.ids
        comment = self.h.structs[self.ids[noun]][0] if is_id else self.h.opaque["vv" + noun]
        comment = [re.sub(r"^The id of (an?|the)\b", lambda m: m.group(1).capitalize(), comment[0])] + (
            [] if is_id else comment[1:])
        lines = [f"class {noun}Base({'Thing' if is_id else 'Owned'}):", "    " + quoted(comment), f"    _noun = {noun!r}"]
        stubs = [f"class {noun}Base({'Thing' if is_id else 'Owned'}):"]
        setters = {}
        for kind, function, verb, _ in entries:
            if kind == "function" and verb.startswith("Set") and len(function.params) == 2:
                setters[verb[3:]] = function
        first = "self._id()" if is_id else "self._pointer()"
        for kind, function, verb, extra in entries:
            if kind == "method":
                lines.append(verb)
                stubs.append(extra)
                continue
            single = len(function.params) == 1
            getter = re.match(r"Get(\w+)$", verb)
            if verb == "IsValid":
                continue
            if single and (getter or re.match(r"Is\w+$", verb)):
                word = python_name(getter.group(1) if getter else verb)
                code, stub = self.method(function, word, first)
                setter = setters.pop(getter.group(1) if getter else verb[2:], None)
                # a set that is given before it is read
                lines += ["    @property", code]
                stubs += ["    @property", stub]
                if setter:
                    doc = quoted(setter.doc, 8)
                    set_code, set_stub = self.method(setter, word, first)
                    lines += [f"    @{word}.setter", set_code]
                    kind_of = re.search(r"\((?:self, )(\w+): (.*)\) -> None", set_stub)
                    stubs += [f"    @{word}.setter", f"    def {word}(self, value: {kind_of.group(2)}) -> None: ..."]
                continue
            if verb.startswith("Set") and len(function.params) == 2 and \
                    any(v in ("Get" + verb[3:], "Is" + verb[3:]) for k, f, v, _ in entries if k == "function"):
                continue  # with its getter
            # GetContacts and the like take nothing but room for what they list
            listing = getter and len(function.params) == 3 and function.params[2][1] == "capacity"
            if verb.startswith("Copy") and function.name in FILLED and len(function.params) == 2:
                listing, getter = True, re.match(r"Copy(\w+)$", verb)
            word = python_name(getter.group(1) if listing else re.sub(r"^Get(?=[A-Z])", "", verb))
            code, stub = self.method(function, word, first)
            listing = listing or (getter and "(self)" in stub)  # vvJoint_GetDef writes to its argument
            lines += (["    @property"] if listing else []) + [code]
            stubs += (["    @property"] if listing else []) + [stub]
        if len(stubs) == 1:
            stubs.append("    ...")
        self.out("\n\n" + "\n".join(lines), "\n" + "\n".join(stubs))

    def loose(self, functions):
        """Words, presets and what belongs to no noun"""
        for function in functions:
            words = re.match(r"vvGet(\w+)Name$", function.name)
            method = re.match(r"vv(\w+)_(\w+)$", function.name)
            shorthand = re.match(r"vvCreate(\w+)Mesh$", function.name)
            if words:
                name = snake(words.group(1)) + "_names"
                code = f"def {name}():\n    {quoted(function.doc)}\n    return words(lib.{function.name})"
                stub = f"def {name}() -> List[str]: ..."
            elif shorthand:
                continue  # MeshBase.box and others: shorthands()
            else:
                name = snake(method.group(1) + "_" + method.group(2)) if method else snake(function.name[2:])
                code, stub = self.method(function, name, None)
                code, stub = re.sub(r"(?m)^    ", "", code), stub[4:]
            self.out("\n\n" + code, "\n" + stub)
            self.names.append(name)

    def shorthands(self):
        for function in self.h.functions:
            match = re.match(r"vvCreate(\w+)Mesh$", function.name)
            if not match or function.name in BY_HAND:
                continue
            name = snake(match.group(1))
            code, stub = self.method(Function("int", function.name, function.params, function.doc), name, None)
            call = re.search(r"lib\.\w+\((.*)\)$", code).group(1)
            params = re.search(r"def \w+\((.*)\):", code).group(1)
            self.out(f"\n\ndef _mesh_{name}(cls, {params}):\n    {quoted(function.doc)}\n"
                     f"    return cls._made(lib.{function.name}({call}), {name!r})\n\n\n"
                     f"MeshBase.{name} = classmethod(_mesh_{name})", "")
            inner = re.search(r"\((.*)\) ->", stub).group(1)
            at = next(i for i, s in enumerate(self.stub) if s.startswith("\nclass MeshBase"))
            self.stub[at] += f"\n    @classmethod\n    def {name}(cls, {inner}) -> Mesh: ..."


# ---- stubs of what is written by hand --------------------------------------------------------------------------------

FIELDS = {"picture": "PictureDef", "add_plane": "ColliderDef", "record": "RecorderDef"}  # whose keywords they take
SHOWN = {"__init__", "__enter__", "__exit__", "__iter__", "__len__", "__getitem__", "__array__", "__bool__", "__eq__"}


def stub_function(node, writer, indent):
    args = ast.unparse(node.args)
    if node.args.kwarg and node.args.kwarg.arg == "fields":
        named = re.search(r"api\.(\w+Def)\b", args)
        kind = named.group(1) if named else FIELDS.get(node.name)
        taken = {arg.arg for arg in node.args.args + node.args.kwonlyargs}
        if kind:
            words = [word for word in writer.keywords("vv" + kind).split(" = ..., ")]
            words = [word.removesuffix(" = ...") + " = ..." for word in words if word.split(":")[0] not in taken]
            star = "" if node.args.kwonlyargs else "*, "
            args = args.replace("**fields: Any", star + ", ".join(words))
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    lines = [f"{indent}@{ast.unparse(one)}" for one in node.decorator_list]
    return lines + [f"{indent}def {node.name}({args}){result}: ..."]


def stub_class(node, writer):
    bases = [ast.unparse(base) for base in node.bases]
    out = [f"class {node.name}({', '.join(bases)}):" if bases else f"class {node.name}:"]
    known = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and (not part.name.startswith("_") or part.name in SHOWN):
            out += stub_function(part, writer, "    ")
        elif isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name) and not part.targets[0].id.startswith("_"):
            alias = isinstance(part.value, ast.Name) and part.value.id in known
            name = part.targets[0].id
            out.append(f"    {name} = {part.value.id}" if alias else f"    {name}: Any")
            known.add(name)
    for inner in ast.walk(node):  # attributes that methods give
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) and not inner.attr.startswith("_"):
            if isinstance(inner.value, ast.Name) and inner.value.id in ("self", "mesh", "made") and inner.attr not in known:
                known.add(inner.attr)
                out.append(f"    {inner.attr}: Any")
    return out + (["    ..."] if len(out) == 1 else [])


def stub_module(source, writer):
    """The stub of a module: its signatures, with the fields of definitions as keywords"""
    out = []
    for node in ast.parse(source).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            out.append(ast.unparse(node))
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            out += [""] + stub_class(node, writer)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            node.decorator_list = []
            out += [""] + stub_function(node, writer, "")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in ("__all__", "Path"):
                out.append(ast.unparse(node))
            elif not name.startswith("_"):
                out.append(f"{name}: Any")
    head = "from typing import Any, List, Optional, Union\nfrom numpy import float64, int32\nfrom numpy.typing import ArrayLike, NDArray\n"
    return head + "\n".join(out) + "\n"


def main():
    include, out = sys.argv[1:3]
    headers = Headers(include)
    writer = Writer(headers)
    writer.out('"""Written by python/generate.py from include/verve/*.h: change the comments there."""\n'
               "import numpy\n\nfrom ._core import *\nfrom ._core import ffi, lib\n",
               '"""Written by python/generate.py from include/verve/*.h."""\n'
               "from enum import IntEnum\nfrom typing import Any, List, Optional, Union\n\n"
               "from numpy import float64, int32, uint32\nfrom numpy.typing import ArrayLike, NDArray\n\n"
               "from ._core import Owned, Struct, Thing\n"
               "from ._extra import (" + ", ".join(sorted(writer.ids) + ["Embedding", "Mesh", "Recorder", "Scene",
                                                                        "SceneWorld", "Shape"]) + ")\n")
    writer.constants()
    writer.enums()
    writer.structs()
    writer.classes()
    writer.shorthands()
    writer.out(f"\n\n__all__ = {sorted(writer.names)!r}")
    for fault in writer.faults:
        print("generate.py:", fault, file=sys.stderr)
    if writer.faults:
        sys.exit(1)
    os.makedirs(out, exist_ok=True)
    here = os.path.dirname(os.path.abspath(__file__))
    native = open(os.path.join(here, "native.cdef"), encoding="utf-8").read()
    stubs = []
    for module in ("_core", "_extra", "_worlds"):
        text = stub_module(open(os.path.join(here, "verve", module + ".py"), encoding="utf-8").read(), writer)
        stubs.append((module + ".pyi", ("from ._api import *\n" if module == "_extra" else "") + text))
    stubs.append(("_native.pyi", "from typing import Any\n\nffi: Any\nlib: Any\n"))
    for name, text in (*stubs, ("_cdef.h", "\n".join(headers.cdef) + "\n" + native), ("_api.py", "\n".join(writer.code) + "\n"),
                       ("_api.pyi", "\n".join(writer.stub) + "\n")):
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
