# SPDX-License-Identifier: Apache-2.0
dusk --generate zsh >completion
head -1 completion
grep -c -e '--epsilon=' completion
grep -c -e ':set:_dusk_train_settings' completion
sed -n '/^_dusk_train_settings/,/^}/p' completion | grep -A 4 '^    pate)' | cut -c -60
sed -n '/^_dusk_train()/,/^}/p' completion | grep -B 2 -e "'--charge-each" | sed -n 2p
if command -v zsh >/dev/null 2>&1; then zsh -n completion; fi
