# SPDX-License-Identifier: Apache-2.0
dusk release smooth-median --epsilon 1 --bounds 0:100 --column age people.csv
dusk release smooth-median --epsilon 1 --bounds 0:100 --degrees 2 --interval-epsilon 0.5 --column age people.csv
dusk release smooth-quantile --epsilon 1 --delta 1e-6 --noise gaussian --bounds 0:100 --q 0.9 --neighbours replace-one --column age people.csv
dusk release smooth-quantile --epsilon 1 --delta 1e-6 --noise laplace --bounds 0:100 --q 0.1 --json --dry-run
dusk release smooth-median --epsilon 1 --bounds 0:100 --noise student-t --degrees 3 --beta 0.1 --rows-per-unit 2 --unit person --dry-run
printf "42  1 2 4 8 8" | dusk release smooth-sensitivity --epsilon 1 --grid -20
printf "42  1 2 4 8 8" | dusk release smooth-sensitivity --epsilon 1 --delta 1e-6 --noise laplace --grid 0 --unit person
: | dusk release smooth-sensitivity --epsilon 1 --noise student-t --grid -20
dusk release smooth-sensitivity --epsilon 1 --grid 2000 || echo "exit $?"
for wrong in "--noise gumbel" "--noise laplace" "--delta 1e-6" "--beta 3" "--beta 1e-10" "--beta 0" "--noise cauchy --degrees 3" "--interval-epsilon 0" "--bounds 5"; do
    dusk release smooth-median --epsilon 1 --bounds 0:100 $wrong people.csv || echo "exit $?"
done
dusk release smooth-quantile --epsilon 1 --bounds 0:100 --q 0.1,0.9 people.csv || echo "exit $?"
dusk release noisy-max --epsilon 1 --sensitivity 1 --noise cauchy --scores people.csv || echo "exit $?"
