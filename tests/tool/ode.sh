#!/bin/sh
# verve ode and verve lab: numbers, exit codes, JSON that others can read.
#   ode.sh <verve>
set -eu

verve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "ode: $*" >&2
    exit 1
}

# wants <exit code> <part of what it prints, or -> <words...>: stdout must be empty when it fails
wants() {
    code=$1
    part=$2
    shift 2
    status=0
    "$verve" "$@" >out 2>err || status=$?
    [ $status -eq "$code" ] || fail "$*: exit $status, want $code: $(cat err)"
    if [ "$code" -ne 0 ]; then
        [ ! -s out ] || fail "$*: printed a report and failed"
        grep -qF -- "$part" err || fail "$*: no '$part' in: $(cat err)"
    else
        [ ! -s err ] || fail "$*: $(cat err)"
        [ "$part" = - ] || grep -qF -- "$part" out || fail "$*: no '$part' in: $(head -3 out)"
    fi
}

isJson() {
    ! command -v /usr/bin/python3 >/dev/null || /usr/bin/python3 -m json.tool out >/dev/null || fail "no JSON: $(head -3 out)"
}

# every method on every problem, or a reason
"$verve" ode --list >list
problems=$(sed -n '/^problems/,/^methods/s/^  \([^ ]*\).*/\1/p' list)
methods=$(sed -n '/^methods/,$s/^  \([^ ]*\).*/\1/p' list)
for method in $methods; do
    for problem in $problems; do
        case "$(grep "^  $method " list)/$problem" in
        *"for x''"*/hauth-1a | *"for x''"*/hauth-1b | *"for x''"*/riccati)
            wants 2 'moves positions and velocities' ode --problem "$problem" --method "$method"
            ;;
        *)
            wants 0 'error' ode --problem "$problem" --method "$method" --steps 2000
            ;;
        esac
    done
done

# what it prints, and a system of the user's own with the same numbers
wants 0 '"error": 3.88' ode --problem hauth-7 --method rk4 --steps 1600 --json
isJson
wants 0 '"error": 3.88' ode --matrix '0 1; -5 0' --start '0 1' --time 10 --method rk4 --steps 1600 --json
isJson
wants 0 'evaluations  6400' ode --problem hauth-7 --method rk4 --steps 1600
wants 0 'error        0.1605' ode --problem hauth-7 --method forward-euler --steps 1600
wants 0 'error        0.0007943' ode --problem hauth-7 --method bdf2 --exact-start --steps 1600
wants 0 'rejected' ode --problem hauth-3 --method rk45 --steps 10 --tolerance 1e-6
wants 0 'order 1' ode --problem hauth-3 --method newmark --gamma 0.6 --beta 0.3025
wants 0 'verlet' ode --matrix '0 0 1 0; 0 0 0 1; -2 1 0 0; 1 -2 0 0' --start '1,0,0,0' --method verlet
wants 0 'runge-kutta, order 3' ode --problem kepler --tableau '0; 1/2 1/2; 1 -1 2; 1/6 2/3 1/6'

# every step beside the exact solution: a row for the start and one for each step, the last at T
wants 0 'time,y1,y2,exact1,exact2' ode --problem hauth-3 --method backward-euler --steps 40 --trajectory
awk -F, 'NR == 2 { a = $1 == 0 && $2 == -1 && $4 == -1 } NR > 2 { b += $2 != $4; end = $1 }
         END { exit !(a && NR == 42 && b == 40 && end == 2) }' out || fail "trajectory of backward Euler"
wants 0 'time,y1' ode --problem hauth-3 --method rk45 --steps 10 --tolerance 1e-8 --trajectory
awk -F, 'NR > 2 { d = $2 - $4; worst = d > worst ? d : -d > worst ? -d : worst; late = $1 <= last; last = $1 }
         END { exit !(worst > 0 && worst < 1e-6 && !late && last == 2) }' out || fail "trajectory of rk45"
wants 2 'leave --json out' ode --problem hauth-3 --method rk45 --trajectory --json
wants 2 'moves positions' ode --problem riccati --method verlet --trajectory

# divergence says what would have done
wants 1 'take at least 32 steps' ode --problem hauth-3 --method verlet --steps 20
wants 1 'stable at no step' ode --matrix '0 1; -5 0' --start '0 1' --time 1000 --method forward-euler --steps 2000
wants 1 "Newton's method did not converge" ode --problem kepler --method implicit-midpoint --steps 4
wants 1 'did not converge' ode --problem hauth-1a --method backward-euler --steps 2 # 1 - h lambda = 0
wants 0 'rejected' ode --problem kepler --method implicit-midpoint --steps 4 --watch-newton

# bad input
wants 2 'did you mean hauth-3?' ode --problem hauth3 --method rk4
wants 2 'did you mean verlet?' ode --problem hauth-3 --method verlot
wants 2 'no problem' ode --method rk4
wants 2 'no method' ode --problem hauth-3
wants 2 'leave one out' ode --problem hauth-3 --method rk4 --tableau '0; 1'
wants 2 'do not sum to 1' ode --problem hauth-3 --tableau '0; 1/2 1/2; 1 1'
wants 2 'must be square' ode --matrix '0 1; -5' --start '0 1' --method rk4
wants 2 'must be square' ode --matrix '' --start '0 1' --method rk4
wants 2 'where a number belongs' ode --matrix '0 1; -5 x' --start '0 1' --method rk4
wants 2 'where a number belongs' ode --matrix '0 1; -5 nan' --start '0 1' --method rk4
wants 2 '--start has 3 numbers' ode --matrix '0 1; -5 0' --start '0 1 2' --method rk4
wants 2 'needs --start' ode --matrix '0 1; -5 0' --method rk4
wants 2 'belong to --matrix' ode --problem wave --time 3 --method rk4
wants 2 'leave one out' ode --problem wave --matrix '1' --start 1 --method rk4
wants 2 'at most 0.02' ode --matrix '1e9' --start 1 --time 1e9 --method rk4
wants 2 '--steps is' ode --problem wave --method rk4 --steps 0
wants 2 'has no estimate' ode --problem wave --method rk4 --tolerance 1e-3
wants 2 'no Newton iterations' ode --problem wave --method rk4 --watch-newton
wants 2 'moves positions' ode --matrix '1 0; 0 1' --start '0 1' --method verlet
wants 2 'options only' ode wave

# the lab
wants 0 'rk4,hauth-7,1.26491' lab step-limit --problem hauth-7
wants 0 '"limit": 1.26491' lab step-limit --problem hauth-7 --json
isJson
wants 0 'bdf6,sector,,,17.83977' lab stability --method bdf6
wants 0 'verlet,imaginary-axis,0,1.5,1' lab stability --method verlet
wants 0 '"what": "boundary"' lab stability --method rk4 --json
isJson
wants 0 'bdf4,hauth-1a,4,3.99' lab orders --method bdf4 --problem hauth-1a
wants 0 'rk45,riccati,5,,,,' lab orders --method rk45 --problem riccati
wants 0 '"order": null' lab orders --method rk45 --problem riccati --json
isJson
wants 0 'rk4,hauth-3,10,inf' lab work-precision --problem hauth-3 --method rk4
wants 0 'method,problem,steps,error,evaluations' lab work-precision --problem hauth-1b
wants 0 'fig19,beta,,,2.20947' lab dinev --figure fig19
wants 0 'fig18,rises,0.033,1,' lab dinev --figure fig18
awk -F, '$2 == "rises" && $4 == 0 { a = $7 } $2 == "rises" && $4 == 1 { b = $7 }
         END { exit !(a > 123.55 && a < 123.57 && b > 131.94 && b < 131.95) }' out || fail "the step that raises the energy"
wants 0 'fig2,large step,0.033,1,0.49261793' lab dinev --figure fig2 --quick
wants 0 'rises,k = 100,0.033,' lab dinev --figure rises
awk -F, 'NR > 1 { up += $7 > 0; beyond += $8 } END { exit !(up >= 8 && beyond == 0) }' out || fail "the bound of appendix C"
wants 2 "no figure 'fig3'" lab dinev --figure fig3
# pictures of labs, with their table beside them
wants 0 'work.svg' lab work-precision --problem hauth-7 --out work.svg
grep -q 'class="curve"' work.svg || fail "no curves in work.svg"
grep -q '^rk4,hauth-7,' work.csv || fail "no table beside work.svg"
wants 2 'has no curve' lab orders --out orders.svg
wants 2 'must be a file .png or .svg' lab work-precision --out work.pdf
wants 2 'takes one page' lab
wants 2 'did you mean orders?' lab order
wants 2 "there is no method 'x'" lab orders --method x
wants 2 "there is no problem 'x'" lab orders --problem x
echo "ode: passed"
