# SPDX-License-Identifier: Apache-2.0
# Programs that cannot be audited: one sentence, and what to do about it.
. ./audit_try
both='--epsilon 1 --inputs 5,6'
try $both -- ./nothing
printf 'echo 5\n' >script
try $both -- ./script
try $both -- .
try $both -- true
try $both -- echo
try $both -- sh -c 'seq 7' sh
try $both -- sh -c 'echo what went wrong >&2; exit 3' sh
try $both -- sh -c 'seq $DUSK_DRAWS; exit 3' sh
try $both -- sh -c 'kill -9 $$' sh
try $both -- sh -c 'missing-command' sh 2>&1 | sed 's/^.*missing/missing/'
try $both -- sh -c 'printf %2000000d 5' sh
try $both -- sh -c 'head -c 2000000 /dev/zero' sh
try $both -- sh -c 'yes "$(seq 5000 | tr "\n" " ")"' sh
# It works on the first input only.
try $both -- sh -c 'if [ $1 = 5 ]; then yes; else exit 4; fi' sh
# The same every time it is started, and more than a constant.
try $both -- awk 'BEGIN { srand(7); for (i = 0; i < ENVIRON["DUSK_DRAWS"]; i++) print rand() }'
try $both --draws 400 -- awk 'BEGIN { srand(7); for (i = 0; i < ENVIRON["DUSK_DRAWS"]; i++) print rand() < 0.5 }'
# Numbers that hide in words, and no text at all.
try $both -- sh -c 'od -An -v -w4 -tx1 /dev/urandom | tr " " x' sh
try $both -- cat /dev/urandom
# More than is asked for, without a line end, with nothing to read, not ending: no harm.
try $both --draws 2000 -- sh -c 'yes $1' sh
try $both --draws 2000 -- sh -c 'yes $1 | head -n $((DUSK_DRAWS - 1)); printf $1' sh
try $both --draws 2000 -- sh -c 'cat; yes $1' sh
try $both --draws 2000 -- sh -c 'yes $1 | head -n $DUSK_DRAWS; exec sleep 60' sh
try $both --draws 2000 -- sh -c 'yes $1 | head -n $DUSK_DRAWS; exec >&-; sleep 60' sh
# One draw whenever it is started.
try $both --draws 100 --one-draw -- echo
try $both --draws 100 --one-draw -- true
try $both --draws 100 --one-draw -- false
