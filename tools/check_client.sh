#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The device's side compiles as freestanding C99, without floating point, and needs nobody's functions.
#   check_client.sh ROOT          say so, or what is wrong
#   check_client.sh ROOT --sizes  besides, bytes of code a function, for this machine and, where its compiler is there, for an ARM Cortex-M0+
set -eu
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
strict="-std=c99 -ffreestanding -fno-builtin -ffunction-sections -Os -Wall -Wextra -Wpedantic -Wconversion -Werror"
here="-mgeneral-regs-only"
arm="-mcpu=cortex-m0plus -mthumb"
wrong=0

# build COMPILER NM FLAGS...: every file, and what they want of others; what the compiler's own library has may be wanted (division, copying)
build() {
    compiler=$1 nm=$2
    shift 2
    for file in "$root"/src/local/client*.c; do
        if ! "$compiler" $strict "$@" -I"$root/include" -I"$root/src" -c "$file" -o "$scratch/$(basename "$file" .c).o"; then
            echo "client: $file is not freestanding"
            wrong=1
        fi
    done
    foreign=$("$nm" -g "$scratch"/*.o | awk '$1 == "U" { wanted[$2] = 1 } $2 == "T" { here[$3] = 1 }
        END { for (name in wanted) if (!(name in here)) print name }' |
        grep -v -x -e memcpy -e memset -e '__aeabi_.*' -e '__gnu_thumb1_.*' -e '_GLOBAL_OFFSET_TABLE_' || true)
    if [ -n "$foreign" ]; then
        echo "client: devices do not have" $foreign
        wrong=1
    fi
}

sizes() {
    echo "$1"
    "$2" -S --size-sort -t d "$scratch"/*.o | awk '$3 ~ /[tT]/ { n = $4; b = $2 + 0; if (n ~ /^dusk_/) print "  " n, b; sum += b } END { print "  all together", sum }' | sort
}

case $(uname -m) in
    x86_64) build "${CC:-cc}" nm $here ;;
    *) build "${CC:-cc}" nm ;;
esac
if [ "${2:-}" = --sizes ]; then sizes "this machine, bytes:" nm; fi
if command -v arm-none-eabi-gcc >/dev/null; then
    rm -f "$scratch"/*.o
    build arm-none-eabi-gcc arm-none-eabi-nm $arm
    if [ "${2:-}" = --sizes ]; then sizes "Cortex-M0+, bytes:" arm-none-eabi-nm; fi
fi
if [ $wrong = 0 ]; then echo "client: ok"; fi
exit $wrong
