#!/bin/sh
# verve lab drops --quick: a cube on a plane and on spheres of 1e5 N/m, every method but small-midpoint, for which ground is
# hard, within a tenth of small steps, all at most 2 % of M g drop above their targets.
set -eu
verve=$1
out=$(mktemp)
trap 'rm -f "$out"' EXIT

fail() {
    echo "lab drops: $*" >&2
    cat "$out" >&2
    exit 1
}

"$verve" lab drops --quick >"$out" || fail "exit $?"
awk -F, '$4 == "reference" { apex[$2] = $5 }
         $4 != "reference" && NR > 1 {
             rows += 1
             far = $4 != "small-midpoint" && ($5 < 0.9 * apex[$2] || $5 > 1.1 * apex[$2])
             if (far || $8 > 0.02)
                 wrong += 1
         }
         END { exit !(rows == 8 && wrong == 0) }' "$out" || fail "a drop is not what small steps say"
code=0
"$verve" lab drops --method backwards 2>/dev/null >&2 || code=$?
[ "$code" -eq 2 ] || fail "a method that is not there: exit $code instead of 2"
echo "lab drops: rebounds hold"
