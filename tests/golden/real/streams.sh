# SPDX-License-Identifier: Apache-2.0
# Rentals and taxi rides: every private answer against the exact one. The confidence is
# 1 - 1e-12 for each of some ten thousand answers, so that a failure is a bug.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
gzip -dc "$DUSK_DATA/bike-sharing/hour.csv.gz" > hour.csv
gzip -dc "$DUSK_DATA/trips/nyc_taxi_30min.csv.gz" > taxi.csv

inside() { # inside WHAT FILE COLUMN WINDOW < the JSON of the answers
    python3 -c '
import csv, json, sys
what, path, column, window = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
numbers = [float(row[column]) for row in csv.DictReader(open(path))]
answers, total, wrong = json.load(sys.stdin)["answers"], 0, 0
for t, (number, answer) in enumerate(zip(numbers, answers)):
    total += number - (numbers[t - window] if t >= window else 0)
    wrong += abs(answer["value"] - total) > answer["half_width"]
print(what, len(answers), "answers,", wrong, "outside")' "$@"
}
enough="--epsilon 1 --confidence 0.999999999999 --json"
for how in "--method tree" "--delta 1e-6 --method honaker" "--delta 1e-6 --method square-root" \
    "--delta 1e-6 --method banded --bands 50"; do
    dusk release count-stream $enough $how --length 17520 --column cnt hour.csv 2>/dev/null |
        inside "$how:" hour.csv cnt 100000
done
dusk release count-stream $enough --column cnt hour.csv 2>/dev/null | inside "without an end:" hour.csv cnt 100000
for how in "--method tree" "--delta 1e-6 --method honaker" "--delta 1e-6 --method square-root --length 20000"; do
    dusk release count-stream $enough $how --window 48 --column value taxi.csv 2>/dev/null |
        inside "window 48 $how:" taxi.csv value 48
done
dusk release sum-stream $enough --bounds 0:1 --length 17520 --column hum hour.csv 2>/dev/null |
    inside "sum of humidities:" hour.csv hum 100000
