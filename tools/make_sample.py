#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_sample.py FOLDER            write the sample of fictitious people
make_sample.py --check FOLDER    fail when it is not what would be written

A small clinic's year: clinic.csv has one row a person, visits.csv one row a visit.
Credits: credit.csv has one row a person who borrowed, credit_new.csv some more of the same kind.
Nobody in it exists: every value is drawn from the laws below with a fixed seed. Only
Random.random() is used, whose stream Python keeps the same in all versions."""
import datetime
import math
import os
import random
import sys

PEOPLE = 612
REGIONS = [("north", 0.31), ("south", 0.27), ("east", 0.22), ("west", 0.14), ("harbour", 0.05), ("island", 0.01)]
HEADER = "id,age,sex,region,smoker,visits,cost"
BORROWERS, NEW_BORROWERS = 2400, 600
CREDIT_HEADER = "age,income,debt,home,years,repaid"
VISITS_HEADER = "day,patient,ward,minutes,paid"


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


def ward(draw, age, sex):
    weights = [
        ("emergency", 4), ("surgery", 3), ("children", 9 if age < 18 else 0),
        ("maternity", 4 if 18 <= age < 45 and sex == "f" else 0), ("cardiology", 4 if age > 50 else 0.5),
        ("eyes", 2), ("tropical", 0.02),
    ]
    total = sum(weight for _, weight in weights)
    return pick(draw(), [(name, weight / total) for name, weight in weights])


def visit(line, draw):
    name, age, sex = line.split(",")[:3]
    day = datetime.date(2024, 1, 1) + datetime.timedelta(days=int(366 * draw()))
    place = ward(draw, int(age), sex)
    minutes = max(5, min(480, round(math.exp(3.6 + 0.7 * normal(draw)))))
    return f"{day.isoformat()},{name},{place},{minutes},{minutes * (1.2 + 2.3 * draw()):.2f}"


def visits():
    draw = random.Random(2024).random
    lines = [line for line in sample().splitlines()[1:] for _ in range(int(line.split(",")[5]))]
    return "\n".join([VISITS_HEADER] + sorted(visit(line, draw) for line in lines)) + "\n"


def borrower(draw):
    age = max(18, min(90, round(43 + 14 * normal(draw))))
    years = max(0, min(40, round((age - 22) * draw())))
    home = pick(draw(), [("rent", 0.45), ("own", 0.2 + age / 400), ("loan", 1.0)])
    income = max(8, min(200, 22 + 0.9 * years + 12 * (home != "rent") + 14 * normal(draw)))
    debt = max(0, min(100, 25 + 18 * normal(draw) + 15 * (home == "loan")))
    odds = 1.2 + 0.05 * (income - 45) - 0.05 * (debt - 30) + 0.03 * years + 0.8 * (home == "own")
    repaid = "yes" if draw() < 1 / (1 + math.exp(-odds)) else "no"
    return f"{age},{income:.1f},{debt:.1f},{home},{years},{repaid}"


def credits(seed, people):
    draw = random.Random(seed).random
    return "\n".join([CREDIT_HEADER] + [borrower(draw) for _ in range(people)]) + "\n"


def main(arguments):
    check = arguments[:1] == ["--check"]
    if len(arguments) != 1 + check:
        sys.exit(__doc__)
    for name, text in (("clinic.csv", sample()), ("visits.csv", visits()), ("credit.csv", credits(31, BORROWERS)),
                       ("credit_new.csv", credits(32, NEW_BORROWERS))):
        path = os.path.join(arguments[-1], name)
        if not check:
            with open(path, "w", newline="") as stream:
                stream.write(text)
            continue
        with open(path, newline="") as stream:
            if stream.read() != text:
                print(f"sample: {name} is not what tools/make_sample.py writes")
                return 1
    if check:
        print("sample: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
