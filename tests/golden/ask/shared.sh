# SPDX-License-Identifier: Apache-2.0
# The stored answer of another: charged to one's own limit, and never more than one asks for.
dusk init clinic.dusk --source visits.csv --unit visits.patient --epsilon 4 >/dev/null 2>&1
dusk budget clinic.dusk --grant bob --epsilon 0.5 >/dev/null
ask() { dusk query clinic.dusk "SELECT COUNT(DISTINCT patient) FROM visits" "$@" 2>&1 | grep -v '^ ' | grep -v '^[0-9]' | grep -v '^count'; }
ask --epsilon 1 --analyst ana
ask --epsilon 0.25 --analyst carla
ask --epsilon 0.125 --analyst bob
ask --epsilon 0.25 --analyst ana
ask --epsilon 0.0625 --analyst ana
dusk query clinic.dusk "SELECT COUNT(*) FROM visits" --epsilon 0.25 --analyst ana >/dev/null 2>&1
dusk query clinic.dusk "SELECT COUNT(*) FROM visits" --epsilon 0.25 --analyst bob --json 2>&1 | sed 's/.*"charged"/"charged"/'
dusk query clinic.dusk "SELECT COUNT(*) FROM visits" --epsilon 0.25 --analyst bob --json 2>&1 | sed 's/.*"charged"/"charged"/'
dusk budget clinic.dusk
dusk budget clinic.dusk --verify | sed 's/is .*/is/'
