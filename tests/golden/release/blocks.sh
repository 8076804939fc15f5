# SPDX-License-Identifier: Apache-2.0
rows="dusk release sample-and-aggregate --epsilon 1 --bounds 0:100"
saa="$rows --column age"
$saa --blocks 3 --function median people.csv
$saa --blocks 3 --function deviation --aggregate median people.csv
$saa --blocks 3 --function variance --aggregate smooth-median --delta 1e-6 --rows-per-unit 2 people.csv
$rows --blocks 3 --exec 'awk -F, "NR > 1 { s += \$1 } END { print s / (NR - 1) }"' people.csv
printf '1 2\n\n3 4\n' | $rows --blocks 1 --exec 'grep -c "^[13] [24]$"' --dry-run
printf '1 2\n\n3 4\n5 6' | dusk release sample-and-aggregate --epsilon 400 --bounds 0:4 --blocks 1 --exec 'grep -c "^[135] [246]$"' 2>/dev/null | awk '{ print "three rows:", ($1 > 2.5 && $1 < 3.5) }'
dusk release sample-and-aggregate --epsilon 400 --bounds 0:4 --blocks 1 --exec 'grep -c "^id,name"' people.csv 2>/dev/null | awk '{ print "one header:", ($1 > 0.5 && $1 < 1.5) }'
dusk release sample-and-aggregate --epsilon 400 --bounds 0:4 --blocks 1 --exec 'grep -c "^id,name"' people.csv 2>/dev/null <&- | awk '{ print "without standard input:", ($1 > 0.5 && $1 < 1.5) }'
# a record of a table goes on while a quote is open, and is in one block
{ printf 'id,note\n5" pipe,"'; seq 50; printf '""\n"\n'; } >notes.CSV
dusk release sample-and-aggregate --epsilon 400 --bounds 0:1 --blocks 50 --exec 'awk "END { print (NR > 1) }"' notes.CSV 2>/dev/null | awk '{ print "one record:", ($1 > 0.01 && $1 < 0.03) }'
$saa --blocks 3 --function mean --json people.csv
$saa --blocks 3 --function mean --dry-run
# a command that fails, says too much, or does not read its input, is not heard
for command in 'exit 3' 'yes | head -c 100000' 'echo secret >&2; echo 1 2' 'true' 'kill -9 $$' 'cat >/dev/null; echo nan'; do
    $rows --blocks 3 --exec "$command" people.csv 2>&1 | tail -n +2 | head -n 1
done
$saa --blocks 3 people.csv || echo "exit $?"
$saa --blocks 3 --function mean --exec true people.csv || echo "exit $?"
$rows --blocks 3 --exec /no/such/program people.csv || echo "exit $?"
$saa --blocks 3 --exec true people.csv || echo "exit $?"
$rows --blocks 3 --exec true /no/such/file || echo "exit $?"
$saa --blocks 0 --function mean people.csv || echo "exit $?"
$saa --blocks 3 --function mean --aggregate median --delta 1e-6 people.csv || echo "exit $?"
# with names all rows of a unit are in one block, however many there are
{ echo who,x; yes 'ann,100' | head -n 500; } >units.csv
named="dusk release sample-and-aggregate --epsilon 4000 --bounds 0:100 --blocks 50 --function mean --column x"
$named --unit-column who units.csv 2>/dev/null | awk '{ print "one block:", ($1 > 50.9 && $1 < 51.1) }'
$named units.csv 2>/dev/null | awk '{ print "all blocks:", ($1 > 90) }'
$named --unit-column who --neighbours replace-one --dry-run
echo who,x >nobody.csv
$named --unit-column who nobody.csv 2>/dev/null | awk '{ print "nobody:", ($1 > 49.9 && $1 < 50.1) }'
$named --unit-column nope units.csv
$named --unit-column who --rows-per-unit 2 units.csv
$rows --blocks 3 --exec cat --unit-column who units.csv || echo "exit $?"
