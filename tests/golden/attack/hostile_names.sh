# SPDX-License-Identifier: Apache-2.0
# What a file puts into a message cannot move the cursor, change colours, or be other than UTF-8.
printf '\033[31mred\007,\302\233m,na\303\257ve,\377\376\n1,2,3,4\n' >names.csv
dusk attack averaging names.csv --column sick --release exact || echo "exit $?"
head -c 2000 /dev/zero | tr '\0' '\377' >binary
dusk attack averaging binary --column sick --release exact || echo "exit $?"
dusk audit timing "$(printf 'no\033[2Jfile')" || echo "exit $?"
