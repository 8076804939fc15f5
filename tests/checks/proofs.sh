#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# proofs.py notices every way in which a proof and its code can part.
. "$(dirname "$0")/lib.sh"
tree=$scratch/tree
mkdir -p "$tree/src/mechanisms" "$tree/include/dusk" "$tree/docs" "$tree/tests"
: >"$tree/tests/noise.c"

reset() {
    cat >"$tree/include/dusk/mechanisms.h" <<'END'
#define DUSK_API
/* dusk_ghost_release(is only a comment) */
DUSK_API int dusk_noise_release(int x);
DUSK_API int dusk_sum_release(int x,
                              int y);
DUSK_API int dusk_noise_event(int x);
END
    cat >"$tree/src/mechanisms/noise.c" <<'END'
/* x.c */
DUSK_PROVEN(dusk_noise_release)
int dusk_noise_release(int x)
{
    const char *url = "http://x"; /* a string that looks like a comment */
    return x > 1 && url;
}
END
    cat >"$tree/src/mechanisms/noise.proof.md" <<'END'
# Noise

## dusk_noise_release
**Requires.** x is an int.

**Ensures.** The answer is 1-DP. And more.

**Argument.** By Theorem 1.

**Tests.** tests/noise.c

Covers: `dusk_sum_release`

body:
END
    python3 "$repo/tools/proofs.py" stamp "$tree/src"
}
check() { python3 "$repo/tools/proofs.py" check "$tree/src"; }
edit() { sed -i "$1" "$tree/$2"; }

reset
passes "stamped" check
passes "table" grep -F '| `dusk_sum_release` | [dusk_noise_release](../src/mechanisms/noise.proof.md#dusk_noise_release) | The answer is 1-DP. |' \
    "$tree/docs/guarantees.md"
edit 's|/\* a string.*|// other words|' src/mechanisms/noise.c
edit 's|x > 1|x   >  1|' src/mechanisms/noise.c
passes "comments and spacing" check
edit 's|x   >  1|x > 2|' src/mechanisms/noise.c
catches "changed body" 'changed since' check
reset
edit 's|http://x|http://y|' src/mechanisms/noise.c
catches "changed after a // in a string" 'changed since' check
reset
edit 's|(int x)$|(long x)|' src/mechanisms/noise.c
catches "changed signature" 'changed since' check
reset
edit '/PROVEN/d' src/mechanisms/noise.c
catches "section without function" 'no function marked' check
reset
rm "$tree/src/mechanisms/noise.proof.md"
catches "function without section" 'has no section' check
reset
edit '/Argument/d' src/mechanisms/noise.proof.md
catches "missing part" "no part 'Argument'" check
reset
edit '/^body/d' src/mechanisms/noise.proof.md
catches "missing stamp" "no line 'body" check
reset
edit '/^Covers/d' src/mechanisms/noise.proof.md
catches "release without proof" 'dusk_sum_release is public' check
reset
edit 's/dusk_sum_release/dusk_some_release/' src/mechanisms/noise.proof.md
catches "covers what is not there" 'which is not public' check
reset
edit 's|tests/noise.c|tests/gone.c|' src/mechanisms/noise.proof.md
catches "names a test that is gone" 'does not exist' check
reset
edit 's/1-DP/2-DP/' src/mechanisms/noise.proof.md
catches "stale guarantees" 'make guarantees' check
reset
edit 's/x > 1/x > 3/' src/mechanisms/noise.c
python3 "$repo/tools/proofs.py" stamp "$tree/src" dusk_other
catches "stamp of another function" 'changed since' check
finish
