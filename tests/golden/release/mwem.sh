# SPDX-License-Identifier: Apache-2.0
dusk release mwem --epsilon 1 --schema survey.schema --marginals 'age,sex;town' --rounds 3 survey.csv
dusk release mwem --epsilon 1 --delta 1e-6 --schema survey.schema --marginals age --prefixes --neighbours replace-one <survey.csv
dusk release mwem --epsilon 1 --schema survey.schema --marginals 2 --rounds 5 --dry-run absent.csv
dusk release mwem --epsilon 1 --schema survey.schema --marginals kids --rounds 2 --json survey.csv 2>/dev/null | sed 's/:-*[0-9][0-9.e-]*/:N/g'
printf 'a whole 0:9999\nb whole 0:9999\n' >large.schema
dusk release mwem --epsilon 1 --schema large.schema --marginals 1 absent.csv || echo "exit $?"
