#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_exports.sh LIBRARY GOLDEN INCLUDE [--update]
# What the shared library exports is what the golden list says and what the
# public headers declare, and every name begins with dusk_. --update rewrites
# the list; adding to it is a change of the interface, taking from it breaks
# the ABI: both belong in CHANGELOG.md.
set -eu
if [ $# -lt 3 ]; then
    echo "usage: check_exports.sh LIBRARY GOLDEN INCLUDE [--update]" >&2
    exit 2
fi
library=$1 golden=$2 include=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
LC_ALL=C
export LC_ALL

nm -D --defined-only "$library" | awk '{ print $3 }' | sort -u >"$scratch/exported"
cat "$include"/dusk/*.h | tr '\n' ' ' | grep -oE 'DUSK_API [^;(#]*\(' |
    sed -n 's/.*[ *]\(dusk_[a-z0-9_]*\)($/\1/p' | sort -u >"$scratch/declared"

failed=0
if grep -v '^dusk_' "$scratch/exported"; then
    echo "exports: the names above do not begin with dusk_"
    failed=1
fi
# differ WORDS A B: say what stands in A and not in B.
differ() {
    comm -23 "$2" "$3" >"$scratch/only"
    if [ -s "$scratch/only" ]; then
        sed "s/^/  /" "$scratch/only"
        echo "exports: the names above are $1"
        failed=1
    fi
}
differ "declared in a public header but not exported" "$scratch/declared" "$scratch/exported"
differ "exported but in no public header" "$scratch/exported" "$scratch/declared"
if [ "${4-}" = --update ]; then
    cp "$scratch/exported" "$golden"
    echo "exports: wrote $(wc -l <"$golden") names"
elif [ ! -f "$golden" ]; then
    echo "exports: the golden list is missing; make it with --update"
    failed=1
else
    sort -u "$golden" >"$scratch/golden"
    differ "exported but not in the golden list (--update adds them)" "$scratch/exported" "$scratch/golden"
    differ "in the golden list but not exported: this breaks the ABI" "$scratch/golden" "$scratch/exported"
fi
[ "$failed" -eq 0 ] && echo "exports: ok"
exit "$failed"
