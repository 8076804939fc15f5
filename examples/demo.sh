#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo.sh PROGRAM: private questions about the sample clinic, one row a person,
# all of them fictitious. The bounds are knowledge about the world and not
# about these people. Each answer is charged on its own.
set -eu
program=${1:?usage: demo.sh PROGRAM}
case $program in /*) ;; *) program=$PWD/$program ;; esac
cd "$(dirname "$0")"

# ask QUESTION OPTIONS...: show the command, the answer and its receipt.
ask() {
    question=$1
    shift
    echo
    echo "# $question"
    echo "\$ dusk release $*"
    "$program" release "$@" 2>&1
}

echo "The sample is examples/clinic.csv: id, age, sex, region, visits, cost, ..."
ask "How old are the patients on average?" \
    mean --column age --bounds 0:100 --epsilon 1 --unit person clinic.csv
ask "What did the patient in the middle pay in a year?" \
    median --column cost --bounds 0:5000 --epsilon 0.5 --unit person clinic.csv
ask "How many patients are there of each age?" \
    histogram --column age --edges 0,18,40,65,120 --epsilon 0.5 --unit person clinic.csv
echo
echo "The three answers together cost epsilon 2. \"dusk release -h\" tells more."
