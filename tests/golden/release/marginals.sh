# SPDX-License-Identifier: Apache-2.0
# Every declared cell is there, whatever the rows hold.
dusk release marginals --epsilon 1 --schema survey.schema --marginals 'age,sex;town' survey.csv
dusk release marginals --epsilon 1 --delta 1e-6 --schema survey.schema --marginals 1 --counts raw --neighbours replace-one <survey.csv
dusk release marginals --epsilon 9 --schema survey.schema --marginals kids --counts non-negative --dry-run absent.csv
dusk release marginals --epsilon 9 --schema survey.schema --marginals kids --json survey.csv
