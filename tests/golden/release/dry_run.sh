# SPDX-License-Identifier: Apache-2.0
# No data is read: the file is not even there.
dusk release laplace --epsilon 1 --sensitivity 1 --dry-run absent.txt
dusk release gaussian --epsilon 1 --delta 1e-6 --sensitivity 1 --dry-run absent.txt
dusk release permute-and-flip --epsilon 1 --sensitivity 1 --dry-run --scores absent.txt
dusk release sparse-vector --epsilon 1 --sensitivity 1 --threshold 9 --dry-run absent.txt
dusk release randomized-response --epsilon 1 --dry-run
dusk release count --epsilon 1 --dry-run absent.csv
dusk release mean --epsilon 1 --bounds 0:1 --dry-run absent.csv
dusk release histogram --epsilon 1 --bins 0:1:2 --dry-run absent.csv
dusk release median --epsilon 1 --bounds 0:1 --dry-run absent.csv
dusk release keys --epsilon 1 --delta 1e-6 --dry-run absent.csv
dusk release laplace --epsilon 1 --sensitivity 1 --dry-run --json absent.txt 2>/dev/null
