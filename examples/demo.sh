#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo.sh PROGRAM: from two text files to private answers, a refusal, the record of what was
# spent, and the same answer again for nothing. All people are fictitious. What is declared is
# knowledge about the world and not about these people.
set -eu
program=${1:?usage: demo.sh PROGRAM}
case $program in /*) ;; *) program=$PWD/$program ;; esac
examples=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$examples/clinic.csv" "$examples/visits.csv" "$folder"
cd "$folder"

# show WHY WORDS...: why, the command as one would type it, and what it says.
show() {
    if [ -n "$1" ]; then printf '\n# %s\n' "$1"; fi
    shift
    printf '$ dusk'
    for word; do
        case $word in *[\ \*\(]*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    echo
    "$program" "$@" 2>&1 || echo "(exit code $?)"
}

echo "The sample: examples/clinic.csv has one row a person, examples/visits.csv one row a visit."
show "Whose privacy, and how much of it may ever be spent?" \
    init clinic.dusk --source visits.csv --source clinic.csv --unit clinic.id --epsilon 2
show "What is known beforehand is declared; nothing is read off the rows." \
    schema clinic.dusk link visits.patient clinic
show "" schema clinic.dusk set visits.minutes type=integer bounds=0:480
show "" schema clinic.dusk set visits.ward nullable=no \
    domain=emergency,surgery,children,maternity,cardiology,eyes,tropical
show "How many visits had each ward? A patient counts with up to 3 of them." \
    query clinic.dusk "SELECT ward, COUNT(*) AS visits FROM visits GROUP BY ward" --rows 3 --epsilon 1
show "How long is a visit?" \
    query clinic.dusk "SELECT AVG(minutes) AS minutes FROM visits" --epsilon 0.8
show "The same question again costs nothing." \
    query clinic.dusk "select avg(minutes) as minutes from visits" --epsilon 0.8
show "More than there is left is refused, and nothing is spent." \
    query clinic.dusk "SELECT COUNT(*) FROM visits WHERE minutes > 60" --epsilon 0.5
show "What was spent, by whom, for what?" budget clinic.dusk
show "" budget clinic.dusk --history | tail -5
