# SPDX-License-Identifier: Apache-2.0
dusk --generate zsh >completion
head -1 completion
grep -c -e '--epsilon=' completion
if command -v zsh >/dev/null 2>&1; then zsh -n completion; fi
