# SPDX-License-Identifier: Apache-2.0
# Private labels of public rows: that nothing else is private is said everywhere, and what would take it for more is refused.
label="--label repaid --epsilon 1"
t() {
    echo "\$ dusk $*"
    dusk "$@" 2>&1 | sed 's/; event [^;]*//'
}
t train label_net credit.csv --schema credit.fields $label --replace-one --dry-run
t train label_net credit.csv --schema credit.fields $label --dry-run
t train label_net clinic.dusk --label smoker --epsilon 1 --dry-run
t train label_net credit.csv --schema credit.fields $label --replace-one --try epochs=1 --try epochs=2 --dry-run
t train label_net credit.csv --schema credit.fields --label repaid --noise 1 --delta 1e-6 --replace-one --dry-run
t train label_net credit.csv --schema credit.fields $label --replace-one --checkpoint a.checkpoint --out a.model
dusk train label_net -h | grep '^private'
dusk train label_net credit.csv --schema credit.fields $label --replace-one --out a.model 2>/dev/null | grep '^promise' | sed 's/; event [^;]*//'
ls | grep -e model -e tmp -e checkpoint
