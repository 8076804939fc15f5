#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh [--update] CASE.sh...
# Run golden cases with the program $DUSK and compare what they write with the
# files beside them:
#   CASE.stdout.exact  or  CASE.stdout.glob, the same for stderr; absent: empty
#   CASE.exit          the exit code; absent: 0
# In a .glob file '*' stands for anything within a line and '#' for a number.
# --update writes the files that do not match anew from what happens. Look at
# the difference: what is random may have come out the same twice.
#
# A case runs in a folder that has the files of data/ and the samples of examples/, with
# `dusk` on its PATH. It may end with 77 to be skipped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${DUSK:?DUSK must be the path of the program}"
update=no
if [ "${1-}" = --update ]; then
    update=yes
    shift
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$(cd "$(dirname "$DUSK")" && pwd)/$(basename "$DUSK")" "$scratch/bin/dusk"
PATH=$scratch/bin:$PATH
LC_ALL=C
export PATH LC_ALL
unset NO_COLOR COLUMNS || true

# run_case SCRIPT NAME: leaves NAME.stdout, NAME.stderr and NAME.exit.
run_case() {
    rm -rf "$scratch/folder"
    cp -R "$here/data" "$scratch/folder"
    cp "$here"/../../examples/*.csv "$here"/../../examples/*.fields "$scratch/folder"
    code=0
    (cd "$scratch/folder" && sh "$1") </dev/null >"$scratch/$2.stdout" 2>"$scratch/$2.stderr" || code=$?
    echo "$code" >"$scratch/$2.exit"
}

# A glob file as a file of extended regular expressions, one a line.
patterns() {
    sed -e 's/[][\\.^$+?(){}|]/\\&/g' -e 's/\*/.*/g' \
        -e 's/#/-?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?/g' "$1"
}

# matches EXPECTED-WITHOUT-SUFFIX ACTUAL
matches() {
    if [ -f "$1.exact" ]; then
        cmp -s "$1.exact" "$2"
    elif [ -f "$1.glob" ]; then
        [ "$(wc -l <"$1.glob")" -eq "$(wc -l <"$2")" ] || return 1
        patterns "$1.glob" >"$scratch/patterns"
        number=0
        while IFS= read -r line; do
            number=$((number + 1))
            sed -n "${number}p" "$2" | grep -Eqx -e "$line" || return 1
        done <"$scratch/patterns"
    else
        [ ! -s "$2" ]
    fi
}

# show EXPECTED-WITHOUT-SUFFIX ACTUAL
show() {
    for expected in "$1.exact" "$1.glob"; do
        [ ! -f "$expected" ] || diff -u "$expected" "$2" || true
    done
    if [ ! -f "$1.exact" ] && [ ! -f "$1.glob" ]; then sed 's/^/+/' "$2"; fi
}

# rewrite EXPECTED-WITHOUT-SUFFIX ACTUAL AGAIN
rewrite() {
    rm -f "$1.exact" "$1.glob"
    if [ ! -s "$2" ]; then return 0; fi
    hide "$2" "$3" >"$scratch/hidden"
    if cmp -s "$2" "$scratch/hidden"; then
        cp "$2" "$1.exact"
    else
        cp "$scratch/hidden" "$1.glob"
    fi
}

# hide ACTUAL AGAIN: the numbers of lines that differ and of intervals, numbers
# whose last digits may change with the arithmetic, and the version.
hide() {
    awk 'NR == FNR { again[FNR] = $0; next }
        { print ($0 != again[FNR] || /^(interval|accuracy):/ ? "!" : " ") $0 }' "$2" "$1" |
        sed -E -e '/^!/s/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/#/g' -e 's/^.//' \
            -e 's/-?[0-9]*\.[0-9]{5,}(e[-+]?[0-9]+)?/#/g' -e 's/[0-9.]+e\+[0-9]+/#/g' -e 's/; dusk [0-9.]+$/; dusk */'
}

failed=0
for script; do
    folder=$(cd "$(dirname "$script")" && pwd)
    script=$folder/$(basename "$script")
    base=${script%.sh}
    run_case "$script" first
    if [ "$(cat "$scratch/first.exit")" = 77 ] && [ ! -f "$base.exit" ]; then
        cat "$scratch/first.stdout"
        exit 77
    fi
    if [ "$update" = yes ]; then run_case "$script" second; fi
    for stream in stdout stderr; do
        if matches "$base.$stream" "$scratch/first.$stream"; then continue; fi
        if [ "$update" = yes ]; then
            rewrite "$base.$stream" "$scratch/first.$stream" "$scratch/second.$stream"
            continue
        fi
        echo "$(basename "$base"): $stream differs"
        show "$base.$stream" "$scratch/first.$stream"
        failed=1
    done
    code=$(cat "$scratch/first.exit")
    wanted=0
    if [ -f "$base.exit" ]; then wanted=$(cat "$base.exit"); fi
    if [ "$code" = "$wanted" ]; then continue; fi
    if [ "$update" = yes ]; then
        rm -f "$base.exit"
        [ "$code" -eq 0 ] || echo "$code" >"$base.exit"
    else
        echo "$(basename "$base"): exit $code instead of $wanted"
        failed=1
    fi
done
exit "$failed"
