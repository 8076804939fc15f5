# SPDX-License-Identifier: Apache-2.0
# Two tables; the unit is found through a link, and joins go along it.
dusk init clinic.dusk --source visits.csv clinic.csv --unit clinic.id --epsilon 100 --delta 1e-5 2>/dev/null
dusk query clinic.dusk "SELECT COUNT(*) FROM visits" --epsilon 1
echo "exit $?"
dusk schema clinic.dusk set clinic.id unique
dusk schema clinic.dusk link visits.patient clinic
dusk schema clinic.dusk set clinic.sex domain=f,m,x
dusk schema clinic.dusk set clinic.age type=integer bounds=0:100
dusk query clinic.dusk "SELECT COUNT(*) FROM visits" --epsilon 90 --rows 20 --json | sed 's/"value":[-0-9]*,"low":[-0-9]*,"high":[-0-9]*/NUMBERS/'
dusk query clinic.dusk "SELECT sex, AVG(age) FROM clinic JOIN visits ON patient = id GROUP BY sex" --epsilon 5 --csv
dusk query clinic.dusk "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 0 ORDER BY n DESC" --epsilon 1 --delta 1e-6 2>/dev/null | awk 'NR == 1 { print $1, $2 }'
dusk query clinic.dusk "SELECT COUNT(*) FROM visits a JOIN visits b ON a.ward = b.ward" --epsilon 1
echo "exit $?"
