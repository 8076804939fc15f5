# SPDX-License-Identifier: Apache-2.0
# A full disk is noticed whatever was being written.
[ -e /dev/full ] || exit 77
dusk -h >/dev/full || echo "exit $?"
dusk --generate zsh >/dev/full || echo "exit $?"
dusk release --list >/dev/full || echo "exit $?"
dusk release laplace --epsilon 1 --sensitivity 1 --value 1 >/dev/full || echo "exit $?"
dusk release laplace --epsilon 1 --sensitivity 1 --value 1 --json >/dev/full || echo "exit $?"
printf '1 2 3' | dusk release sparse-vector --epsilon 1 --sensitivity 1 --threshold 9 >/dev/full || echo "exit $?"
dusk account 'pure(1)' --delta 0 >/dev/full || echo "exit $?"
