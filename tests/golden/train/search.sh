# SPDX-License-Identifier: Apache-2.0
# The best of several settings, for one price; charged as a whole.
train() { dusk train tree "$@" --label repaid --epsilon 1 --out a.model 2>&1; }
train credit.csv --schema credit.fields --try depth=2 --try "depth=4 bins=8" | grep -E '^(learned|promise|best|cost|no ledger)' |
    sed -e 's/"depth.*" *,/"CANDIDATE",/' -e 's/; event.*//'
train credit.csv --schema credit.fields --try depth=2 --try deep=4
dusk train pca credit.csv --schema credit.fields --epsilon 1 --delta 1e-6 --try components=2 --out a.model 2>&1
awk 'NR == 1 { print "id," $0; next } { print NR "," $0 }' credit.csv >credit_id.csv
dusk init credit.dusk --source credit=credit_id.csv --unit credit.id --epsilon 1.5 --delta 1e-5 >/dev/null 2>&1
dusk schema credit.dusk set credit.id unique
dusk schema credit.dusk set credit.income type=real bounds=0:200
dusk schema credit.dusk set credit.repaid domain=no,yes
train credit.dusk --delta 1e-6 --try depth=1 --try depth=2 | grep -E '^(promise|cost|left)' | sed 's/; event.*//'
train credit.dusk --delta 1e-6 --try depth=1 --try depth=2
