#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo.sh PROGRAM: private questions about the sample clinic. The bounds are
# chosen without a look at the data; each answer is charged on its own.
set -eu
program=${1:?usage: demo.sh PROGRAM}
sample=$(dirname "$0")/clinic.csv

# ask QUESTION AWK-PROGRAM OPTIONS...: pick values from the sample, release.
ask() {
    question=$1 values=$2
    shift 2
    echo
    echo "# $question"
    echo "\$ awk -F, '$values' clinic.csv | dusk release $*"
    awk -F, "$values" "$sample" | "$program" release "$@"
}

echo "The sample: $(($(wc -l <"$sample") - 1)) fictitious people of a small clinic, one row a person."
ask "What does a person of 60 or more cost in a year, on average?" \
    'NR > 1 && $2 >= 60 { print $7 }' \
    mean --bounds 0:1000 --epsilon 1 --unit person
ask "How old are they in the middle?" \
    'NR > 1 { print $2 }' \
    quantile --q 0.5 --bounds 0:120 --epsilon 0.5 --unit person
