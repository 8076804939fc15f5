# SPDX-License-Identifier: Apache-2.0
t() {
    echo "\$ dusk $*"
    dusk "$@" 2>&1
    echo "exit $?"
}
dusk train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out a.model >/dev/null 2>&1
dusk train pca credit.csv --schema credit.fields --epsilon 1 --delta 1e-6 --out b.model >/dev/null 2>&1
t score a.model
t score a.model credit_new.csv --epsilon 1
t score a.model credit_new.csv --private
t score a.model credit_new.csv --private --epsilon 0
t score a.model credit_new.csv --private --epsilon 1 --delta 1
t score a.model credit_new.csv --private --epsilon 1 --plot roc.svg
t score a.model credit_new.csv --plot roc.svg
t score a.model credit_new.csv --calibration c.svg
t score b.model credit_new.csv --private --epsilon 1
t score a.model credit_new.csv --card
t score a.model --card --private --epsilon 1
t score a.model --card --plot a.model
t score a.model credit.csv --private --epsilon 1 --rows 10 | sed 's/^mse .*/mse/'
cut -d , -f 1,3- credit_new.csv >unlabelled.csv
t score a.model unlabelled.csv
t score a.model credit.csv --private --epsilon 0.1 --dry-run
ls | grep svg
dusk train logistic credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --out c.model >/dev/null 2>&1
head -1 credit_new.csv >none.csv
t score c.model none.csv --calibration c.svg
sed '1!s/[^,]*$/perhaps/' credit_new.csv >unknown.csv
t score c.model unknown.csv
ls c.svg 2>/dev/null
t score c.model credit_new.csv --plot c.svg --calibration ./c.svg
t score c.model credit_new.csv --plot credit_new.csv
t score c.model credit_new.csv --calibration c.png
t score c.model credit_new.csv --plot nowhere/c.svg
t score c.model nosuch
exit 0
