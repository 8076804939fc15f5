#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_headers.sh INCLUDE: each public header compiles alone, and twice, as
# C17 and as C++17, without a warning. CC and CXX choose the compilers.
set -eu
include=${1:?usage: check_headers.sh INCLUDE}
warnings="-Wall -Wextra -Wpedantic -Wstrict-prototypes -Wshadow -Wundef -Werror"
failed=0
checked=0
for header in "$include"/dusk/*.h; do
    name=dusk/$(basename "$header")
    checked=$((checked + 1))
    printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
        ${CC:-cc} -std=c17 $warnings -I"$include" -fsyntax-only -x c - || failed=1
    printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
        ${CXX:-c++} -std=c++17 $(echo "$warnings" | sed 's/-Wstrict-prototypes//') -I"$include" -fsyntax-only -x c++ - || failed=1
    # one that only includes others declares nothing
    if grep -qv '^ *$\|^#\|^/\*\|^ \*' "$header" && ! grep -q 'extern "C"' "$header"; then
        echo "$name: no extern \"C\""
        failed=1
    fi
done
[ "$failed" -eq 0 ] && echo "headers: $checked ok"
exit "$failed"
