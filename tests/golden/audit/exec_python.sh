# SPDX-License-Identifier: Apache-2.0
# Randomized response by a line of Python: words, details on request, one start a draw.
py=$(python3 -c 'import sys; print(sys.executable)')
cat >response.py <<'END'
import os, random, sys
for _ in range(int(os.environ["DUSK_DRAWS"])):
    print(sys.argv[1] if random.random() < 0.75 else "no" if sys.argv[1] == "yes" else "yes")
END
. ./audit_try
try --epsilon 1.1 --inputs yes,no --draws 40000 -- "$py" response.py
try --epsilon 0.5 --inputs yes,no --verbose --draws 20000 -- "$py" response.py 2>&1 | sed -E 's/0 is (yes|no), 1 is (yes|no)/BOTH/'
