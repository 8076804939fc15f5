# SPDX-License-Identifier: Apache-2.0
dusk --generate fish >completion
grep -- '-l epsilon ' completion
grep -- '-a laplace ' completion
grep -e '__fish_seen_subcommand_from pate' completion | grep -o -e '-l set.*method=gnmax' | cut -c -20
grep -e '-l charge-each ' completion | grep -o 'seen_subcommand_from functional [a-z_ ]*'
if command -v fish >/dev/null 2>&1; then fish -n completion; fi
