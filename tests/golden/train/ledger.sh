# SPDX-License-Identifier: Apache-2.0
# A source: rows by a query, of a person as many as allowed; charged before they are looked at; refused when it is too much, and
# then nothing is spent and nothing is written.
dusk init clinic.dusk --source visits.csv --source clinic.csv --unit clinic.id --epsilon 1 --delta 1e-5 >/dev/null 2>&1
dusk schema clinic.dusk link visits.patient clinic
dusk schema clinic.dusk set clinic.id unique
dusk schema clinic.dusk set clinic.age type=integer bounds=0:100
dusk schema clinic.dusk set clinic.visits type=integer bounds=0:12
dusk schema clinic.dusk set clinic.cost type=real bounds=0:1000
dusk schema clinic.dusk set clinic.smoker domain=no,yes
dusk schema clinic.dusk set visits.minutes type=integer bounds=0:480
dusk schema clinic.dusk set visits.paid type=real bounds=0:1000
train() {
    dusk train linear clinic.dusk --label "$@" --out a.model 2>&1 | grep -E -v '^(learner|after|settings|released|holds|slopes|weights| )' |
        sed 's/; event.*//'
    ls | grep -e model -e tmp
    rm -f a.model
}
left() { dusk budget clinic.dusk | head -2 | tail -1 | tr -s ' '; }
echo "== a table"
train cost --table clinic --epsilon 0.2 --delta 1e-6
left
echo "== a query over two tables, three visits of a person"
train paid --query "SELECT paid, minutes, age FROM visits JOIN clinic ON patient = id WHERE minutes < 400" --rows-per-unit 3 --epsilon 0.3 --delta 1e-6
left
echo "== too much"
train cost --table clinic --epsilon 0.7 --delta 1e-6
left
echo "== what cannot be"
train cost --epsilon 0.1
train cost --table clinic --epsilon 0.1 --schema credit.fields
train cost --table clinic --epsilon 0.1 --delta 1e-6 --replace-one
train cost --query "SELECT cost, id FROM clinic" --epsilon 0.1 --delta 1e-6
train cost --query "SELECT AVG(cost) FROM clinic" --epsilon 0.1 --delta 1e-6
train cost --table clinic --epsilon 0.1 --delta 1e-6 --analyst ana
dusk train linear clinic.dusk --label cost --table clinic --epsilon 0.1 --delta 1e-6 --out no/a.model 2>&1
left
echo "== idealised: not by a ledger"
dusk train posterior_linear clinic.dusk --label cost --table clinic --epsilon 0.1 --delta 1e-6 --accept-idealised --out a.model 2>&1
left
echo "== no room for a file: found out before"
(ulimit -f 100; dusk train linear clinic.dusk --label cost --table clinic --epsilon 0.01 --delta 1e-6 --out a.model) 2>&1
left
ls | grep -e model -e tmp
echo "== a write that fails, and a program that is killed: the charge stays"
dusk train linear clinic.dusk --label cost --table clinic --epsilon 0.01 --delta 1e-6 --out /dev/full 2>&1
dusk train linear clinic.dusk --label cost --table clinic --epsilon 0.01 --delta 1e-6 --out a.model 2>&1 >/dev/full
rm -f a.model
mkfifo pipe
: <pipe &
# (a model that is too large for the buffer of a pipe that nobody reads)
dusk train forest clinic.dusk --label smoker --table clinic --epsilon 0.01 --delta 1e-6 --set trees=300 --out pipe >/dev/null 2>&1
echo "exit $?"
left
echo "== neither a ledger nor its tables are replaced by a model"
dusk train linear clinic.dusk --label cost --table clinic --epsilon 0.01 --delta 1e-6 --out clinic.dusk 2>&1
dusk train linear clinic.dusk --label cost --table clinic --epsilon 0.01 --delta 1e-6 --out visits.csv 2>&1
cp clinic.dusk other.dusk
dusk train linear clinic.dusk --label cost --table clinic --epsilon 0.01 --delta 1e-6 --out other.dusk 2>&1
left
echo "== what cannot be read: found out before, or charged before"
mv clinic.csv away.csv
dusk train linear clinic.dusk --label cost --table clinic --epsilon 0.01 --delta 1e-6 --out a.model 2>&1 | sed 's/: .*clinic.csv/: clinic.csv/'
mv away.csv clinic.csv
dusk train linear clinic.dusk --label cost --table clinic --epsilon 0.01 --delta 1e-6 --engine none --out a.model 2>&1
left
gzip -c clinic.csv | head -c 3000 >cut.csv.gz
dusk init cut.dusk --source cut.csv.gz --unit cut.id --epsilon 1 --delta 1e-5 >/dev/null 2>&1
dusk schema cut.dusk set cut.cost type=real bounds=0:1000
dusk schema cut.dusk set cut.age type=integer bounds=0:100
dusk train linear cut.dusk --label cost --epsilon 0.01 --delta 1e-6 --out a.model 2>&1 | head -2
ls | grep -e model -e tmp
dusk budget clinic.dusk --verify >/dev/null && echo "the ledger is whole"
echo "== a score"
dusk train linear clinic.dusk --label cost --table clinic --epsilon 0.1 --delta 1e-6 --out b.model >/dev/null 2>&1
dusk score b.model clinic.dusk --table clinic 2>&1
dusk predict b.model clinic.dusk 2>&1
dusk score b.model clinic.dusk --table visits --private --epsilon 0.1 2>&1
dusk score b.model clinic.dusk --table clinic --private --epsilon 0.1 2>&1 | sed 's/; event.*//' | tr -s ' '
dusk score b.model clinic.dusk --table clinic --private --epsilon 2 2>&1
dusk score b.model clinic.dusk --table clinic --private --epsilon 0.1 --engine none 2>&1
left
dusk budget clinic.dusk --history | grep -o -e 'train .*' -e 'score .*'
