# SPDX-License-Identifier: Apache-2.0
dusk init clinic.dusk --source visits.csv clinic.csv --unit clinic.id --epsilon 100 --delta 1e-5 >/dev/null 2>&1
dusk schema clinic.dusk set clinic.id unique
dusk schema clinic.dusk link visits.patient clinic
dusk schema clinic.dusk set visits.minutes type=integer bounds=0:480
dusk explain clinic.dusk "SELECT ward, COUNT(*), SUM(minutes) FROM visits GROUP BY ward" --epsilon 1 --delta 1e-6 --groups 2
dusk query clinic.dusk "SELECT COUNT(*) FROM visits WHERE minutes > 60" --epsilon 1 --dry-run
dusk budget clinic.dusk | sed -n 2p
# What a terminal would obey is not shown as it is.
dusk explain clinic.dusk "SELECT COUNT(*) AS \"a$(printf '\033')[31m\" FROM visits" --epsilon 1 | head -1
