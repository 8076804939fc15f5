# SPDX-License-Identifier: Apache-2.0
# Exact answers fall, each in one command.
dusk attack differencing survey.csv --column sex --equals Male --release exact --expect falls
dusk attack differencing survey.csv --column sex --equals Male --person 2 --trials 10 --release exact
dusk attack averaging survey.csv --column sex --equals Male --release exact --expect falls
dusk attack reconstruction survey.csv --column sex --equals Male --release exact --guesses guesses.txt --expect falls
python3 -c 'import csv; [print(int(r["sex"] == "Male")) for r in csv.DictReader(open("survey.csv"))]' | cmp - guesses.txt && echo "every guess is right"
dusk attack reconstruction survey.csv --column town --equals Lyon --queries 240 --release exact --wrong 0.1 \
    --decoder absolute --expect falls
dusk attack reconstruction survey.csv --column town --equals Lyon --queries 240 --release exact --wrong 0.1 --expect holds

# a study of 20 in a table of 320 people with 200 attributes of their own
awk 'BEGIN { srand(7); for (j = 1; j <= 200; j++) printf "a%d%s", j, j < 200 ? "," : "\n"
    for (i = 0; i < 320; i++) for (j = 1; j <= 200; j++) {
        x = (x * 1103515245 + 12345 + i) % 2147483648
        printf "%d%s", x / 65536 % 10 < j % 8 + 1, j < 200 ? "," : "\n" } }' > crowd.csv
dusk attack membership crowd.csv --members 20 --release exact --false-positives 0.02 --expect falls
dusk attack membership crowd.csv --members 20 --release exact --false-positives 0.02 --score inner
dusk attack membership crowd.csv --members 20 --release exact --false-positives 0.02 --score likelihood
