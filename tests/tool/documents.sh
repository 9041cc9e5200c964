#!/bin/sh
# What the documents tell a reader to type: every `verve` command of README.md and docs/ runs (runs short ones; of what
# measures for minutes, only that the tool knows it), every scene, method and key they name exists, every scene they print
# passes `verve check`, every link leads somewhere. Blocks of C: manual.py.
#   documents.sh <verve> <source-dir>
set -eu

verve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export VERVE_SCENES="$source/scenes"
cp "$source/scenes/swing.json" scene.json
"$verve" mesh make sphere jelly.mesh --size 0.2 >out # of the reader
pages="$source/README.md $(echo "$source"/docs/*.md "$source"/docs/notes/*.md)"

fail() {
    echo "documents: $*" >&2
    exit 1
}

try() { # words of a command, the tool's name left out
    eval "\"\$verve\" $1" >out 2>err </dev/null || { cat err; fail "$file: verve $1"; }
}

# commands stand on lines of their own (indented, or in a fence of sh), or between backquotes if they have all their words; what
# follows two blanks or a # is said about them
count=0
for file in $pages; do
    {
        sed -n '/^```sh/,/^```$/s/^\(build\/\)\{0,1\}verve \(.*\)$/\2/p' "$file" | sed 's/ *#.*//; s/   *.*//'
        sed -n 's/^    \(\$ \)\{0,1\}\(build\/\)\{0,1\}verve \(.*\)$/\3/p' "$file" | sed 's/ *#.*//; s/   *.*//'
        grep -o '`\(build/\)\{0,1\}verve [a-z]* [^`]*`' "$file" | sed 's/^`\(build\/\)\{0,1\}verve //; s/`$//' | grep -v '[A-Z]\{3\}' || true
    } >commands
    while read -r command; do
        case $command in
        *": "*) continue ;; # what the tool says, not what is said to it
        *... | *=n) continue ;; # left to the reader
        run*--resume | run) continue ;;
        run*) try "$command --frames 2 --quiet" ;;
        view*) try "check ${command#view }" ;; # it serves until it is ended; view.py
        lab* | advise* | calibrate* | bench*)
            set -- $command
            "$verve" "$1" --help | grep -q -- "${2#--}\|SCENE" || fail "$file: verve $command" ;;
        *) try "$command" ;;
        esac
        count=$((count + 1))
    done <commands
done
[ $count -ge 20 ] || fail "only $count commands found"

# whole scenes
scenes=0
for file in $pages; do
    rm -f printed-*.json
    awk '/^```json/ { block = 1; text = ""; next }
         /^```/ { if (block && text ~ /"verve": 1/) { name = "printed-" ++n ".json"; printf "%s", text >name; close(name) } block = 0 }
         block { text = text $0 "\n" }' "$file"
    for scene in printed-*.json; do
        [ -e "$scene" ] || continue
        "$verve" check "$scene" >out 2>err || { cat err; fail "$file: a scene that it prints"; }
        scenes=$((scenes + 1))
    done
done
[ $scenes -ge 1 ] || fail "no scene found"

# pages that sources name
grep -rhoE 'docs/[a-z/-]+\.md' "$source/src" "$source/include" "$source/examples" "$source/bench" "$source/tests" | sort -u >named
while read -r path; do
    [ -e "$source/$path" ] || fail "a source names $path, which does not exist"
done <named

# scenes and methods by name
for file in $pages; do
    for path in $(grep -o 'scenes/[a-z0-9-]*\.json' "$file" | sort -u); do
        [ -e "$source/$path" ] || fail "$file names $path"
    done
    for method in $(grep -o '\-\-method [a-z0-9-]*' "$file" | sed 's/.* //' | sort -u); do
        { "$verve" version | tr ' ' '\n'; "$verve" ode --list; } | grep -qw -- "$method" || fail "$file: --method $method"
    done
    # links to files of the repository
    for link in $(grep -o '](\([^)]*\))' "$file" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^http' | sort -u); do
        [ -e "$(dirname "$file")/$link" ] || fail "$file: the link $link leads nowhere"
    done
    # sources, tests and scripts that are named
    for path in $(grep -o '`\(src\|tests\|examples\|scripts\|include\)/[A-Za-z0-9_/.-]*`' "$file" | tr -d '`' | sort -u); do
        [ -e "$source/$path" ] || fail "$file names $path, which does not exist"
    done
done
echo "documents: $count commands, $scenes scenes"
