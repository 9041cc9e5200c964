#!/bin/sh
# verve lab projective --quick: every figure has its rows, and what the figures say holds on the small bodies too. verve lab cost
# --quick: a row for every scene and method, and blends of solids are found in two trials where one was not enough.
set -eu
verve=$1
out=$(mktemp)
trap 'rm -f "$out"' EXIT

fail() {
    echo "lab: $*" >&2
    cat "$out" >&2
    exit 1
}

"$verve" lab projective --quick >"$out" || fail "exit $?"
for figure in fig4 fig5 fig9 fig11 fig12 mixed; do
    grep -q "^$figure," "$out" || fail "no $figure"
done
# figure 9: the less bending, the more waves
# figure 4: sags within 10 % of each other, more than twice under pbd; figure 5: 4 to 16 cells within 10 %
awk -F, '$1 == "fig4" && $2 == "accelerated spread" && $5 < 1.1 { a = 1 }
         $1 == "fig4" && $2 == "pbd spread" && $5 > 2 { b = 1 }
         $1 == "fig5" && $2 == "spread" && $5 < 1.1 { c = 1 }
         $1 == "fig9" && $6 == "waves" { waves[$2] = $5 }
         $1 == "fig12" && $2 == "newton" && $5 < 1e-9 { d = 1 }
         $1 == "fig12" && $2 == "accelerated" && $3 == 100 && $5 < 1e-9 { e = 1 }
         END { f = waves["bending 10"] > 2 && waves["bending 10"] < waves["bending 1"] && waves["bending 1"] < waves["bending 0.1"]
               exit !(a && b && c && d && e && f) }' "$out" || fail "a figure is not what it says"
"$verve" lab projective --quick --figure mixed --json | grep -q '"figure": "mixed"' || fail "no JSON"
# the mass is of second order, and errs to opposite sides
"$verve" lab mass --quick >"$out" || fail "exit $?"
awk -F, '$1 == "frequency lumped" { low[$2] = $3 }
         $1 == "frequency consistent" { high[$2] = $3 }
         END { a = low[4] / low[8]; b = high[4] / high[8]
               exit !(low[8] < 0 && high[8] > 0 && a > 3.5 && a < 4.5 && b > 3.5 && b < 4.5) }' "$out" || fail "masses err"
code=0
"$verve" lab projective --figure fig99 2>/dev/null >&2 || code=$?
[ "$code" -eq 2 ] || fail "a figure that is not there: exit $code instead of 2"

"$verve" lab cost --quick >"$out" || fail "cost: exit $?"
awk -F, '$2 == "stabilized" && $3 == 0.001 { ++rows; if ($4 > 0 && $1 != "stiff-cloth" && $9 > 2.5) bad = 1 }
         NR > 1 && $6 > 0 { ++ratios }
         END { exit !(rows == 4 && ratios == 16 && !bad) }' "$out" || fail "cost: rows are missing or blends take long"
code=0
"$verve" lab cost --figure fig4 2>/dev/null >&2 || code=$?
[ "$code" -eq 2 ] || fail "a scene that is not there: exit $code instead of 2"
echo "lab: figures hold"
