# SPDX-License-Identifier: Apache-2.0
# Shared by the self-tests of the checks: a scratch folder, and two verbs.
set -eu
repo=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cases=0

# passes WHAT COMMAND...: the check must accept what lies in the scratch folder.
passes() {
    what=$1
    shift
    cases=$((cases + 1))
    if ! "$@" >"$scratch/.log" 2>&1; then
        echo "should pass: $what"
        cat "$scratch/.log"
        exit 1
    fi
}

# catches WHAT TEXT COMMAND...: the check must refuse and say TEXT.
catches() {
    what=$1 text=$2
    shift 2
    cases=$((cases + 1))
    if "$@" >"$scratch/.log" 2>&1; then
        echo "not caught: $what"
        exit 1
    fi
    if ! grep -qF -- "$text" "$scratch/.log"; then
        echo "caught for another reason: $what"
        cat "$scratch/.log"
        exit 1
    fi
}

finish() { echo "$cases cases"; }
