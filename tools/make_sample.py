#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_sample.py FILE            write the sample of fictitious people
make_sample.py --check FILE    fail when FILE is not what would be written

A small clinic's year, one row a person. Nobody in it exists: every value is
drawn from the laws below with a fixed seed. Only Random.random() is used,
whose stream Python keeps the same in all versions."""
import math
import random
import sys

PEOPLE = 612
REGIONS = [("north", 0.31), ("south", 0.27), ("east", 0.22), ("west", 0.14), ("harbour", 0.05), ("island", 0.01)]
HEADER = "id,age,sex,region,smoker,visits,cost"


def pick(u, weighted):
    for name, weight in weighted:
        u -= weight
        if u < 0:
            return name
    return weighted[-1][0]


def poisson(draw, mean):
    limit, product, k = math.exp(-mean), draw(), 0
    while product > limit:
        product *= draw()
        k += 1
    return k


def normal(draw):
    return sum(draw() for _ in range(12)) - 6.0


def person(number, draw):
    age = max(0, min(97, round(44 + 21 * normal(draw))))
    sex = pick(draw(), [("f", 0.515), ("m", 0.475), ("x", 0.01)])
    region = pick(draw(), REGIONS)
    smoker = "yes" if age >= 16 and draw() < 0.19 else "no"
    visits = poisson(draw, 0.6 + age / 28 + (0.9 if smoker == "yes" else 0.0))
    cost = sum(35 + 40 * draw() + (400 * draw() if draw() < 0.06 else 0) for _ in range(visits))
    return f"p{number:04d},{age},{sex},{region},{smoker},{visits},{cost:.2f}"


def sample():
    draw = random.Random(612).random
    return "\n".join([HEADER] + [person(number, draw) for number in range(1, PEOPLE + 1)]) + "\n"


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--check":
        with open(arguments[1], newline="") as stream:
            same = stream.read() == sample()
        print("sample: ok" if same else "sample: not what tools/make_sample.py writes")
        return 0 if same else 1
    if len(arguments) != 1:
        sys.exit(__doc__)
    with open(arguments[0], "w", newline="") as stream:
        stream.write(sample())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
