#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_device.sh finds a device whose reports depend on the size of its words.
. "$(dirname "$0")/lib.sh"
if ! command -v arm-none-eabi-gcc >/dev/null || ! command -v qemu-system-arm >/dev/null; then
    echo "skipped: there is no compiler, or no emulator, of small machines"
    exit 77
fi
mkdir -p "$scratch/src/local" "$scratch/src/base" "$scratch/tests"
cp "$repo"/src/local/client* "$scratch/src/local"
cp "$repo/src/base/mutant.h" "$scratch/src/base"
cp -r "$repo/tests/device" "$scratch/tests"
cp -r "$repo/include" "$scratch"
sed -i 's/kept ? truth : other, bytes/sizeof(long) + (kept ? truth : other), bytes/' "$scratch/src/local/client_response.c"
grep -q 'sizeof(long)' "$scratch/src/local/client_response.c"
catches "words of two sizes" 'reports differ between machines' sh "$repo/tools/check_device.sh" "$scratch"
finish
