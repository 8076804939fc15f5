# SPDX-License-Identifier: Apache-2.0
# Limits of analysts; a stored answer is free for the one who paid.
dusk init clinic.dusk --source visits.csv --unit visits.patient --epsilon 2 >/dev/null 2>&1
dusk budget clinic.dusk --grant ana --epsilon 1 >/dev/null
dusk budget clinic.dusk --grant bob --epsilon 0.5 >/dev/null
ask() { dusk query clinic.dusk "SELECT COUNT(DISTINCT patient) FROM visits" "$@" 2>&1 | grep -v '^ ' | grep -v '^[0-9]' | grep -v '^count'; }
ask --epsilon 0.8 --analyst ana
ask --epsilon 0.8 --analyst ana
ask --epsilon 0.3 --analyst ana
ask --epsilon 0.8 --analyst bob
ask --epsilon 0.9 --analyst ana
dusk schema clinic.dusk refresh
ask --epsilon 0.1 --analyst ana
dusk budget clinic.dusk
dusk budget clinic.dusk --total --epsilon 1 | sed -n 2p
ask --epsilon 0.2 --analyst owner
