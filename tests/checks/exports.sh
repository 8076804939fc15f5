#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_exports.sh notices names that come, go, or were never meant to be seen.
. "$(dirname "$0")/lib.sh"
mkdir -p "$scratch/include/dusk"
library() { ${CC:-cc} -shared -fPIC -o "$scratch/lib.so" -x c "$scratch/lib.c"; }
check() { sh "$repo/tools/check_exports.sh" "$scratch/lib.so" "$scratch/golden" "$scratch/include" "$@"; }
cat >"$scratch/include/dusk/a.h" <<'END'
#define DUSK_API __attribute__((visibility("default")))
DUSK_API int dusk_one(void);
DUSK_API const char *
dusk_two(int x,
         int y);
END
two='const char *dusk_two(int x, int y) { return x > y ? "" : 0; }'
echo "int dusk_one(void) { return 1; } $two" >"$scratch/lib.c"
library
catches "no golden list" 'missing' check
passes "update" check --update
passes "same" check
echo "int dusk_one(void) { return 1; } $two int helper(void) { return 2; }" >"$scratch/lib.c"
library
catches "a name without prefix" 'do not begin with dusk_' check
echo "int dusk_one(void) { return 1; } $two int dusk_inner(void) { return 2; }" >"$scratch/lib.c"
library
catches "a name in no header" 'in no public header' check
echo "$two" >"$scratch/lib.c"
library
catches "a name that went" 'breaks the ABI' check
catches "a name declared only" 'not exported' check
finish
