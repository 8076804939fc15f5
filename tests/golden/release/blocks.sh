# SPDX-License-Identifier: Apache-2.0
saa="dusk release sample-and-aggregate --epsilon 1 --bounds 0:100 --column age"
$saa --blocks 3 --function median people.csv
$saa --blocks 3 --function deviation --aggregate median people.csv
$saa --blocks 3 --function variance --aggregate smooth-median --delta 1e-6 --rows-per-unit 2 people.csv
$saa --blocks 3 --exec 'awk "{ s += \$1 } END { print s / NR }"' people.csv
$saa --blocks 3 --function mean --json people.csv
$saa --blocks 3 --function mean --dry-run
# a command that fails, says too much, or does not read its input, is not heard
for command in 'exit 3' 'yes | head -c 100000' 'echo secret >&2; echo 1 2' 'true' 'kill -9 $$' 'cat >/dev/null; echo nan'; do
    $saa --blocks 3 --exec "$command" people.csv 2>&1 | tail -n +2 | head -n 1
done
$saa --blocks 3 people.csv || echo "exit $?"
$saa --blocks 3 --function mean --exec true people.csv || echo "exit $?"
$saa --blocks 3 --exec /no/such/program people.csv || echo "exit $?"
$saa --blocks 0 --function mean people.csv || echo "exit $?"
$saa --blocks 3 --function mean --aggregate median --delta 1e-6 people.csv || echo "exit $?"
