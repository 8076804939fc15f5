# SPDX-License-Identifier: Apache-2.0
# Bytes that are no text, texts that are too long or too deep.
try() { dusk account "$@" --delta 1e-6 || echo "exit $?"; }
printf 'gaussian(1)\0 + gaussian(2)' | try -
printf 'gaussian(1) \033[31m\007 x' | try -
printf 'gaussian(1) \302\233 x' | try -
printf 'gaussian(\377\376)' | try -
head -c 1000000 /dev/zero | tr '\0' '(' | try -
head -c 1000000 /dev/zero | tr '\0' 'x' | try -
head -c 1000000 /dev/zero | tr '\0' '9' | try -
head -c 1000000 /dev/zero | tr '\0' '\n' | try -
try -f /dev/null
python3 -c "print('group(1, ' * 50 + 'gaussian(1)' + ')' * 50)" | try - | head -n 1
python3 -c "print('group(1, ' * 70 + 'gaussian(1)' + ')' * 70)" | try -
