# SPDX-License-Identifier: Apache-2.0
# With delta many hits cost less; Gaussian noise stops after its length.
{ echo 3; yes 90000 | head -250; } | dusk release sparse-vector -e 1 -d 1e-6 -s 1 -t 40000 --hits 200 | sort | uniq -c
{ echo 3; yes 90000 | head -250; } | dusk release sparse-vector -e 1 -d 1e-6 -s 1 -t 40000 --hits 200 --monotonic | sort | uniq -c
printf '3\n5\n90000\n2\n90000\n' | dusk release sparse-vector -e 1 -d 1e-6 -s 1 -t 40000 --hits 5 --noise gaussian --length 4
dusk release sparse-vector -e 1 -d 1e-6 -s 1 -t 40000 --hits 20 --numeric-epsilon 1 --dry-run
dusk release sparse-vector -e 1 -s 1 -t 1 --noise gaussian --length 4 --dry-run
dusk release sparse-vector -e 1 -d 1e-6 -s 1 -t 1 --noise gaussian --dry-run
dusk release sparse-vector -e 1 -d 1e-6 -s 1 -t 1 --noise gumbel --dry-run
exit 0
