# SPDX-License-Identifier: Apache-2.0
# Rows from compressed text and from a database, and fields from a source.
train="dusk train linear"
promise="--label income --epsilon 1 --delta 1e-6 --out income.model"
gzip -k credit.csv
$train credit.csv.gz --schema credit.fields $promise 2>/dev/null | grep ^from
sqlite3 credit.db ".mode csv" ".import credit.csv credit" 2>/dev/null || python3 - <<'END'
import csv, sqlite3
rows = list(csv.reader(open("credit.csv")))
with sqlite3.connect("credit.db") as db:
    db.execute("CREATE TABLE credit (%s)" % ", ".join(rows[0]))
    db.executemany("INSERT INTO credit VALUES (%s)" % ", ".join("?" * len(rows[0])), rows[1:])
END
$train credit.db#credit --schema credit.fields $promise 2>/dev/null | grep ^from
awk 'NR == 1 { print "id," $0; next } { print NR "," $0 }' credit.csv >credit_id.csv
dusk init credit.dusk --source credit=credit_id.csv --unit credit.id --epsilon 3 >/dev/null 2>&1
dusk schema credit.dusk set credit.income type=real bounds=0:200
dusk schema credit.dusk set credit.age type=integer bounds=18:90
dusk schema credit.dusk set credit.home domain=rent,own,loan
$train credit_id.csv --schema credit.dusk $promise 2>/dev/null | grep -e ^promise | sed 's/; event.*//'
dusk schema credit.dusk set credit.id unique
$train credit_id.csv --schema credit.dusk $promise 2>/dev/null | grep -e ^from -e ^promise | sed 's/; event.*//'
# some of the fields only
$train credit.csv --schema credit.fields $promise --columns age,years 2>/dev/null | grep ^from
