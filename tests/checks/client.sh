#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_client.sh refuses devices that need a library, floating point, or a newer C.
. "$(dirname "$0")/lib.sh"
mkdir -p "$scratch/src/local" "$scratch/include"
check() { sh "$repo/tools/check_client.sh" "$scratch"; }
client() { echo "$1" >"$scratch/src/local/client_a.c"; }
client 'int dusk_one(int x) { return x + 1; }'
passes "plain" check
client 'void *malloc(unsigned long); int dusk_one(int x) { return malloc(1) ? x : 1; }'
catches "allocation" 'devices do not have malloc' check
client 'int dusk_one(int x) { double y = x; return (int)(y * 1.5); }'
catches "floating point" 'is not freestanding' check
client '#include <string.h>
int dusk_one(const char *x) { return (int)strlen(x); }'
catches "a library" 'devices do not have strlen' check
client '_Static_assert(1, "x"); int dusk_one(int x) { return x + 1; }'
catches "a newer C" 'is not freestanding' check
finish
