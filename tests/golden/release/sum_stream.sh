# SPDX-License-Identifier: Apache-2.0
printf '0.5\n3\n-1\n' | dusk release sum-stream --epsilon 1 --bounds 0:10 --length 1000
printf '0.5\n3\n-1\n' | dusk release sum-stream --epsilon 1 --delta 1e-6 --bounds -10:10 --sensitivity 2 --length 1000 --neighbours replace-one
printf '0.5\n3\n-1\n' | dusk release sum-stream --epsilon 1 --delta 1e-6 --bounds 0:10 --length 1000 --method square-root --window 2
printf '0.5\n3\n-1\n' | dusk release sum-stream --epsilon 1 --delta 1e-6 --bounds 0:10 --length 1000 --method banded --bands 24 --separation 24 --rows-per-unit 9 --unit person --json
