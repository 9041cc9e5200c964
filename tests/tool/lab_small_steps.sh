#!/bin/sh
# verve lab small-steps: the numbers of Macklin 2019 that its figures 3, 4 and 7 show.
#   lab_small_steps.sh <verve>
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
"$1" lab small-steps >"$work/table"

# cell <figure> <scene> <method> <substeps> <iterations> <column> <least> <most>: of the last frame of that run
cell() {
    awk -F, -v figure="$1" -v scene="$2" -v method="$3" -v substeps="$4" -v iterations="$5" -v name="$6" \
        -v least="$7" -v most="$8" '
        NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i }
        $1 == figure && $2 == scene && $3 == method && $4 == substeps && $5 == iterations { value = $column[name] }
        END { if (!(value != "" && value + 0 >= least && value + 0 <= most)) {
            print "lab: " scene " " method " " substeps "x" iterations ": " name " is " value ", want " least " to " most
            exit 1 } }' "$work/table" >&2
}

# the paper: 322.1 m and 3.2 m of a chain with 1e5 kg at its end
cell 3 heavy-chain small-steps 1 100 most 322.03 322.23
cell 3 heavy-chain small-steps 100 1 most 3.236 3.240
# closed form 180 g h^2, 190 N at the top, and a residual 70 times below that of as many iterations
cell 4 chain small-steps 100 1 stretch 1.619e-4 1.621e-4
cell 4 chain small-steps 100 1 force 189.99 190.01
cell 4 chain small-steps 100 1 residual 0 5.9e-5
cell 4 chain small-steps 1 100 residual 4e-3 5e-3
# the beam: substeps approach small converged steps; iterations and backward Euler by newton-cg keep the error of the frame
cell 7 beam small-steps 100 1 residual 0 0.01
cell 7 beam small-steps 1 100 residual 0.1 10
cell 7 beam backward-euler 1 0 residual 0.1 0.2
cell 7 beam implicit-midpoint 4 0 residual 0 0.005
# over time: a row every 10 frames
[ "$(grep -c '^3,heavy-chain,small-steps,100,1,' "$work/table")" -eq 100 ]
echo "lab: passed"
