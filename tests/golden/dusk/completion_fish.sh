# SPDX-License-Identifier: Apache-2.0
dusk --generate fish >completion
grep -- '-l epsilon ' completion
grep -- '-a laplace ' completion
if command -v fish >/dev/null 2>&1; then fish -n completion; fi
