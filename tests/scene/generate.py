"""Random scenes from the published schema: legal ones, mild or wild, and mutants of them. The same seed, the same scene."""

import copy
import math
import random

# keys whose cost grows with their value: what is legal there may take an hour
MODELS = ("hippo", "cactus", "dog", "bunny", "car", "horn", "figure")
COSTLY = {"cells": 4, "iterations": 12, "substeps": 6, "contactSamples": 3, "frames": 4, "shapeClusters": 8, "snapshotEvery": 3}
OFTEN = {"rigidBodies": 0.35, "joints": 0.7, "fluids": 0.15, "bonds": 0.05, "colliders": 0.6, "integrator": 0.9, "softContact": 0.5, "method": 0.8, "pins": 0.3, "material": 0.7, "position": 0.6, "size": 0.6}
SHAPES = {"plane": ["normal", "offset"], "sphere": ["radius"], "box": ["size"], "capsule": ["radius", "length"], "convex": ["points"],
          "mesh": ["file", "sampling", "scale"], "heightfield": ["heights", "size"], "figure": ["height", "cells", "walk"]}
FILES = ["tet.obj", "box.msh", "sheet.obj", "box.node", "missing.obj", "../outside.obj", "/etc/passwd", "."]
ABSURD = [1e300, -1e300, 1e-300, 1e17, -1, 0, -0.0, 4294967296, 0.5, True, None, [], {}, "", "x", "x" * 3000,
          "\x1b[2J\u009b\u202e", "\u0000", [[[[[[]]]]]], [1] * 200, {"a": {"b": {}}}]


class Generator:
    def __init__(self, schema, seed):
        self.schema = schema
        self.rng = random.Random(seed)
        self.wild = self.rng.random() < 0.35
        self.names = []

    # ---- choices: all from random(), whose stream no version of Python changes

    def chance(self, share):
        return self.rng.random() < share

    def below(self, count):
        return int(self.rng.random() * count)

    def pick(self, values):
        return values[self.below(len(values))]

    # ---- values

    def number(self, s, key):
        low = s.get("minimum", s.get("exclusiveMinimum", -1e6))
        high = s.get("maximum", s.get("exclusiveMaximum", 1e6))
        if key in COSTLY:
            return min(high, low + self.below(min(COSTLY[key], high - low) + 1))
        if s["type"] == "integer":
            return int(low + self.below(min(high - low, 40) + 1))
        default = s.get("default", 0)
        if self.wild:
            # the whole range, decade by decade, and its ends
            value = self.pick([low, high, default, 10 ** (self.rng.random() * 24 - 12) * self.pick([1, -1]),
                               10 ** (self.rng.random() * -300)])
        else:
            value = (default or self.pick([1, 0.5, 0.2, 0.01, 100])) * 2 ** (self.rng.random() * 2 - 1)
            value = value if low >= 0 or self.chance(0.5) else -value
        value = min(max(value, low), high)
        if value <= s.get("exclusiveMinimum", -math.inf) or value >= s.get("exclusiveMaximum", math.inf):
            value = (low + min(high, low + 1)) / 2
        return value

    def value(self, s, key):
        while "$ref" in s or "allOf" in s or "oneOf" in s and "type" not in s:
            s = (self.schema["definitions"][s["$ref"].rsplit("/", 1)[1]] if "$ref" in s
                 else s["allOf"][0] if "allOf" in s else self.pick(s["oneOf"]))
        if "enum" in s:
            return self.pick(s["enum"])
        kind = s.get("type")
        if kind == "boolean":
            return self.chance(0.5)
        if kind in ("number", "integer"):
            return self.number(s, key)
        if kind == "array":
            least = s.get("minItems", 0)
            count = min(s.get("maxItems", 3), max(least, self.below(3) if least < 3 else 0))
            return [self.value(s["items"], key) for _ in range(count)]
        if kind == "object":
            return self.object(s)
        return self.text(key)

    def text(self, key):
        if key == "file":
            return self.pick(FILES[:4]) if self.chance(0.95) else self.pick(FILES)
        if key == "body":
            return self.pick(self.names)
        return self.pick(["a", "ledger.csv", "name with spaces", "\u00fcber", "b.vvs"])

    def object(self, s):
        wanted = {name for choice in [self.pick(s.get("oneOf", [{}]))] for name in choice.get("required", [])}
        others = {name for choice in s.get("oneOf", []) for name in choice.get("required", [])} - wanted
        wanted |= set(s.get("required", []))
        made = {}
        for name, sub in s["properties"].items():
            share = OFTEN.get(name, 0.3 if self.wild else 0.12)
            if name in wanted or (name not in others and name != "$schema" and self.chance(share)):
                made[name] = self.value(sub, name)
        return made

    # ---- what a schema cannot say, so that many scenes run

    def mend_shape(self, shape):
        own = [key for keys in SHAPES.values() for key in keys if key not in SHAPES[shape["shape"]]] + ["format"]
        for key in own:
            shape.pop(key, None)
        if shape["shape"] == "mesh":
            shape["file"] = "tet.obj"
        if shape["shape"] == "convex":
            shape["points"] = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, self.pick([1, 0.1, 1e-6])]]
        if shape["shape"] == "heightfield":
            shape["heights"] = [[0, 0.1, 0], [0.2, self.pick([0, 1, -1e5]), 0]]
        if isinstance(shape.get("size"), list):
            shape["size"] = (shape["size"] * 3)[:3 if shape["shape"] == "box" else 2]

    def mend_rigid(self, scene):
        names = []
        for i, body in enumerate(scene.get("rigidBodies", [])):
            names.append("rigid%d" % i)
            body["name"] = names[i]
            self.mend_shape(body)
            if body["shape"] in ("plane", "heightfield") or body.get("sampling", 0) > 0:
                body["kinematic"] = True
            body["position"] = [0.4 * i, 1 + 0.3 * i, 0] if self.chance(0.7) else body.get("position", [0, 0, 0])
        if len(names) == 0:
            scene.pop("joints", None)
        moving = [body["name"] for body in scene.get("rigidBodies", []) if not body.get("kinematic")]
        if not moving:
            scene.pop("joints", None)
        for joint in scene.get("joints", []):
            joint["b"] = self.pick(moving)
            joint.pop("a", None)
            if len(names) > 1 and self.chance(0.6):
                joint["a"] = self.pick([name for name in names if name != joint["b"]])
            if joint["kind"] == "pulley":
                joint["kind"] = "hinge"
            joint["pointB"] = [0.5, 1, 0.25]
            joint["axis"] = self.pick([[1, 0, 0], [0, 2, 0], [1, -1, 3]])
            if joint["kind"] != "distance":
                joint.pop("pointB")
            for low, high in (("lower", "upper"), ("linearLower", "linearUpper"), ("angularLower", "angularUpper")):
                joint.pop(low, None)
                joint.pop(high, None)
            if joint["kind"] == "six-degree" and self.chance(0.5):
                joint["linearLower"], joint["linearUpper"] = [-0.1, 0, -1], [0.1, 0, 1]
            if joint["kind"] in ("hinge", "slider") and self.chance(0.5):
                joint["lower"], joint["upper"] = -0.5, self.pick([-0.5, 0, 1])
            if joint["kind"] not in ("hinge", "slider"):
                for key in [key for key in joint if key.startswith("motor")]:
                    joint.pop(key)
            if joint["kind"] != "cone-twist":
                joint.pop("swing", None)

    def mend_fluid(self, scene):
        for i, fluid in enumerate(scene.get("fluids", [])):
            fluid["name"] = "fluid%d" % i
            fluid["spacing"] = self.pick([0.05, 0.1, 0.2])
            fluid["maxParticles"] = self.pick([1, 300, 600])
            fluid["substeps"], fluid["maxSubsteps"] = 1 + self.below(3), 4
            fluid["blocks"] = [{"box": [[0, 0.5, 0], [0.25, 0.75 + 0.1 * self.below(3), 0.25]]}][: self.below(2)]
            fluid["emitters"] = [{"position": [0, 1, 0], "radius": 0.2, "speed": self.pick([0.5, 2])}][: self.below(2)]
            fluid["drains"] = [{"box": [[-1, -1, -1], [1, 0, 1]]}][: self.below(2)]

    def mend_pin(self, pin, scene):
        pin.pop("animation", None)
        follows = "follow" in pin and scene.get("colliders")
        for key in ("keyframes", "plane", "line") if follows else ("follow",):
            pin.pop(key, None)
        if follows:
            pin["follow"] = self.below(len(scene["colliders"]))
        if self.chance(0.8) or "plane" in pin and "line" in pin:
            pin.pop("line", None)
            pin.pop("plane", None)
        if "plane" in pin or "line" in pin:
            for key in ("keyframes", "release", "stiffness", "maxDistance", "backstop"):
                pin.pop(key, None)
        if "maxDistance" in pin or "backstop" in pin:
            for key in ("release", "stiffness"):
                pin.pop(key, None)
        if "stiffness" in pin:
            pin.pop("release", None)

    def mend_material(self, body, mesh):
        """Keys that the matter of the mesh does not have."""
        material = body.get("material")
        matter = "rope" if "points" in mesh or mesh.get("shape") in ("rope", "coil") else "sheet" if mesh.get("shape") in ("sheet", "tube") else "solid"
        if "solid" in mesh or "file" in mesh:
            matter = "sheet" if mesh.get("file", "").endswith(".obj") else "solid"
        if matter != "rope":
            mesh.pop("rod", None)
        if not isinstance(material, dict) or self.chance(0.1):
            return
        wrong = {"rope": ["areaStiffness", "volumeStiffness", "bendingModel", "exampleStiffness", "exampleWeights"],
                 "sheet": ["volumeStiffness", "twisting", "exampleStiffness", "exampleWeights"],
                 "solid": ["areaStiffness", "bending", "twisting", "bendingModel", "springStiffness"]}[matter]
        if matter == "rope" and not mesh.get("rod"):
            wrong += ["bending", "twisting"]
        for key in wrong:
            material.pop(key, None)
        models = {"rope": ["spring", "squared-spring"], "sheet": ["spring", "membrane", "triangle"],
                  "solid": ["corotated", "stable-neo-hookean", "smoothed", "linear", "stvk", "mooney-rivlin", "ogden"]}[matter]
        if "model" in material:
            material["model"] = models[0] if matter == "rope" else self.pick(models)
        if matter != "rope" and "damping" in body:
            body["damping"].pop("spring", None)
        material.pop("strainLimit", None) if self.chance(0.7) else None

    def mend(self, scene):
        scene.get("integrator", {}).pop("tableau", None)
        scene.pop("record", None)
        self.mend_rigid(scene)
        self.mend_fluid(scene)
        if len(self.names) < 2:
            scene.pop("bonds", None)
        for bond in scene.get("bonds", []):
            bond["a"], bond["b"] = self.names[:2]
            bond["distance"] = 1e3
        for i, body in enumerate(scene["bodies"]):
            body["name"] = self.names[i]
            mesh = body["mesh"]
            if "file" in mesh:
                mesh = body["mesh"] = {k: v for k, v in mesh.items() if k in ("file", "scale", "rotate")}
            elif "points" in mesh:
                mesh = body["mesh"] = {k: v for k, v in mesh.items() if k in ("scale", "rotate")}
                mesh["points"] = [[self.below(100) / 100 for _ in range(3)] for _ in range(2 + self.below(3))]
                if self.chance(0.5):
                    mesh["springs"] = [[0, 1]]
            else:
                mesh.pop("springs", None)
                mesh.pop("time", None)
                if mesh["shape"] in MODELS:  # thousands of vertices: the smallest, now and then
                    mesh["shape"] = "horn" if self.chance(0.2) else "box"
                mesh.pop("format", None)
                mesh.pop("unit", None)
                if mesh["shape"] == "tube" and "solid" in mesh:
                    mesh["solid"] = {"cells": 2 + self.below(COSTLY["cells"]), "kind": self.pick(["conforming", "cage"])}
                else:
                    mesh.pop("solid", None)
                mesh["cells"] = 3 if mesh["shape"] in ("tube", "torus", "horn") else 1 + self.below(COSTLY["cells"])
                if mesh["shape"] == "torus":
                    mesh.pop("size", None)
                if isinstance(mesh.get("size"), list):
                    mesh["size"] = (mesh["size"] * 3)[:3]
            body["pins"] = body.get("pins", [])[:1]
            for part in body["pins"] + body.get("forces", []) + body.get("regions", []):
                part["where"] = self.pick([{"all": True}, {"vertices": [0]}, {"sphere": {"centre": [0, 0, 0], "radius": 1e6}}])
            for part in body.get("forces", []):
                part.pop("to", None)
            for part in body.get("regions", []):
                part["where"] = {"all": True} if self.chance(0.9) else part["where"]
                part.setdefault(self.pick(["stiffness", "density"]), self.pick([0.5, 2]))
            for pin in body["pins"]:
                self.mend_pin(pin, scene)
            held = [pin for pin in body["pins"] if pin["where"] == {"vertices": [0]} and not
                    {"stiffness", "plane", "line", "maxDistance", "backstop"} & set(pin)]
            if not held:
                body.pop("tethers", None)
            self.mend_material(body, mesh)
            if mesh.get("solid", {}).get("kind") == "cage":
                body.pop("contactSamples", None)
            else:
                body.pop("contactSurface", None)
            if mesh.get("shape") in ("sheet", "rope", "tube") or "file" in mesh or "points" in mesh:
                body.pop("examples", None)
                body.pop("pressure", None)
            scene["softContact"] = scene.get("softContact", False) or body.get("selfContact", False)
            for example in body.get("examples", []):
                example.pop("file", None)
                example.setdefault("stretch", [1, 1.1, 1])
        for part in [p for b in scene["bodies"] for p in b.get("pins", [])] + scene.get("colliders", []):
            for i, frame in enumerate(part.get("keyframes", [])):
                frame["time"] = 0.01 * i
        for collider in scene.get("colliders", []):
            collider.pop("animation", None)
            if collider["shape"] == "figure":  # hundreds of points
                collider["cells"] = 4
            self.mend_shape(collider)
        for attachment in scene.get("attachments", []):
            for side in ("a", "b"):
                attachment[side] = {"body": self.pick(self.names), "vertex": self.below(2) + (2 if side == "b" else 0)}
        scene["frames"] = 2

    def scene(self):
        body = self.schema["definitions"]["body"]
        self.names = ["body%d" % i for i in range(1 + self.below(3))]
        scene = self.object(self.schema)
        scene["bodies"] = [self.object(body) for _ in self.names]
        if not self.chance(0.1):
            self.mend(scene)
        return scene

    # ---- mutants

    def places(self, tree, found):
        items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else []
        for key, value in items:
            if key not in COSTLY:
                found.append((tree, key))
                self.places(value, found)
        return found

    def mutate(self, scene):
        for _ in range(1 + self.below(2)):
            owner, key = self.pick(self.places(scene, []))
            deed = self.below(4)
            if deed == 0 and isinstance(owner, dict):
                owner[self.pick(["mas", "x\x1b", "", "k" * 500, "wind"])] = copy.deepcopy(self.pick(ABSURD))
            elif deed == 1:
                del owner[key]
            else:
                owner[key] = copy.deepcopy(self.pick(ABSURD))
        return scene

    def damage(self, text):
        at = self.below(len(text))
        deed = self.below(4)
        if deed == 0:
            return text[:at]
        if deed == 1:
            return text[:at] + bytes([self.below(256)]) + text[at + 1:]
        if deed == 2:
            return text[:at] + b"[" * self.pick([10, 100, 100000]) + text[at:]
        return text.replace(b"0", self.pick([b"NaN", b"1e999", b"-", b"00", b".5", b"1e-999"]), 1 + self.below(3))
