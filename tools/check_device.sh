#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Devices of 32 bits make the reports that this machine makes, byte by byte: tests/device is built for both, and run by QEMU as a micro:bit
# (an ARMv6-M core, 16 KiB of memory). Needs gcc-arm-none-eabi and qemu-system-arm; exit 77 without them.
#   check_device.sh ROOT          say so, or what differs
#   check_device.sh ROOT --table  besides, what a report takes, as a table for docs/collect/devices.md
set -eu
root=$1
for tool in arm-none-eabi-gcc qemu-system-arm; do
    if ! command -v $tool >/dev/null; then
        echo "device: skipped: there is no $tool (packages gcc-arm-none-eabi and qemu-system-arm)"
        exit 77
    fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
strict="-std=c99 -ffreestanding -fno-builtin -ffunction-sections -fdata-sections -Wall -Wextra -Wpedantic -Wconversion -Werror"
include="-I$root/include -I$root/src -I$root/tests/device"
client="$root/src/local/client*.c"
arm="-mcpu=cortex-m0plus -mthumb -Os"

"${CC:-cc}" $strict -O2 $include "$root/tests/device/reports.c" "$root/tests/device/host.c" $client -o "$scratch/host"
mkdir "$scratch/arm"
for file in "$root/tests/device/reports.c" "$root/tests/device/microbit.c" $client; do
    arm-none-eabi-gcc $strict $arm $include -c "$file" -o "$scratch/arm/$(basename "$file" .c).o"
done
arm-none-eabi-gcc $arm -nostdlib -Wl,--gc-sections -T "$root/tests/device/microbit.ld" "$scratch"/arm/*.o -lgcc -o "$scratch/image"

fine=yes
"$scratch/host" >"$scratch/here" || fine=no
timeout 100 qemu-system-arm -M microbit -display none -monitor none -serial none ${2:+-icount shift=6} \
    -semihosting-config enable=on,target=native -kernel "$scratch/image" >"$scratch/there" 2>&1 || fine=no
for side in here there; do grep -v '^cost ' "$scratch/$side" >"$scratch/$side.reports" || fine=no; done
if ! diff "$scratch/here.reports" "$scratch/there.reports"; then fine=no; fi
if [ $fine = no ]; then
    echo "device: reports differ between machines, or could not be made"
    exit 1
fi
echo "device: $(grep -c '^reports of' "$scratch/here.reports") randomisers make the same reports on both machines"

# code NAME: bytes that a program has in flash and in memory for one randomiser, coins and the compiler's own functions included
code() {
    arm-none-eabi-gcc $arm -nostdlib -Wl,--gc-sections,-e,"$1" "$scratch"/arm/client*.o "$scratch/arm/microbit.o" -lgcc -o "$scratch/one" 2>/dev/null
    arm-none-eabi-size "$scratch/one" | awk 'NR == 2 { print $1 + $2 }'
}

if [ "${2:-}" = --table ]; then
    echo "| randomiser | report, bytes | code, bytes | instructions a report | with \`dusk_stream\` | stack, bytes |"
    echo "|---|---|---|---|---|---|"
    while read -r _ name size fast slow stack; do
        entry=dusk_client_$(case $name in duchi) echo onebit ;; piecewise | squarewave) echo window ;; pem | treehist) echo prefix ;; sfp) echo fragment ;; *) echo "$name" ;; esac)
        echo "| \`$name\` | $size | $(code "$entry") | $fast | $slow | $stack |"
    done <<END
$(grep '^cost ' "$scratch/there")
END
    echo "stream $(code dusk_stream_of) record $(code dusk_client_record) memory $(code dusk_client_remembered) all $(code dusk_client_report)"
fi
