# SPDX-License-Identifier: Apache-2.0
# What is refused says what to type instead, reads no row, spends nothing and writes nothing.
t() {
    echo "\$ dusk $*"
    dusk "$@" 2>&1
    echo "exit $?"
}
more="credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out a.model"
t train
t train liner $more
t train linear
t train linear credit.csv --label income --epsilon 1 --out a.model
t train linear credit.csv --schema nothing.fields --label income --epsilon 1 --out a.model
t train linear credit.csv --schema credit.csv --label income --epsilon 1 --out a.model
printf 'income numeric 0:200\nhome category to rent,own\n' >blanks.fields
t train linear credit.csv --schema blanks.fields --label income --epsilon 1 --out a.model
t train linear credit.csv --schema credit.fields --epsilon 1 --out a.model
t train linear credit.csv --schema credit.fields --label wealth --epsilon 1 --out a.model
t train linear credit.csv --schema credit.fields --label home --epsilon 1 --out a.model
t train linear credit.csv --schema credit.fields --label income --out a.model
t train linear credit.csv --schema credit.fields --label income --epsilon 0 --out a.model
t train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 2 --out a.model
t train linear credit.csv --schema credit.fields --label income --epsilon 1
t train linear nothing.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out a.model
t train linear visits.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out a.model
t train linear credit.csv credit_new.csv --schema credit.fields --label income --epsilon 1 --out a.model
t train linear $more --set nom=1
t train linear $more --set norm
t train linear $more --set norm=-1
t train linear $more --set scaling=log
t train linear $more --set norm=1 --set norm=2
t train linear $more --rows 0
t train linear $more --columns age,wealth
t train linear $more --columns ,
t train linear $more --table visits
t train pca $more
t train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out no/a.model
t train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out .
t train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out ./credit.csv
t train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out credit.fields
t train posterior_linear $more
t train linear clinic.dusk --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out a.model
[ ! -e /dev/full ] || t train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out /dev/full |
    grep -v -e '^ ' -e '^[a-z]* *[a-z]*:* [a-z]*=' | tail -3
ls | grep -e model -e tmp
exit 0
