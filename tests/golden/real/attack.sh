# SPDX-License-Identifier: Apache-2.0
# Census microdata and places that people visited: what falls and what holds, as the docs say it.
# Shown is only what the noise cannot change.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
gzip -dc "$DUSK_DATA/pums/PUMS5extract10000.csv.gz" > pums.csv
gzip -dc "$DUSK_DATA/hd-discrete/adult.csv.gz" > adult.csv
(seq -s , 446; gzip -dc "$DUSK_DATA/location-30/bangkok.csv.gz" | cut -d , -f 2-) > places.csv
run() { echo "$@"; dusk attack "$@" | grep "^bound\|^spent\|^verdict${also-}"; }

for word in differencing averaging reconstruction; do
    run $word pums.csv --column married --release exact --expect falls
    run $word pums.csv --column married --release dusk --epsilon 1 --expect holds
    run $word pums.csv --column married --release overspent --epsilon 4 --expect falls
done
run averaging pums.csv --column married --release kept --epsilon 1 --expect holds
run reconstruction pums.csv --column married --release dusk --epsilon 1 --delta 1e-6 --expect holds
also='\|^recovered'
run reconstruction adult.csv --column 'income>50K' --release exact --expect falls
run reconstruction adult.csv --column 'income>50K' --release exact --people 2000 --queries 2000 --expect falls
run reconstruction adult.csv --column 'income>50K' --release exact --wrong 0.1 --queries 4000 --expect holds
run reconstruction adult.csv --column 'income>50K' --release exact --wrong 0.1 --queries 4000 --decoder absolute --expect falls
also=
run membership places.csv --members 100 --release exact --expect falls
run membership places.csv --members 100 --release dusk --epsilon 1 --delta 1e-6 --expect holds
run membership places.csv --members 20 --release exact --expect falls
run membership places.csv --members 400 --release dusk --epsilon 1 --delta 1e-6 --expect holds
run membership places.csv --members 20 --release overspent --epsilon 4 --expect falls
