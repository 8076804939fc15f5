# SPDX-License-Identifier: Apache-2.0
dusk release range-histogram --epsilon 1 --bins 0:100:4 --column age people.csv
dusk release range-histogram --epsilon 1 --delta 1e-6 --bins 0:100:64 --branching 4 --query '18:65;65:100' --column age people.csv
# With a large epsilon the exact counts come out.
printf '0 1 49.9 50 99 100 101 x -1' | dusk release range-histogram --epsilon 9000 --bins 0:100:4 --counts non-negative 2>/dev/null
printf '0 1 49.9 50 99 100 101 x -1' |
    dusk release range-histogram --epsilon 9000 --bins 0:100:4 --counts non-negative --query '0:50;50:100;0:12.5' 2>/dev/null
printf '1 2' | dusk release range-histogram --epsilon 9000 --bins=-1e308:1e308:1 --counts non-negative --query 0:1e308 2>/dev/null
dusk release range-histogram --epsilon 1 --bins 0:100:1000 --query 0:50 --dry-run
try() { dusk release range-histogram --epsilon 1 "$@" || echo "exit $?"; }
try --bins 0:100 --column age people.csv
try --bins 0:100:4 --branching 1 --column age people.csv
try --bins 0:100:4 --query 50:0 --column age people.csv
try --bins 0:100:4 --counts raw --query 0:50 --column age people.csv
