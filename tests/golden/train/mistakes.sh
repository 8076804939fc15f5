# SPDX-License-Identifier: Apache-2.0
# What is easily mistyped, or forgotten: the error names it, and says what is nearly so.
t() {
    echo "\$ dusk train $*"
    dusk train "$@" 2>&1
    echo "exit $?"
}
net() { t net credit.csv --schema credit.fields --label repaid --out a.model "$@"; }
promise="--epsilon 1 --delta 1e-6"

echo "== what it costs"
net --noise 0 --delta 1e-6 --rows 2400
net --noise -1 --delta 1e-6 --rows 2400
net --epsilon 1 --delta 0.5
net --epsilon 1 --delta 0.9999999
net --epsilon 1 --delta -1
note() { dusk train linear credit.csv --schema credit.fields --label income --epsilon 1 "$@" 2>&1 >/dev/null | sed 's/; event.*//'; }
note --delta 0.001 --rows 2400 --dry-run
note --delta 0.001 --rows 2400 --out a.model
note --delta 0.0004 --rows 2400 --out a.model
note --delta 0.001 --out a.model

echo "== where rows are"
t net nosuch --schema credit.fields --label repaid $promise --out a.model
t net nosuch --schema credit.fields --label repaid $promise --dry-run
mkdir d.csv
t net d.csv --schema credit.fields --label repaid $promise --out a.model
mkdir -p signs/bright signs/Dark signs/other
printf 'pixel[4] numeric 0:255\nkind category bright,dark\n' >signs.fields
t net signs --schema signs.fields --label kind $promise --out a.model
t net signs --schema signs.fields --label kind $promise --dry-run
rmdir signs/Dark
t net signs --schema signs.fields --label kind $promise --out a.model

echo "== names"
for setting in optimizer=adam lr=0.1 learning-rate=0.1 learning_rte=1 nothing=1 momentum =1; do net $promise --set $setting; done
net $promise --try 'net=dens 8; output' --try net=output
net $promise --try 'optimizer=adam rate=1' --try rate=1
t net credit.csv --schema credit.fields --label repaidd $promise --out a.model
t net credit.csv --schema credit.fields --label wealth $promise --out a.model
t net_labels credit.csv --schema credit.fields --label repaid,hme $promise --out a.model
net $promise --columns age,yeas

echo "== files"
net $promise --every 10
net $promise --check credit_new.csv --plot curve.png
net $promise --check credit_new.csv --plot curve.PDF
t net credit.csv --schema credit.fields --label repaid $promise --out -
net $promise --checkpoint -
ls -- - curve.png 2>/dev/null

echo "== checkpoints"
steps() { net $promise --net output --rate 1 --steps 2 --checkpoint ck "$@" | grep -v -e '^ ' -e '^[a-z]* *[a-z]*='; }
steps --resume
steps >/dev/null
steps
steps --resume
steps --dry-run

echo "== public rows"
sed '1!s/[^,]*$/perhaps/' credit_new.csv >unknown.csv
sed '2,101s/[^,]*$/perhaps/' credit_new.csv >some.csv
net $promise --check unknown.csv
t naive_bayes credit.csv --schema credit.fields --label repaid $promise --until 0.7 --check unknown.csv --out a.model
net $promise --net output --rate 1 --steps 2 --check some.csv | grep '^checked'
dusk score a.model some.csv 2>/dev/null | grep '^rows'

echo "== one of them"
net $promise --columns age --net output --rate 1 --steps 2 | grep -e '^from' -e '1 column'
exit 0
