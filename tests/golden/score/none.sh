# SPDX-License-Identifier: Apache-2.0
# A model without privacy is marked wherever it goes.
dusk train net credit.csv --schema credit.fields --label repaid --rows 2400 --net output --rate 1 --steps 3 --no-privacy \
    --out plain.model >/dev/null 2>&1
dusk score plain.model credit_new.csv --json 2>/dev/null | grep -o '"promise":"[^"]*"'
dusk score plain.model credit_new.csv --private --epsilon 1 --json 2>/dev/null | grep -o '"promise":"[^"]*"'
dusk score plain.model credit_new.csv --plot roc.svg --calibration calibration.svg 2>&1 | grep -e '^drawn' -e '^NO'
grep -o 'net, NO PRIVACY; [^<]*' roc.svg calibration.svg | sed 's/[0-9.]*$//'
dusk train net credit.csv --schema credit.fields --label repaid --rows 2400 --net output --rate 1 --steps 3 --no-privacy \
    --check credit_new.csv --plot curve.svg --out a.model >/dev/null 2>&1
grep -o 'NO PRIVACY' curve.svg
# a promise is none of that
dusk train net credit.csv --schema credit.fields --label repaid --rows 2400 --net output --rate 1 --steps 3 --epsilon 1 --delta 1e-6 \
    --out a.model >/dev/null 2>&1
dusk score a.model credit_new.csv --plot roc.svg --json 2>/dev/null | grep -c promise
grep -o 'net, epsilon 1 at delta 1e-6; 600 rows' roc.svg
exit 0
