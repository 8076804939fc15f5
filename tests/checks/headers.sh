#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_headers.sh refuses headers that lean on others or are not C++.
. "$(dirname "$0")/lib.sh"
mkdir -p "$scratch/dusk"
check() { sh "$repo/tools/check_headers.sh" "$scratch"; }
# header LINE: a guarded header with this line inside
header() {
    cat >"$scratch/dusk/a.h" <<END
#ifndef A_H
#define A_H
#ifdef __cplusplus
extern "C" {
#endif
$1
#ifdef __cplusplus
}
#endif
#endif
END
}
header 'int dusk_one(void);'
passes "plain" check
header 'size_t dusk_one(void);'
catches "leans on stddef.h" 'size_t' check
header 'int dusk_one(int class);'
catches "a C++ keyword" 'class' check
header 'int dusk_one();'
catches "no prototype" 'prototype' check
echo 'struct dusk_s { int x; };' >"$scratch/dusk/a.h"
catches "no guard" 'redefinition' check
printf '#pragma once\nint dusk_one(void);\n' >"$scratch/dusk/a.h"
catches 'no extern "C"' 'no extern' check
finish
