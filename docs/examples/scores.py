#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scores.py SIGMA > scores.csv: train a small model on canaries, and score them.

Logistic regression on 1000 input canaries: random signs of norm 1 with random labels, each put in by a fair coin. 50 steps of
gradient descent on all that are in; every example's gradient has norm at most 1, the sum gets Gaussian noise of deviation
SIGMA at every step (0: none). So the weights are gaussian(SIGMA) * 50 under adding or removing a canary. The score
is the margin of the canary's label under the last weights. No package is needed."""
import math
import random
import sys

CANARIES, DIMENSION, STEPS, RATE = 1000, 1000, 50, 0.5


def main():
    sigma = float(sys.argv[1])
    coins = random.Random(1)
    unit = 1 / math.sqrt(DIMENSION)
    canaries = [[coins.choice((-unit, unit)) for _ in range(DIMENSION)] for _ in range(CANARIES)]
    labels = [coins.choice((-1, 1)) for _ in range(CANARIES)]
    members = [coins.random() < 0.5 for _ in range(CANARIES)]
    weights = [0.0] * DIMENSION
    for _ in range(STEPS):
        total = [coins.gauss(0, sigma) if sigma else 0.0 for _ in range(DIMENSION)]
        for x, y, member in zip(canaries, labels, members):
            if not member:
                continue
            slope = y / (1 + math.exp(y * sum(a * b for a, b in zip(weights, x))))
            for k, a in enumerate(x):
                total[k] += slope * a
        weights = [w + RATE * g for w, g in zip(weights, total)]
    print("score,member")
    for x, y, member in zip(canaries, labels, members):
        print("%.4f,%d" % (y * sum(a * b for a, b in zip(weights, x)), member))


if __name__ == "__main__":
    main()
