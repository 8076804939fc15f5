#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_mutants.py ROOT: fail when a planted bug in src/ is not listed in
tests/mutants.txt, when a listed one is not in the code, or when the test that
must catch it does not exist. And fail when a bug that is planted in mechanisms or samplers
is neither accused by a subject of the self-audit nor excused by a reason, in
tests/audit_mutants.txt."""
import pathlib
import re
import sys


def planted_in(folder):
    return {name for path in sorted(folder.rglob("*.[ch]")) if path.name != "mutant.h"
            for name in re.findall(r"DUSK_MUTATE\(\s*(\w+)", path.read_text())}


def audited(root):
    """NAME SUBJECT EPSILON, or NAME - why no audit can see it."""
    bad, listed = [], set()
    rooms = planted_in(root / "src" / "mechanisms") | planted_in(root / "src" / "random")
    subjects = {name for path in (root / "src" / "audit").glob("self*.c")
                for name in re.findall(r'SELF_ROW\(\s*"([^"]+)"', path.read_text())}
    for prefix, program in (("inner.", "inner.c"), ("query.", "queries.c"), ("learn.", "learners.c"),
                            ("net.", "nets.c"), ("votes.", "votes.c")):
        text = (root / "tests" / "audit" / program).read_text()
        subjects |= {prefix + name for name in re.findall(r'^    \{ "([^"]+)", "', text, re.M)}
    for line in (root / "tests" / "audit_mutants.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, subject, *rest = line.split()
        if name in listed:
            bad.append(f"{name} is audited twice")
        listed.add(name)
        if subject == "-" and len(rest) < 3:
            bad.append(f"{name}: say why no audit can see it")
        if subject != "-" and subject not in subjects:
            bad.append(f"{name}: there is no subject {subject}")
        if subject != "-" and not (len(rest) == 1 and re.fullmatch(r"[0-9.]+", rest[0])):
            bad.append(f"{name}: name the epsilon of the audit")
    bad += [f"{name} is planted but not in audit_mutants.txt" for name in sorted(rooms - listed)]
    rooms |= planted_in(root / "src" / "query") | planted_in(root / "src" / "learn") | planted_in(root / "src" / "deep") | planted_in(root / "src" / "local")
    bad += [f"{name} is in audit_mutants.txt but not planted" for name in sorted(listed - rooms)]
    return bad


def main(root):
    planted, listed, bad = planted_in(root / "src"), {}, audited(root)
    for line in (root / "tests" / "mutants.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, test, *what = line.split()
            if name in listed:
                bad.append(f"{name} is listed twice")
            if not what:
                bad.append(f"{name}: say what it breaks")
            listed[name] = test
            program, _, only = test.partition(":")
            source = root / "tests" / (program.replace(".", "/") + ".c")
            if not source.is_file():
                bad.append(f"{name}: there is no test {program}")
            elif only and not re.search(rf"\b{only}\(void \*\*", source.read_text()):
                bad.append(f"{name}: there is no {only} in the test {program}")
    bad += [f"{name} is planted but no test is named that must catch it" for name in sorted(planted - set(listed))]
    bad += [f"{name} is listed but not planted" for name in sorted(set(listed) - planted)]
    print("\n".join(bad) or f"mutants: ok, {len(planted)} planted bugs")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
