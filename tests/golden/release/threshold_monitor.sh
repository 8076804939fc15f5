# SPDX-License-Identifier: Apache-2.0
# Conditions on rows of a table and on words; all counts are 100 or more from the threshold.
little_noise="--epsilon 20 --delta 0.01"
yes 'ok,1' | head -1000 | { echo 'state,n'; cat; yes 'no,2' | head -600; yes 'no,word' | head -400; } > rows.csv
printf 'state = ok\nstate != ok and n = 2\n\nn > 1\nn >= 1 and n <= 1\nn < 0\nn = word\nn != 2\n' |
    dusk release threshold-monitor $little_noise --threshold 500 --contributions 9 rows.csv 2>/dev/null
echo each record once
printf 'n = 1\nn = 1\nn = 2\nn = 1\nstate = no\n' | dusk release threshold-monitor $little_noise -t 500 rows.csv 2>/dev/null
echo words
for i in $(seq 300); do printf 'milk bread\nbread, milk, tea\n\ntea milk\n'; done > baskets.txt
printf 'milk\nbread milk\ntea bread\ncoffee\n' |
    dusk release threshold-monitor $little_noise -t 450 --contributions 2 --json baskets.txt 2>/dev/null | cut -d, -f1-5
echo receipt
printf 'n = 1\nn = 2\n' | dusk release threshold-monitor -e 1 -d 1e-6 -t 4000 --contributions 10 -u person rows.csv
dusk release threshold-monitor -e 1 -d 1e-6 -t 400 --neighbours replace-one --dry-run
echo errors
for query in 'age = 1' 'n' 'n < word' 'n = 1 and'; do
    echo "$query" | dusk release threshold-monitor $little_noise -t 1 rows.csv
done
printf 'n = 1\nage = 1\n' | dusk release threshold-monitor $little_noise -t 500 rows.csv # one answer was given
printf 'n = 1\nage = 1\n' | dusk release threshold-monitor $little_noise -t 500 --json rows.csv 2>/dev/null | python3 -m json.tool | head -5
echo 'n = 1' | dusk release threshold-monitor -e 1 -d 1e-6 -t 1
dusk release threshold-monitor -e 1 -d 0 -t 1 --dry-run
exit 0
