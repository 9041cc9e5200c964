#!/bin/sh
# records a scene and reads it with VTK.
#   tests/record/vtk.sh RECORD_SCENE
set -eu
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" "$folder"
/usr/bin/python3 "$here/vtk.py" "$folder"
