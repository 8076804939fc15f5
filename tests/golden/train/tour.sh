# SPDX-License-Identifier: Apache-2.0
# From a table to a model, what it says of other rows, and how right it is.
dusk train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out income.model 2>&1 |
    grep -E '^(learned|from|promise|file|cost|no ledger)' | sed 's/; event.*//'
head -c 13 income.model && echo
dusk predict income.model credit_new.csv | head -3
dusk score income.model credit_new.csv 2>&1 | tr -s ' '
dusk score income.model credit.csv --private --epsilon 0.5 --delta 1e-6 --rows 2400 2>&1 | tr -s ' '
dusk score income.model --card | grep -E '^(learned|from|promise)' | sed 's/; event.*//'
# n is declared, another unit, replace-one
printf 'unit "a household"\nrows_per_unit 3\n' | cat credit.fields - >household.fields
dusk train linear credit.csv --schema household.fields --label income --epsilon 1 --delta 1e-6 --rows 2400 --replace-one \
    --out income.model --json 2>/dev/null | python3 -c '
import json, sys
card = json.load(sys.stdin)
print(card["learner"], card["label"], card["fields"], card["columns"], card["file"])
said = card["statement"]
print(said["unit"], said["neighbours"], said["assumed"], said["epsilon"] <= 1, said["delta"], said["numerics"])'
