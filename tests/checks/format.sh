#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_format.sh notices a file that is laid out otherwise.
. "$(dirname "$0")/lib.sh"
mkdir -p "$scratch/src"
cp "$repo/.clang-format" "$scratch/"
check() { sh "$repo/tools/check_format.sh" "$scratch"; }
printf 'int f(int x)\n{\n    int y = x;\n    return y;\n}\n' >"$scratch/src/a.c"
status=0
check >/dev/null || status=$?
if [ "$status" -eq 77 ]; then
    check || exit 77
fi
passes "laid out" check
printf 'int f(int x) {\n  int y=x;\n  return y;\n}\n' >"$scratch/src/a.c"
catches "another layout" 'make format' check
finish
