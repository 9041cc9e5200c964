#!/bin/sh
# verve plot: pictures of ledgers and of tables, and what it refuses.
#   plot.sh <verve>
set -eu

verve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "plot: $*" >&2
    exit 1
}

# wants <exit code> <part of what it prints> <words...>
wants() {
    code=$1
    part=$2
    shift 2
    status=0
    "$verve" plot "$@" >out 2>&1 || status=$?
    [ $status -eq "$code" ] || fail "$*: exit $status, want $code: $(cat out)"
    grep -qF -- "$part" out || fail "$*: no '$part' in: $(cat out)"
}

# how many marks of a kind an SVG has
count() {
    grep -o "$1" "$2" | wc -l
}

mkdir run other
printf 'frame,time,total,alpha,hash\n0,0,1,0,a1\n1,0.5,2,0.5,b2\n2,1,4,-1,c3\n' >run/ledger.csv
printf '# a comment\nframe,time,total,alpha,hash\n0,0,8,0,a1\n1,0.5,,0.5,b2\n2,1,8,x,c3\n3,1.5,8,1,c3\n' >other/ledger.csv

# a panel for each column, a curve for each run; a folder is its ledger
wants 0 'two.svg: 960 x 600 pixels' run other/ledger.csv --y total,alpha --out two.svg --label 'a < b'
[ "$(count 'class="curve"' two.svg)" -eq 4 ] || fail "curves of two.svg"
grep -q 'a &#60; b' two.svg || fail "a label is not escaped"
[ "$(count '>total<' two.svg)" -eq 1 ] || fail "titles of two.svg"
# a cell that is no number breaks the curve: three pieces, the last the sign of the legend
grep 'class="curve"' two.svg | sed -n 1p | grep -o M | wc -l | grep -qx ' *3' || fail "a gap is drawn over"

# groups, logarithms: what is not above 0 is left out; powers of ten at the axes
printf 'method,steps,error\na,10,0.1\na,100,0.001\nb,10,0.01\nb,100,0\n' >table.csv
wants 0 'log.svg' table.csv --x steps --y error --by method --log xy --out log.svg
[ "$(count 'class="curve"' log.svg)" -eq 2 ] || fail "groups"
grep -q '>1e-3<' log.svg || fail "no power of ten"
grep 'class="curve"' log.svg | sed -n 1p | grep -o L | wc -l | grep -qx ' *0' || fail "a zero has no logarithm"

# the same as PNG, of the size that was asked for
if "$verve" plot run --y total --out one.png --size 400x200 >out 2>&1; then
    od -An -tu1 -j16 -N8 one.png | tr -s ' ' | grep -q '0 0 1 144 0 0 0 200' || fail "size of the PNG"
else
    grep -q libpng out || fail "PNG: $(cat out)"
fi
wants 0 'plot.svg' run --y total
[ -s plot.svg ] || fail "no default file"

# a file that is there is replaced whole; a folder is not
wants 0 'plot.svg' run --y alpha
grep -q '>alpha<' plot.svg || fail "the old file is still there"
mkdir folder.svg
wants 3 'cannot write' run --y total --out folder.svg
[ "$(ls ./*.part 2>/dev/null)" = "" ] || fail "a part is left"

wants 2 'no columns' run
wants 2 'takes 1 to 16' --y total
wants 2 "no column 'totale'" run --y totale
wants 2 "no column 'method'" run --y total --by method
wants 2 'must end in .svg or .png' run --y total --out a.pdf
wants 2 'must be x, y or xy' run --y total --log z
wants 2 '--size must be' run --y total --size 3x3
wants 2 'more than 8 columns' run --y a,b,c,d,e,f,g,h,i
wants 2 'more labels than files' run --y total --label a --label b
wants 3 'cannot read' nowhere.csv --y total
wants 3 'cannot write' run --y total --out nowhere/plot.svg
: >empty.csv
wants 2 'is empty' empty.csv --y total
head -1 run/ledger.csv >bare.csv
wants 2 'has no rows' bare.csv --y total
# nothing is left behind by a mistake
rm -f kept.svg
wants 2 'no column' run --y nothing --out kept.svg
[ ! -e kept.svg ] || fail "a file was written in spite of a mistake"
echo "plot: passed"
