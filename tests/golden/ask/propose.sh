# SPDX-License-Identifier: Apache-2.0
# Bounds from the data are paid for.
dusk init clinic.dusk --source visits.csv --unit visits.patient --epsilon 3 >/dev/null 2>&1
dusk schema clinic.dusk set visits.minutes type=integer
dusk schema clinic.dusk propose visits.minutes --epsilon 1 2>&1 | sed 's/bounds=.*/bounds=LOW:HIGH/'
dusk schema clinic.dusk propose visits.minutes
echo "exit $?"
dusk budget clinic.dusk --history | tail -2 | sed 's/ 20..-..-.. ..:..:.. / WHEN /'
dusk schema clinic.dusk advise visits --epsilon 0.9 2>&1 | sed 's/=[0-9]*$/=N/'
dusk schema clinic.dusk advise nowhere --epsilon 0.1
echo "exit $?"
printf 'who,"how ""long"""\n1,2\n2,3\n' >odd.csv
dusk init odd.dusk --source odd.csv --unit odd.who --epsilon 3 >/dev/null 2>&1
dusk schema odd.dusk set 'odd.how "long"' type=integer
dusk schema odd.dusk propose 'odd.how "long"' --epsilon 1 2>&1 | grep ^cost
