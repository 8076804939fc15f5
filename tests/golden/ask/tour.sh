# SPDX-License-Identifier: Apache-2.0
# From a text file to an answer, a refusal, the history, and the same answer again for nothing.
dusk init clinic.dusk --source visits.csv --unit visits.patient --epsilon 1 2>/dev/null
dusk query clinic.dusk "SELECT AVG(minutes) FROM visits" --epsilon 0.5 2>&1
dusk schema clinic.dusk set visits.minutes type=integer bounds=0:480
dusk schema clinic.dusk set visits.ward domain=emergency,surgery,children,maternity,cardiology,eyes
dusk schema clinic.dusk | grep -v csv
dusk query clinic.dusk "SELECT ward, COUNT(*) AS visits FROM visits GROUP BY ward" --epsilon 0.6 --rows 3 2>&1 | tee first | tr -s ' '
dusk query clinic.dusk "select Ward, count(*) visits from visits v group by 1" --epsilon 0.6 --rows 3 2>/dev/null >second
head -8 first | cmp - second && echo the same
dusk query clinic.dusk "SELECT AVG(minutes) FROM visits" --epsilon 0.5 2>&1
echo "exit $?"
dusk budget clinic.dusk
dusk budget clinic.dusk --history | sed -e 's/ 20..-..-.. ..:..:.. / WHEN /' -e 's|source: .*/|source: FOLDER/|'
dusk budget clinic.dusk --verify | sed 's/[0-9a-f]\{64\}/HASH/'
