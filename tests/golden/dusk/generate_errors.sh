# SPDX-License-Identifier: Apache-2.0
dusk --generate || echo "exit $?"
dusk --generate tcsh || echo "exit $?"
dusk --generate man || echo "exit $?"
dusk --generate man no/such/folder || echo "exit $?"
dusk --generate bash somewhere || echo "exit $?"
