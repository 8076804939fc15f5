# SPDX-License-Identifier: Apache-2.0
# Found out before the data is looked at.
try() { dusk release hierarchy "$@" || echo "exit $?"; }
try --epsilon 1
try --epsilon 1 --regions absent.txt survey.csv
printf '# nothing\n\n' >empty.txt
try --epsilon 1 --regions empty.txt survey.csv
try --epsilon 1 --regions regions.txt --columns town,size survey.csv
try --epsilon 1 --regions regions.txt --columns town,,sex survey.csv
try --epsilon 1 --regions regions.txt --columns town,town survey.csv
try --epsilon 1 --regions regions.txt --shares 1,2 survey.csv
try --epsilon 1 --regions regions.txt --shares 1,0,2 survey.csv
try --epsilon 1 --regions regions.txt --shares many survey.csv
try --epsilon 1 --regions regions.txt --delta 0 survey.csv
try --epsilon 1 --regions regions.txt --confidence 1 survey.csv
try --epsilon -1 --regions regions.txt survey.csv
