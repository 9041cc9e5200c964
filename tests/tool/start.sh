# How the tests of the tool start; sourced by them with their own arguments, <verve> [source-dir]: absolute paths, a folder of
# their own that goes away, and the words they share.
set -eu

test_name=$(basename "$0" .sh)
verve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source=$(cd "${2:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

fail() {
    echo "$test_name: $*" >&2
    exit 1
}

expect() { # expect CODE command...: runs it, output in out and err
    want=$1
    shift
    code=0
    "$@" >out 2>err || code=$?
    [ "$code" -eq "$want" ] || { cat out err; fail "exit $code instead of $want: $*"; }
}
