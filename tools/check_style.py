#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_style.py ROOT: the rules of style that a machine can check.

  - code files carry the SPDX line among their first three lines;
  - a function has at most 90 lines, a code file at most 800;
  - numbers in the library do not depend on the locale of its host;
  - functions that invite mistakes are not called; the library rooms neither
    print nor exit (programs that run at build time, make_*.c, may);
  - no paths of somebody's machine, no reminders of work left."""
import os
import pathlib
import re
import sys

FUNCTION_LINES_MAX = 90
FILE_LINES_MAX = 800
SPDX = "SPDX-License-Identifier: Apache-2.0"
CODE = {".c", ".h", ".py", ".sh", ".cmake"}
TEXT = CODE | {".md", ".txt", ".in", ".json", ".yml", ".yaml", ".proof"}
ROOF = {"attack", "audit", "defend", "serve", "cli"}
BANNED = "strcpy strcat sprintf vsprintf gets atoi atol atoll atof strtok rand srand drand48 random srandom alloca"
LOCAL = "strtod strtof strtold vsnprintf localeconv setlocale"
SILENT = "printf vprintf fprintf vfprintf puts fputs putchar perror exit _exit quick_exit"
COMMENT_OR_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)
# Written in pieces so that this file does not trip over itself.
MACHINE_PATH = re.compile(r"(?<![\w.*/>})-])/(?:%s)(?:/|(?![\w-]))" % "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me"]))
REMINDER = re.compile(r"\b(?:%s)\b" % "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"]))


def call_pattern(names):
    return re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(names.split()))


BANNED_CALL = call_pattern(BANNED)
PRINT_CALL = call_pattern(SILENT)
LOCAL_CALL = call_pattern(LOCAL)
POINTED = re.compile(r"(?<![\w.>])snprintf\s*\([^;]*?%[-+ #0-9.*]*l?[aefgAEFG][^;]*;", re.S)


def files(root):
    for folder, names, found in os.walk(root):
        names[:] = sorted(n for n in names if n == ".ci" or not n.startswith((".", "build")) and n != "__pycache__")
        for name in sorted(found):
            path = pathlib.Path(folder) / name
            if name != "LICENSE" and not name.startswith(".") and not path.is_symlink():
                yield path


def kind_of(path):
    """'code', 'text' or None; scripts without a suffix are known by their first bytes."""
    if path.suffix in CODE or path.name in ("CMakeLists.txt", "Makefile"):
        return "code"
    if path.suffix in TEXT:
        return "text"
    if path.suffix == "":
        with path.open("rb") as stream:
            return "code" if stream.read(2) == b"#!" else None
    return None


def bare(text):
    """C code with comments and strings blanked, lines kept."""
    return COMMENT_OR_STRING.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def long_functions(lines):
    """The layout puts the outer braces of a function alone in column one."""
    start = None
    for number, line in enumerate(lines, 1):
        if line.rstrip() == "{":
            start = number
        elif line.startswith("}") and start is not None:
            if number - start - 1 > FUNCTION_LINES_MAX:
                yield start, number - start - 1
            start = None


def judge_c(parts, path, text):
    lines = bare(text).splitlines()
    for start, length in long_functions(lines):
        yield start, f"a function of {length} lines; at most {FUNCTION_LINES_MAX}"
    library = parts[0] == "src" and len(parts) > 2 and parts[1] not in ROOF and not path.name.startswith("make_")
    local = library and path.name != "format.c"
    for number, line in enumerate(lines, 1):
        match = BANNED_CALL.search(line)
        if match:
            yield number, f"{match[1]} is not used here"
        match = PRINT_CALL.search(line) if library else None
        if match:
            yield number, f"{match[1]}: the library never prints and never exits"
        match = LOCAL_CALL.search(line) if local else None
        if match:
            yield number, f"{match[1]} depends on the locale: base/format.h"
    for match in POINTED.finditer(text) if local else ():
        yield text.count("\n", 0, match.start()) + 1, "snprintf of a number depends on the locale: base/format.h"


def judge(root, path):
    kind = kind_of(path)
    if kind is None:
        return
    text = path.read_text(errors="replace")
    lines = text.splitlines()
    if kind == "code":
        if not any(SPDX in line for line in lines[:3]):
            yield 1, f"the line '{SPDX}' is missing"
        if len(lines) > FILE_LINES_MAX:
            yield len(lines), f"a file of {len(lines)} lines; at most {FILE_LINES_MAX}"
    if path.suffix in (".c", ".h"):
        yield from judge_c(path.relative_to(root).parts, path, text)
    for number, line in enumerate(lines, 1):
        match = MACHINE_PATH.search(line)
        if match:
            yield number, f"{match[0]} is a path of somebody's machine"
        match = REMINDER.search(line)
        if match:
            yield number, f"{match[0]}: do it, or open an issue"


def main(root):
    bad = [f"{path.relative_to(root)}:{number}: {why}" for path in files(root) for number, why in judge(root, path)]
    print("\n".join(bad) or "style: ok")
    return bool(bad)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
