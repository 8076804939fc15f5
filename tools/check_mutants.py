#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_mutants.py ROOT: fail when a planted bug in src/ is not listed in
tests/mutants.txt, when a listed one is not in the code, or when the test that
must catch it does not exist."""
import pathlib
import re
import sys


def main(root):
    planted, listed, bad = set(), {}, []
    for path in sorted((root / "src").rglob("*.[ch]")):
        if path.name != "mutant.h":
            planted |= set(re.findall(r"DUSK_MUTATE\(\s*(\w+)", path.read_text()))
    for line in (root / "tests" / "mutants.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, test, *what = line.split()
            if name in listed:
                bad.append(f"{name} is listed twice")
            if not what:
                bad.append(f"{name}: say what it breaks")
            listed[name] = test
            if not (root / "tests" / (test.replace(".", "/") + ".c")).is_file():
                bad.append(f"{name}: there is no test {test}")
    bad += [f"{name} is planted but no test is named that must catch it" for name in sorted(planted - set(listed))]
    bad += [f"{name} is listed but not planted" for name in sorted(set(listed) - planted)]
    print("\n".join(bad) or f"mutants: ok, {len(planted)} planted bugs")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
