# SPDX-License-Identifier: Apache-2.0
# A file of which half are members: with --coins the bounds of one run are larger, and it is said what
# they rest on. Where fewer are members it changes nothing.
awk -F, 'NR == 1 || n[$2]++ < 90' canaries.csv >half.csv
dusk audit scores half.csv | grep 'measured\|^one run'
dusk audit scores half.csv --coins | grep 'measured\|^one run'
dusk audit scores half.csv --coins --json | grep -o '"runs":false,"coins_declared":true'
dusk audit scores canaries.csv >plain
dusk audit scores canaries.csv --coins | cmp - plain && echo same
dusk audit scores half.csv --coins --runs || echo "exit $?"
