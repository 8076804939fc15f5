#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_rooms.py refuses each kind of broken wall.
. "$(dirname "$0")/lib.sh"
tree=$scratch/tree
mkdir -p "$tree/include/dusk" "$tree/tests" "$tree/examples" "$tree/bench"
for room in base numeric random accounting mechanisms cli; do mkdir -p "$tree/src/$room"; done
cat >"$tree/src/ROOMS" <<'END'
base:
numeric:    base
random:     base numeric
accounting: base numeric
mechanisms: base numeric random accounting
local:      base random mechanisms
cli:        base
END
for header in base/error numeric/real random/generator random/sampling random/keyed random/record random/noise_laplace random/kernel \
    random/tape accounting/event mechanisms/grid; do
    : >"$tree/src/$header.h"
done
mkdir "$tree/src/local"
for header in base numeric mechanisms mechanisms_numbers dusk; do : >"$tree/include/dusk/$header.h"; done

check() { python3 "$repo/tools/check_rooms.py" "$tree"; }
# plant FILE LINE: a file of one line, removed again by the next plant.
planted=
plant() {
    [ -z "$planted" ] || rm "$tree/$planted"
    planted=$1
    printf '%s\n' "$2" >"$tree/$planted"
}
refuse() {
    plant "$1" "$2"
    catches "$1: $2" "$3" check
}
accept() {
    plant "$1" "$2"
    passes "$1: $2" check
}

passes "clean tree" check
accept src/mechanisms/a.c '#include "random/noise_laplace.h"'
accept src/local/a.c '#include "random/sampling.h"'
accept src/local/a.c '#include "random/keyed.h"'
accept src/local/a.c '#include "random/record.h"'
accept src/random/a.c '#include "random/tape.h"'
accept tests/a.c '#include "random/tape.h"'
accept src/base/a.c '/* #include "mechanisms/grid.h" */'
accept src/cli/a.c '#include <dusk/mechanisms.h>'
refuse src/numeric/a.c '#include "mechanisms/grid.h"' 'numeric may not include mechanisms'
refuse src/numeric/a.c '  #  include "mechanisms/grid.h"' 'numeric may not include mechanisms'
refuse src/local/a.c '#include "random/noise_laplace.h"' 'only mechanisms may draw noise'
refuse src/mechanisms/a.c '#include "random/tape.h"' 'is for tests'
refuse bench/a.c '#include "random/tape.h"' 'is for tests'
accept src/mechanisms/a.c '#include "random/kernel.h"'
refuse src/local/a.c '#include "random/kernel.h"' 'is not for local'
refuse src/cli/a.c '#include "random/generator.h"' 'cli may not include random'
refuse src/mechanisms/a.c '#include "../random/tape.h"' "contains '..'"
refuse tests/a.c '#include "../src/random/tape.h"' "contains '..'"
refuse src/base/a.c '#include "error.h"' 'has no room'
refuse src/base/a.c '#include "base/absent.h"' 'does not exist'
refuse src/base/a.c '#include "dusk/absent.h"' 'does not exist'
refuse src/base/a.c '#include <base/error.h>' 'with quotes'
refuse src/base/a.c '#include HEADER' 'written out'
refuse src/numeric/a.c '#include <dusk/mechanisms.h>' 'lies below'
refuse src/numeric/a.c '#include "dusk/mechanisms_numbers.h"' 'lies below'
refuse include/dusk/mechanisms_numbers.h '#include "dusk/local.h"' 'does not exist'
refuse include/dusk/numeric.h '#include "dusk/mechanisms.h"' 'lies below'
: >"$tree/include/dusk/numeric.h"
planted=
refuse include/dusk/extra.h '#include "base/error.h"' 'public headers only'
refuse examples/a.c '#include "base/error.h"' 'use <dusk/...> only'
accept examples/a.c '#include <dusk/dusk.h>'
mkdir "$tree/src/attic"
catches "unlisted room" 'not in ROOMS' check
rmdir "$tree/src/attic"
echo 'serve: base mechanisms' >>"$tree/src/ROOMS"
catches "roof room that reaches down" 'under the roof' check
finish
