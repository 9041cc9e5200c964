#!/bin/sh
# Every shipped scene runs without a warning, to its end or for some frames: the tool says nothing on stderr, and the summary doubts neither
# the energy nor the angular momentum.
#   scenes.sh <verve> <source-dir> [frames]
set -eu

verve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
count=0

doubt() { # scene, file with what was said
    echo "scenes: $1:" >&2
    cat "$2" >&2
    failed=1
}

for scene in "$source"/scenes/*.json; do
    name=$(basename "$scene" .json)
    [ "$name" = verve.schema ] && continue
    count=$((count + 1))
    "$verve" run "$scene" --no-record --threads 1 ${3:+--frames "$3"} >out 2>err </dev/null || doubt "$name" err
    [ ! -s err ] || doubt "$name" err
    grep 'ENERGY GAINED\|ACCOUNTS DO NOT BALANCE\|CHANGED by' out >doubts && doubt "$name" doubts
done
[ $count -ge 32 ] || { echo "scenes: only $count found" >&2; exit 1; }
[ $failed -eq 0 ]
echo "scenes: $count run without a warning"
