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
echo "== by stability"
stable() { dusk train amp_svm credit.csv --schema credit.fields --label repaid --epsilon 2 --out a.model --by-stability "$@" 2>&1; }
stable --rows 2400 --set form=output --try regularisation=300 --try regularisation=3000 | grep -E '^(learned|promise|best|cost|no ledger)' |
    sed -e 's/"regularisation.*" *,/"CANDIDATE",/' -e 's/; event.*//'
stable --rows 2400 --set form=output --try regularisation=300 --try regularisation=3000 --dry-run | head -1
stable --rows 2400
stable --set form=output --try regularisation=300
stable --rows 2400 --try regularisation=300
dusk train svm credit.csv --schema credit.fields --label repaid --epsilon 1 --rows 2400 --delta 1e-6 --try clip=1 --by-stability --out a.model 2>&1
