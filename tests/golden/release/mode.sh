# SPDX-License-Identifier: Apache-2.0
# Values that are public, values that come from the data, and none that stands out.
rows() { awk 'BEGIN { print "city,n"; for (i = 0; i < 500; i++) print (i % 5 ? "rome" : "new york") ",1"; print "\"a, b\",1" }'; }
rows >cities.csv
dusk release mode --epsilon 1 --values 'new york,oslo,rome' --column city cities.csv
dusk release mode --epsilon 1 --values 'new york,oslo,rome' --column city --neighbours replace-one --json cities.csv
dusk release mode --epsilon 1 --delta 1e-6 --column city cities.csv
cut -d, -f1 cities.csv | dusk release mode --epsilon 1 --delta 1e-6 --rows-per-unit 2 --unit person --json
dusk release mode --epsilon 0.1 --delta 1e-9 --column name people.csv
dusk release mode --epsilon 1 --delta 1e-6 --dry-run
try() { dusk release mode "$@" <cities.csv || echo "exit $?"; }
try --epsilon 1
try --epsilon 1 --values a,b --delta 1e-6
try --epsilon 1 --delta 0
try --epsilon 1 --values a,a
try --epsilon 1 --values a,,b
try --epsilon 0 --values a,b
try --epsilon 1 --delta 1e-6 --neighbours replace-one
