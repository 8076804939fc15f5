# SPDX-License-Identifier: Apache-2.0
# The same header, values that the schema declares, and as many rows as are asked for.
show() { sed -E 's/^[^,]*,(Fem|M)ale,(Arles|Le Puy|elsewhere),[0-3]$/a row/' | uniq -c | sed 's/^ *//'; }
dusk release synthetic-table --epsilon 2 --delta 1e-6 --schema survey.schema --rows 20 survey.csv | show
dusk release synthetic-table --epsilon 2 --schema survey.schema --neighbours replace-one survey.csv | show
dusk release synthetic-table --epsilon 1 --schema survey.schema --dry-run absent.csv
dusk release synthetic-table --epsilon 1 --schema survey.schema --rows 2 --json survey.csv 2>/dev/null |
    python3 -c 'import json, sys; o = json.load(sys.stdin); print(list(o), o["columns"], [len(r) for r in o["rows"]])'
printf '"a ""b"", c" category "y\t"\n' >odd.schema
printf '"a ""b"", c"\n"y\t"\nz\n' >odd.csv
dusk release synthetic-table --epsilon 1 --schema odd.schema --rows 2 odd.csv
dusk release synthetic-table --epsilon 1 --delta 1e-6 --schema survey.schema --marginals 2 survey.csv || echo "exit $?"
# A row of one column that is empty is a row: where rows are exchanged their number is public.
printf 'c category a,b\n' >one.schema
for last in a ''; do
    printf 'c\na\nb\n%s\n' "$last" |
        dusk release synthetic-table --epsilon 1 --schema one.schema --neighbours replace-one 2>/dev/null | wc -l
    printf 'c\n1\n2\n%s\n' "$last" >one.csv
    dusk release count --epsilon 1 --neighbours replace-one one.csv 2>/dev/null
done
