#!/bin/sh
# runs schema.py with debian's python, which has jsonschema.
#   schema.sh <source-dir>
set -eu
exec /usr/bin/python3 "$1/tests/scene/schema.py" "$1"
