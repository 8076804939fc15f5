# SPDX-License-Identifier: Apache-2.0
# Every learner trains by the example of its help, and its model predicts and is scored. Learners are found in the help.
dusk train --help | sed -n '/^Learners/,/^What$/p' | grep -E '^  [a-z]' | awk '{ print $1 }' >learners
while read -r learner; do
    dusk train "$learner" -h | sed -n 's/^  \$ //p' >example
    sh ./example >card 2>receipt || { echo "$learner does not train"; cat receipt; continue; }
    grep -q "^promise " card || echo "$learner has no promise"
    grep -q "^cost: " receipt || echo "$learner has no receipt"
    dusk predict a.model credit_new.csv >said || echo "$learner does not predict"
    [ "$(wc -l <said)" = 601 ] || echo "$learner predicts $(wc -l <said) lines"
    dusk score a.model credit_new.csv --json >>scores 2>/dev/null || echo "$learner is not scored"
done <learners
grep -v '"rows":600,' scores
[ "$(wc -l <learners)" -ge 4 ] && [ "$(wc -l <scores)" = "$(wc -l <learners)" ] && echo "every learner trains, predicts and is scored"
