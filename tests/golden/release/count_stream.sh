# SPDX-License-Identifier: Apache-2.0
# A line is a step, also a blank one and one that makes no sense.
printf '2\n0\n\nx\n5' | dusk release count-stream --epsilon 1 --length 1000 | awk 'END { print NR, "answers" }'
printf '2\n0\n5\n' | dusk release count-stream --epsilon 1 --length 2 --method tree
printf '2\n0\n5\n' | dusk release count-stream --epsilon 1 --delta 1e-6 --window 24 --method honaker --rows-per-unit 3 --unit person
printf '2\n0\n5\n' | dusk release count-stream --epsilon 1 --delta 1e-6 --length 24 --smooth
printf '2\n0\n\n5\n' | dusk release count-stream --epsilon 1
dusk release count-stream --epsilon 1 --json </dev/null 2>/dev/null | grep -c '"half_width":0,' # none was seen: what is expected
dusk release count-stream --epsilon 1 --delta 1e-6 --dry-run
dusk release count-stream --epsilon 1 --length 1000 --dry-run
dusk release count-stream --epsilon 1 --length 3 --column age --json people.csv
