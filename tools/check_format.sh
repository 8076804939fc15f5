#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_format.sh ROOT: clang-format would leave the C files as they are. The
# layout differs between its versions; only the one the tree is kept with
# judges. Exit 77 means skipped.
set -eu
root=${1:?usage: check_format.sh ROOT}
version=14
tool=${CLANG_FORMAT:-clang-format}
if command -v "$tool-$version" >/dev/null 2>&1; then tool=$tool-$version; fi
if ! command -v "$tool" >/dev/null 2>&1; then
    echo "format: skipped, clang-format is not installed"
    exit 77
fi
if ! "$tool" --version | grep -q "version $version\."; then
    echo "format: skipped, this is not clang-format $version"
    exit 77
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cd "$root"
find src include tests bench fuzz examples -name '*.[ch]' 2>/dev/null | sort |
    xargs "$tool" --dry-run -Werror --style=file >"$log" 2>&1 || true
if [ -s "$log" ]; then
    head -40 "$log"
    echo "format: run make format"
    exit 1
fi
echo "format: ok"
