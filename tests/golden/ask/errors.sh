# SPDX-License-Identifier: Apache-2.0
# What is refused says what to type instead, and spends nothing.
t() {
    echo "\$ dusk $*"
    dusk "$@" 2>&1
    echo "exit $?"
}
t init
t init clinic.dusk --source nothing.csv --unit a.b --epsilon 1 | sed 's|/[^ ]*/||'
t init clinic.dusk --source visits.csv --unit visits.nobody --epsilon 1
t init clinic.dusk --source visits.csv --unit visits.patient
t init clinic.dusk --source visits.csv --unit visits.patient --epsilon 1 --filter zcdp
t init clinic.dusk --source postgres://ana:secret@localhost/shop --unit customer.id --epsilon 1
ls clinic.dusk 2>/dev/null
dusk init clinic.dusk --source visits.csv --unit visits.patient --epsilon 1 >/dev/null 2>&1
t init clinic.dusk --source visits.csv --unit visits.patient --epsilon 1
t schema nothing.dusk
t schema clinic.dusk paint
t schema clinic.dusk set visits.minutes bounds=high:low
t schema clinic.dusk set visits.hour type=integer
t schema clinic.dusk link visits.patient doctors
t query clinic.dusk
t query clinic.dusk "SELECT COUNT(*) FROM visits"
t query clinic.dusk "SELECT COUNT(*) FROM visitors" --epsilon 0.1
t query clinic.dusk "SELECT patient FROM visits" --epsilon 0.1
t query clinic.dusk "SELECT SUM(minutes) FROM visits" --epsilon 0.1
t query clinic.dusk "DELETE FROM visits" --epsilon 0.1
t query clinic.dusk "SELECT COUNT(*) FROM read_csv('/etc/passwd')" --epsilon 0.1
t query clinic.dusk "SELECT ward, COUNT(*) FROM visits GROUP BY ward" --epsilon 0.1
t query clinic.dusk "SELECT COUNT(*) FROM visits" --epsilon 2
t query clinic.dusk "SELECT COUNT(*) FROM visits" --epsilon 0.1 --engine oracle
t query visits.csv "SELECT COUNT(*) FROM visits" --epsilon 0.1
t budget clinic.dusk --grant ana
t budget clinic.dusk --csv
t budget clinic.dusk --json
