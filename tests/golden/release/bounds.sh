# SPDX-License-Identifier: Apache-2.0
# So many rows that the noise does not matter; few rows are not seen, and say so.
awk 'BEGIN { print "x"; for (i = 0; i < 3000; i++) print (i % 3) * 50; for (i = 0; i < 500; i++) print -3; print 1e9; print "?" }' >x.csv
dusk release bounds --epsilon 1 --confidence 0.999999 --column x x.csv | tee bounds.txt
dusk release mean --epsilon 1 --bounds="$(cat bounds.txt)" --column x x.csv >/dev/null
dusk release bounds --epsilon 1 --confidence 0.999999 --column x --resolution 8 --largest 1000 --neighbours replace-one --json x.csv
printf '1 2 3\n' | dusk release bounds --epsilon 0.1 --confidence 0.999999 --rows-per-unit 2 --unit person
dusk release bounds --epsilon 1 --dry-run
try() { dusk release bounds "$@" <x.csv || echo "exit $?"; }
try --epsilon 0
try --epsilon 1 --resolution 0
try --epsilon 1 --resolution 10 --largest 1
try --epsilon 1 --delta 1e-6
