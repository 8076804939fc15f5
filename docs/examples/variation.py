#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""variation.py REAL.csv SYNTHETIC.csv...: the average total variation distance between the marginals of
two tables, over all sets of 1, 2 and 3 columns. "independent" as a file name stands for the real
table with every column shuffled by itself: what a model of independent columns can reach."""
import csv
import itertools
import random
import sys
from collections import Counter


def columns_of(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], list(zip(*rows[1:]))


def distance(real, other, columns):
    p = Counter(zip(*[real[c] for c in columns]))
    q = Counter(zip(*[other[c] for c in columns]))
    n, m = len(real[0]), max(1, len(other[0]))
    return sum(abs(p[k] / n - q[k] / m) for k in set(p) | set(q)) / 2


def average(real, other, way):
    sets = list(itertools.combinations(range(len(real)), way))
    return sum(distance(real, other, s) for s in sets) / len(sets)


def main(real_path, paths):
    header, real = columns_of(real_path)
    for path in paths:
        if path == "independent":
            other = [random.sample(column, len(column)) for column in real]
        else:
            names, found = columns_of(path)
            other = [found[names.index(name)] for name in header]
        print(path, *("%d-way %.4f" % (way, average(real, other, way)) for way in (1, 2, 3)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
