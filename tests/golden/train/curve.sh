# SPDX-License-Identifier: Apache-2.0
# How a network is learned, by public rows: a table, JSON, a plot; nothing is told of a step that could be made again.
net() { dusk train net credit.csv --schema credit.fields --label repaid --rows 2400 --net 'dense 4; tanh; output' --rate 1 "$@" 2>&1; }
# Numbers after the first are random; where they stand is not.
numbers() { sed -e '/^     *[0-9]/s/[0-9][0-9]*\.[0-9][0-9]*/N/g' -e 's/"\(loss\|accuracy\|rmse\)":[^,}]*/"\1":N/g'; }
echo "== the example of the manual"
dusk train net credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --check credit_new.csv --plot curve.svg --out a.model 2>&1 |
    sed -n -e '/^checked/,/^promise/p' -e '/^drawn/p' -e '/^cost/p' | numbers | sed 's/; event.*//'
grep -c '<circle' curve.svg
grep -o '>[a-zA-Z][^<]*<' curve.svg
echo "== a table, after so many steps"
net --noise 5 --delta 1e-6 --steps 50 --check credit_new.csv --check-every 20 --out a.model | sed -n '/^checked/,/^promise/p' | numbers | sed 's/; event.*//'
echo "== JSON"
net --noise 5 --delta 1e-6 --steps 50 --check credit_new.csv --check-every 20 --out a.model --json | sed -n 's/.*"check"/"check"/p' | numbers
echo "== numbers, and no privacy"
dusk train net_numbers credit.csv --schema credit.fields --label income --rows 2400 --net output --rate 1 --no-privacy --steps 4 --check credit_new.csv \
    --plot numbers.svg --out a.model 2>&1 | sed -n '/^checked/,/^promise/p' | numbers
grep -o '>[a-zA-Z][^<]*<' numbers.svg
echo "== killed, and gone on with: from the last step that was told of, as no other was kept"
set -- train net credit.csv --schema credit.fields --label repaid --rows 2400 --net output --rate 1 --noise 50 --delta 1e-6 --steps 1500 \
    --checkpoint run.checkpoint --every 100000 --check credit_new.csv --check-every 50 --out b.model
dusk "$@" >/dev/null 2>&1 &
run=$!
while ! [ -s run.checkpoint ]; do sleep 0.02; done
before=$(cksum <run.checkpoint)
while [ "$(cksum <run.checkpoint)" = "$before" ]; do sleep 0.02; done
kill -9 $run 2>/dev/null
wait $run 2>/dev/null
dusk "$@" --resume 2>&1 | awk '/has ended/ { ended = 1 } /^checked/ { table = 1 } table && $1 ~ /^[0-9]+$/ && !first { first = $1 } END { print ended || (first > 0 && first % 50 == 0) ? "went on" : "made anew from step " first }'
echo "== a limit of memory"
limit() { net --epsilon 1 --delta 1e-6 --steps 50 --set threads=2 --dry-run "$@" | grep -e besides -e ^hint -e memory; }
limit --memory 1G
limit --memory 2M
limit --memory 0.1M
limit --memory much
limit --memory -1
limit --memory 1T
dusk train linear credit.csv --schema credit.fields --label income --epsilon 1 --memory 1G --out a.model 2>&1
echo "== what cannot be"
net --epsilon 1 --delta 1e-6 --plot a.svg --out a.model
net --epsilon 1 --delta 1e-6 --check-every 5 --out a.model
net --epsilon 1 --delta 1e-6 --check none.csv --out a.model
cut -d, -f1-3 credit_new.csv >other.csv
net --epsilon 1 --delta 1e-6 --check other.csv --out a.model
net --epsilon 1 --delta 1e-6 --check credit_new.csv --try clip=1 --try clip=2 --out a.model
dusk train linear credit.csv --schema credit.fields --label income --epsilon 1 --check credit_new.csv --out a.model 2>&1
cp credit_new.csv keep.csv
net --epsilon 1 --delta 1e-6 --check keep.csv --plot keep.csv --out a.model
exit 0
