#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_style.py refuses each thing it says it refuses.
. "$(dirname "$0")/lib.sh"
tree=$scratch/tree
mkdir -p "$tree/src/base" "$tree/src/cli" "$tree/tests" "$tree/docs" "$tree/tools" "$tree/build"
spdx='/* SPDX-License-Identifier: Apache-2.0 */'
check() { python3 "$repo/tools/check_style.py" "$tree"; }
planted=
# plant FILE LINE...: a file of these lines, removed again by the next plant.
plant() {
    [ -z "$planted" ] || rm "$tree/$planted"
    planted=$1
    shift
    printf '%s\n' "$@" >"$tree/$planted"
}
# a function with $1 lines in its body
function_of() {
    echo "void f(void)"
    echo "{"
    seq "$1" | sed 's/.*/    g();/'
    echo "}"
}
accept() {
    plant "$@"
    passes "$1: $3" check
}
refuse() {
    text=$1
    shift
    plant "$@"
    catches "$1: $2" "$text" check
}

passes "empty tree" check
accept src/base/a.c "$spdx" '/* strcpy( and printf( in words */ const char *s = "exit(1)";'
accept src/base/a.c "$spdx" 'void f(void) { snprintf(b, n, "x"); p->exit(1); my_rand(); }'
accept src/cli/a.c "$spdx" 'void f(void) { printf("x"); exit(1); }'
accept src/base/make_table.c "$spdx" 'int main(void) { printf("x"); }'
accept src/base/a.c "$spdx" "$(function_of 90)"
accept tools/x.sh "# $spdx" 'mktemp /tmp/dusk.XXXXXX; cd "$tree/work"; echo src/root.c'
accept build/a.c 'void f(void) { gets(x); }' ''
refuse 'SPDX' src/base/a.c 'int x;'
refuse 'SPDX' tools/x.py '#!/usr/bin/env python3'
refuse 'SPDX' tools/x.sh '#!/bin/sh'
refuse 'SPDX' tools/x.cmake 'set(a b)'
refuse 'SPDX' tools/setup '#!/bin/sh'
refuse '91 lines' src/base/a.c "$spdx" "$(function_of 91)"
refuse '801 lines' src/base/a.c "$spdx" "$(seq 800 | sed 's/.*/int x;/')"
for name in strcpy strcat sprintf gets atoi atof strtok rand srand drand48; do
    refuse "$name is not used" tests/a.c "$spdx" "int x = $name (y);"
done
for name in strtod vsnprintf localeconv; do
    refuse "$name depends on the locale" src/base/a.c "$spdx" "int x = $name(y);"
done
refuse "snprintf of a number" src/base/a.c "$spdx" 'void f(void) { snprintf(b, n, "%s %.17g", s, x); }'
accept src/base/a.c "$spdx" 'void f(void) { snprintf(b, n, "%d%%", x); g("%g"); }'
for name in printf fprintf puts exit; do
    refuse "$name: the library never" src/base/a.c "$spdx" "int x = $name(y);"
done
for folder in work root home; do
    refuse "somebody's machine" docs/a.md "see /$folder/x" ''
    refuse "somebody's machine" docs/a.md "\"/$folder\"" ''
done
for word in TO.DO FIX.ME X.XX; do
    refuse 'open an issue' src/base/a.c "$spdx" "/* $(echo $word | tr -d .): later */"
done
finish
