# SPDX-License-Identifier: Apache-2.0
# The table of docs/train-a-network.md, as it is written there.
sed -n '/^## A table/,/^## Digits/{s/^    \$ //p;/^     *--net/p}' "$(dirname "$0")/../../../docs/train-a-network.md" >said.sh
sh ./said.sh 2>&1 | tr -s ' ' | grep -e '^file' -e '^cost' -e '^rows' -e '^accuracy' -e '^majority'
