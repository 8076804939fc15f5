# SPDX-License-Identifier: Apache-2.0
# Whatever was changed behind Dusk's back: --verify says so, with exit code 6.
command -v sqlite3 >/dev/null || exit 77
dusk init clinic.dusk --source visits.csv --unit visits.patient --epsilon 2 >/dev/null 2>&1
dusk schema clinic.dusk set visits.minutes type=integer
dusk schema clinic.dusk set visits.minutes bounds=0:480
dusk query clinic.dusk "SELECT AVG(minutes) FROM visits" --epsilon 1 >/dev/null 2>&1
while read -r change; do
    cp clinic.dusk changed.dusk
    sqlite3 changed.dusk "$change" >/dev/null
    echo "$change"
    dusk budget changed.dusk --verify 2>&1 | head -1
    dusk budget changed.dusk --verify >/dev/null 2>&1
    echo "exit $?"
done <<'END'
SELECT 1
UPDATE entry SET epsilon = 0.1 WHERE kind = 4
DELETE FROM entry WHERE number = (SELECT max(number) FROM entry)
UPDATE balance SET charges = 0
DELETE FROM balance
UPDATE answer SET text = x'00'
UPDATE fact SET entry = place
DELETE FROM fact WHERE property = 'type'
CREATE TRIGGER x AFTER INSERT ON entry BEGIN SELECT 1; END
END
