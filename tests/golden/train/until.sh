# SPDX-License-Identifier: Apache-2.0
# Versions with less and less noise, until one is good enough: the promise is the maximum; a ledger that can add up versions is charged for those
# that were made.
train() { dusk train linear "$@" --label income --delta 1e-6 --out a.model 2>&1; }
brief() { grep -E '^(version|learned|promise|cost|left|no ledger|dusk|hint)' | sed 's/; event.*//'; }
echo "== public rows"
train credit.csv --schema credit.fields --epsilon 4 --until 40 --check credit_new.csv | brief
echo "== rows held out"
# By noise it may be the last version, which then need not meet the target.
train credit.csv --schema credit.fields --epsilon 4 --until 160 | brief | sed 's/is the last, and does not meet/meets/'
echo "== never"
train credit.csv --schema credit.fields --epsilon 1 --until 0.001 --check credit_new.csv | brief
dusk train functional credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --until 0.5 --set scaling=bounds --dry-run 2>&1 | sed -n '1,3p; $p'
echo "== what cannot be"
train credit.csv --schema credit.fields --epsilon 1 --until 0
train credit.csv --schema credit.fields --epsilon 1 --until 40 --try confidence=0.9
train credit.csv --schema credit.fields --epsilon 1 --check credit_new.csv
train credit.csv --schema credit.fields --epsilon 1 --until 40 --charge-each
train credit.csv --schema credit.fields --epsilon 1 --until 40 --check none.csv
head -n 1 credit.csv >empty.csv
train credit.csv --schema credit.fields --epsilon 1 --until 40 --check empty.csv
echo "age" >other.csv
train credit.csv --schema credit.fields --epsilon 1 --until 40 --check other.csv
echo "exit code $?"
dusk train linear credit.csv --schema credit.fields --label income --epsilon 1 --until 40 --out a.model 2>&1
dusk train forest credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --until 0.7 --out a.model 2>&1
cp credit.csv b.csv
dusk train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --until 40 --check b.csv --out b.csv 2>&1
awk 'NR == 1 { print "id," $0; next } { print NR "," $0 }' credit.csv >credit_id.csv
source() {
    dusk init "$1.dusk" --source credit=credit_id.csv --unit credit.id --filter "$1" --epsilon 3 --delta 1e-5 >/dev/null 2>&1
    dusk schema "$1.dusk" set credit.id unique
    dusk schema "$1.dusk" set credit.income type=real bounds=0:200
    dusk schema "$1.dusk" set credit.debt type=real bounds=0:100
}
source gdp
source basic
echo "== charged as they are made"
train gdp.dusk --epsilon 2 --until 40 --check credit_new.csv --charge-each | brief
echo "== charged at once"
train gdp.dusk --epsilon 2 --until 40 --check credit_new.csv | brief
train basic.dusk --epsilon 2 --until 40 --check credit_new.csv | brief
echo "== not by a basic filter"
train basic.dusk --epsilon 0.5 --until 40 --check credit_new.csv --charge-each
