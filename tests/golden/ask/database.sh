# SPDX-License-Identifier: Apache-2.0
# A whole database: its tables and no views, dots in names are underscores.
command -v sqlite3 >/dev/null || exit 77
sqlite3 shop.db 'CREATE TABLE customer(id INTEGER PRIMARY KEY); CREATE TABLE "a.b"(customer INTEGER, n INTEGER);
    CREATE VIEW everybody AS SELECT customer, (SELECT SUM(n) FROM "a.b") AS n FROM "a.b";
    INSERT INTO customer VALUES (1), (2); INSERT INTO "a.b" VALUES (1, 5), (2, 6)'
dusk init shop.dusk --source shop.db --unit customer.id --epsilon 100
dusk schema shop.dusk link a_b.customer customer
dusk query shop.dusk "SELECT COUNT(n) FROM a_b" --epsilon 40 --csv
dusk init view.dusk --source shop.db#everybody --unit everybody.customer --epsilon 1
dusk schema shop.dusk set a_b rows_per_unit=3
dusk schema shop.dusk --json | sed 's/"source":"[^"]*"/"source":""/g'
dusk schema shop.dusk set a_b source=other.db#x
dusk schema shop.dusk | grep -F "($PWD/other.db#x)" | sed "s|$PWD/||"
dusk schema shop.dusk set '' unit=a_b.n || echo "exit $?"
