# SPDX-License-Identifier: Apache-2.0
# A file that may not grow: an error before anything is drawn, and what cannot be finished leaves nothing behind.
for blocks in 0 1 8 20 40; do
    (ulimit -f $blocks && dusk init clinic.dusk --source visits.csv --unit visits.patient --epsilon 2 >/dev/null 2>&1)
    echo "exit $?"
done
ls | grep clinic.dusk
dusk init clinic.dusk --source visits.csv --unit visits.patient --epsilon 2 >/dev/null 2>&1
(ulimit -f 0 && dusk query clinic.dusk "SELECT COUNT(*) FROM visits" --epsilon 1 >/dev/null 2>&1)
echo "exit $?"
dusk budget clinic.dusk
