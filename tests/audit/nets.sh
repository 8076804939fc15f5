#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nets.sh DUSK TEST_AUDIT_NETS
# `dusk audit exec` on the loop that trains networks, as it is shipped, by many runs of it: honest ones show at least 0.8 of what they state and
# are not accused, those with a planted bug are. Coins are new ones every time: an honest loop is accused once in a million runs at most, and shows
# 0.95 with a deviation of 0.01.
set -eu
dusk=$1 nets=$2
failed=0

# honest SUBJECT
honest() {
    line=$("$dusk" audit exec --epsilon 1 --delta 0.05 --inputs 0,1 --draws 60000 --strict -- "$nets" "$1" 1) || failed=1
    echo "$1: $line"
    echo "$line" | awk '{ for (i = 1; i < NF; i++) if ($i == "measured" && $(i + 2) >= 0.8) found = 1 } END { exit !found }' || {
        echo "$1: less than 0.8 of what is stated is shown" >&2
        failed=1
    }
}

# accused BUG SUBJECT DELTA
accused() {
    code=0
    DUSK_MUTANT=$1 "$dusk" audit exec --epsilon 1 --delta "$3" --inputs 0,1 --draws 4000 -- "$nets" "$2" 1 2>&1 || code=$?
    if [ "$code" != 6 ]; then
        echo "$1: dusk audit ended with $code and not with 6" >&2
        failed=1
    fi
}

honest all
honest sampled
accused DEEP_NO_NOISE all 0.05
accused DEEP_NOISE_OF_THE_MEAN all 0.05
accused DEEP_CLIPS_THE_MEAN among 0.05
accused DEEP_EMPTY_SKIPPED sampled 0.05
accused DEEP_DIVIDES_BY_WHAT_CAME all 0.05
accused SHUFFLED_PRICED_AS_POISSON shuffled 0.5
exit $failed
