# SPDX-License-Identifier: Apache-2.0
# An expression of a hundred thousand terms does not fit a command line.
python3 -c "print(' +\n'.join(['gaussian(1000)'] * 100000))" >long.txt
dusk account --file long.txt --delta 1e-6
dusk account - --delta 1e-6 <long.txt | head -n 1
dusk account -f - --delta 1e-6 --json <long.txt | cut -c 1-40
