# SPDX-License-Identifier: Apache-2.0
# What is missing, contradictory or unknown, and what to type instead.
try() { dusk attack "$@" </dev/null || echo "exit $?"; }
data="survey.csv --column sex --equals Male"
try
try homer
try averagin
try averaging
try averaging $data
try averaging --answers a.txt --release exact
try averaging --answers a.txt --column sex
try averaging $data --release exact --event 'laplace(1)'
try averaging $data --release exact --epsilon 1
try averaging $data --release dusk
try averaging $data --release dusk --epsilon 0
try averaging $data --release dusk --epsilon -1
try averaging $data --release dusk --epsilon 1 --delta 1
try averaging $data --release none
try averaging $data --release exact --confidence 1
try averaging $data --release exact --queries 0
try averaging $data --release exact --decoder squares
try averaging --release exact --column sex
try averaging survey.csv --release exact
try averaging survey.csv keys.txt --column sex --release exact
try averaging answers.txt --answers answers.txt
try reconstruction $data --release kept --epsilon 1
try reconstruction $data --release exact --wrong 2
try reconstruction $data --release exact --prior 1
try reconstruction $data --release exact --prior 0.5 --decoder absolute
try reconstruction --answers answers.txt --expect falls
try differencing $data --release exact --person 61
try differencing --answers answers.txt --step 0
try membership --means means.txt
try membership survey.csv --means answers.txt
try membership survey.csv --means answers.txt --reference survey.csv --expect falls
try membership survey.csv --release exact --false-positives 0
try averaging $data --release exact --expect holds
try averaging $data --release exact --seed 7
