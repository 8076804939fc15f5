# SPDX-License-Identifier: Apache-2.0
# Nothing that is read is replaced and nothing is written twice, by whatever name a file is called; rows that are said to be public are not the private ones. A
# dry run finds out what a run would, and leaves nothing behind.
t() {
    echo "\$ dusk train net ... $*"
    dusk train net credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --rate 1 --steps 2 "$@" 2>&1 |
        grep -v -e '^  *' -e '^[a-z]* *[a-z]* *[a-z]*=' -e '^promise'
}
plan() { t "$@" --dry-run; }
net() { dusk train net credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --rate 1 --steps 2 "$@" 2>&1; }
echo output >p.net
net --net p.net --out s.model >/dev/null
cp s.model kept.model
mkdir folder
ln s.model folder/hard.model
ln -s ../s.model folder/soft.model

echo "== of the same name"
t --check credit_new.csv --plot x.model --out x.model
t --check credit_new.csv --plot folder/../x.model --out ./x.model
t --check credit_new.csv --plot ck9 --checkpoint ./ck9 --out y.model
t --checkpoint k3.model --out k3.model
plan --checkpoint k3.model --out k3.model
for name in p.net ./p.net; do
    net --net p.net --out $name
    net --net p.net --check credit_new.csv --plot $name --out y.model
    net --net p.net --checkpoint $name --out y.model --dry-run
done
for name in s.model folder/hard.model folder/soft.model; do t --set start=s.model --out $name; done
t --try 'rate=0.5 start=s.model' --try rate=0.1 --out s.model
cp s.model 'my model'
t --set 'start=my model' --out './my model'
t --net output --out output >/dev/null; t --net output --out output >/dev/null # which is a layer, and no file
ls output
t --check credit_new.csv --out credit_new.csv
t --check credit_new.csv --plot credit_new.csv --out y.model
t --set subspace=4 --public credit_new.csv --out credit_new.csv
t --checkpoint credit.csv --out y.model
cmp s.model kept.model
ls x.model y.model k3.model ck9 2>/dev/null

echo "== rows that are not public"
cp credit.csv others.csv
ln -s credit.csv link.csv
t --check ./credit.csv --out y.model
plan --check link.csv
t --check 'credit.csv?delimiter=,' --out y.model
t --public folder/../credit.csv --set subspace=4 --out y.model
for learner in pate private_knn; do
    dusk train $learner credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --public credit.csv --out y.model 2>&1
done
t --check others.csv --out z.model | grep '^checked'

echo "== a dry run"
plan --out nowhere/x.model
plan --out folder
plan --checkpoint nowhere/ck
echo something >taken
plan --checkpoint taken
plan --check credit_new.csv --plot nowhere/x.svg
plan --check credit_new.csv --plot folder
plan --labels x
t --labels x --out y.model
dusk train net visits.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --dry-run 2>&1
: >empty
plan --checkpoint empty >/dev/null
ls empty
ls | grep -v -x before >before
plan --out new.model --check credit_new.csv --plot new.svg --checkpoint new.checkpoint
ls | grep -v -x before | cmp - before

echo "== charged before nothing that can be known"
awk 'NR == 1 { print "id," $0; next } { print NR "," $0 }' credit.csv >credit_id.csv
dusk init own.dusk --source credit=credit_id.csv --unit credit.id --epsilon 3 --delta 1e-5 >/dev/null 2>&1
dusk schema own.dusk set credit.id unique
dusk schema own.dusk set credit.debt type=real bounds=0:100
dusk schema own.dusk set credit.repaid domain=no,yes
source() { dusk train net own.dusk --label repaid --epsilon 1 --delta 1e-6 --net output --rate 1 --steps 2 "$@" 2>&1; }
head -100 credit_id.csv | cut -d , -f 2- >public.csv
source --check public.csv --plot nowhere/x.svg --out y.model
source --check public.csv --plot folder --out y.model
source --check credit_id.csv --out y.model
source --check public.csv --plot credit_id.csv --out y.model
dusk budget own.dusk 2>&1 | head -3
