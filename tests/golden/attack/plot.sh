# SPDX-License-Identifier: Apache-2.0
# The drawing is a whole SVG with its lines, and nothing is left beside it when it cannot be written.
dusk attack reconstruction survey.csv --column sex --equals Male --release exact --plot share.svg | tail -1
grep -c '<polyline\|<path' share.svg
grep -o 'Which of 60 people have sex = Male\|recovered\|bound\|majority' share.svg | sort | uniq -c
tail -1 share.svg
dusk attack reconstruction survey.csv --column sex --equals Male --release exact --plot nowhere/x.svg >/dev/null || echo "exit $?"
ls *.svg
