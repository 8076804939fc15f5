# SPDX-License-Identifier: Apache-2.0
# Several labels at once, and rows that come back: what is printed of them.
awk 'BEGIN { print "age,fever,pulse,cough"; for (i = 0; i < 400; i++) { a = (i * 37) % 100; p = 30 + (i * 53) % 170;
    print a "," (a > 50 ? "yes" : "no") "," p "," (p > 110 ? "yes" : i % 9 ? "no" : "") } }' >ward.csv
printf 'age numeric 0:100\nfever category no,yes\npulse numeric 30:200\ncough category no,yes\n' >ward.fields
printf 'pulse,age\n60,90\n180,10\n' >new.csv
t() {
    echo "\$ dusk $*"
    dusk "$@" 2>&1
    echo "exit $?"
}
labels() { t train net_labels ward.csv --schema ward.fields --epsilon 200 --delta 1e-6 --rows 400 --net output --rate 1 --steps 60 "$@"; }
labels --label cough,fever --set learning_rate=2 --out ward.model | sed '/^settings/d'
t predict ward.model new.csv
t predict ward.model new.csv --proba
t score ward.model ward.csv | tr -s ' '
t score ward.model ward.csv --private --epsilon 1
t score ward.model new.csv
t score ward.model --card --json | grep -o '"labels":[^]]*]'
labels --label cough,fever --columns age --dry-run | grep column
labels --out a.model
labels --label fever,age --out a.model
t train net ward.csv --schema ward.fields --label fever,cough --epsilon 1 --out a.model
coder() { t train autoencoder ward.csv --schema ward.fields --columns age,pulse --delta 1e-6 --rows 400 --rate 1 --steps 60 "$@"; }
coder --epsilon 200 --net 'dense 2; output' --out back.model >/dev/null
dusk predict back.model new.csv | head -1
coder --epsilon 200 --net 'dense 2; output' --set code=1 --out code.model >/dev/null
dusk predict code.model new.csv | head -1
coder --net output --out a.model
