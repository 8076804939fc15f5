# SPDX-License-Identifier: Apache-2.0
# What is wrong is said with its line, since scores are no private rows.
try() { dusk audit scores "$@" || echo "exit $?"; }
table() { printf "$1" >table.csv; try table.csv; }
try
try absent.csv
try canaries.csv canaries.csv
try canaries.csv --guesses 5
try canaries.csv --guesses 300,300
try canaries.csv --guesses 5,5 --runs
try canaries.csv --guesses 5,5 --split
try canaries.csv --threshold 1
try canaries.csv --epsilon 1 --event 'gaussian(1)'
try canaries.csv --event 'gauss(1)'
try canaries.csv --epsilon -1
try canaries.csv --delta 1
try canaries.csv --confidence 2
try canaries.csv --columns score
try canaries.csv --columns loss,member
try shadows.csv --lira sideways
try shadows.csv --lira online --columns score,member
try canaries.csv --lira online
try shadows.csv --lira online --runs
table ''
table 'score,member\n'
table 'score\n1\n'
table 'score,member,score\n1,1,2\n'
table "$(printf '%256s' '' | tr ' ' ,)score,member\n"
table 'score,member\n1,1\n2\n'
table 'score,member\n1,1\n\n2,maybe\n'
table 'score,member\n1,1\nnan,0\n'
table 'score,member\n1,1\n1x,0\n'
printf 'score,member,run\n1,1,a\n2,0,b\n3,0,a\n' >runs.csv
try runs.csv --runs
printf 'score,member\n' >skewed.csv
for i in 1 2 3 4 5 6; do printf '1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n9,1\n' >>skewed.csv; done
try skewed.csv
printf '0,0\n' >>skewed.csv
try skewed.csv
try skewed.csv --runs
printf 'example,model,member,score\na,s1,1,2\n' >lone.csv
try lone.csv --lira online
