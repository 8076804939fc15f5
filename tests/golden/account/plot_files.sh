# SPDX-License-Identifier: Apache-2.0
# A drawing is there as a whole or not at all.
try() { dusk account 'gaussian(1)' "$@" >/dev/null || echo "exit $?"; }
try --plot nowhere/x.svg
mkdir folder
try --plot folder
[ ! -e /dev/full ] || try --plot /dev/full
echo before >kept.svg
dusk account 'gaussian(x)' --plot kept.svg 2>/dev/null || cat kept.svg
ln -s kept.svg link.svg
try --plot link.svg
readlink link.svg
head -c 4 kept.svg
echo
umask 027
try --plot new.svg
stat -c %a new.svg
dusk account 'gaussian(1)' --plot /dev/stdout 2>/dev/null | head -c 4
echo
ls -A | grep svg
