#!/bin/sh
# the tests of the package, against the shared libraries of a build.
#   run.sh <source-dir> <build-dir> [words of pytest]
set -eu

source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
shift 2
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import cffi, numpy, pytest, setuptools, wheel' ||
    { echo "python: packages are missing: run 'scripts/setup python'" >&2; exit 1; }
sh "$source/python/stage.sh" "$source" "$build" "$python"
unset VERVE_SCENES
PYTHONPATH="$build/python/stage" PYTHONDONTWRITEBYTECODE=1 VERVE_BUILD="$build" \
    exec "$python" -m pytest -q -p no:cacheprovider "$source/python/tests" "$@"
