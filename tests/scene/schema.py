# the published schema against an independent validator: it takes every shipped scene, and refuses the mistakes that a
# schema can see.
#   schema.py <source-dir>
import json
import pathlib
import sys

import jsonschema

source = pathlib.Path(sys.argv[1])
schema = json.loads((source / "scenes/verve.schema.json").read_text())
validator = jsonschema.Draft7Validator(schema)
validator.check_schema(schema)

scenes = sorted(p for p in (source / "scenes").glob("*.json") if p.name != "verve.schema.json")
base = source / "tests/scene/base.json"
for path in [*scenes, base]:
    errors = list(validator.iter_errors(json.loads(path.read_text())))
    if errors:
        sys.exit(f"schema: {path.name}: {errors[0].json_path}: {errors[0].message}")

text = base.read_text()
seen = 0
for mistake in json.loads((source / "tests/scene/mistakes.json").read_text()):
    broken = json.loads(text.replace(mistake["find"], mistake["put"]))
    refused = not validator.is_valid(broken)
    seen += refused
    if refused != mistake.get("schema", False):
        sys.exit(f"schema: {mistake['put']}: {'refused' if refused else 'accepted'}")
if len(scenes) < 8 or seen < 40:
    sys.exit(f"schema: only {len(scenes)} scenes and {seen} mistakes")
print(f"schema: {len(scenes)} scenes accepted, {seen} mistakes refused")
