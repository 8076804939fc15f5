# SPDX-License-Identifier: Apache-2.0
"""audit_page.py PAGE PART PARTS: every command of PAGE whose number is PART modulo PARTS does what the
page says it does, but for numbers, for the set of outputs that decided, and for whether a pass is
sure enough. An audit that came out inconclusive, which chance does to few draws, is tried again, twice
at most. Programs that are not installed are passed over, and no more draws are made than must be."""
import os, re, shutil, subprocess, sys

python = next((p for p in ("python3", "/usr/bin/python3")
               if subprocess.run([p, "-c", "import numpy"], capture_output=True).returncode == 0), None)
real = subprocess.run([python or "python3", "-c", "import sys; print(sys.executable)"], capture_output=True, text=True)
os.symlink(real.stdout.strip(), "python3")
os.environ["PATH"] = os.getcwd() + ":" + os.environ["PATH"]

def masked(text):
    text = re.sub(r"\([^%()]*\)$|^set: .*", "EVENT", text, flags=re.M)
    text = re.sub(r" {2,}", " ", text)
    text = re.sub(r"^note: .*|^words: .*", "NOTE", text, flags=re.M)
    text = re.sub(r"inconclusive, could have caught [\d.]+", "pass", text)  # of so few draws, either
    text = re.sub(r"\d+(\.\d+)?(e[-+]?\d+)?", "#", text)
    return re.sub(r"inputs: '(.*)' against '(.*)'", lambda m: " ".join(sorted(m.groups())), text)

def runs(command, programs):
    words = command.split()
    needed = words[words.index("--") + 1:] if "--" in words else words[:1]
    if shutil.which(needed[0]) is None:
        return False
    return python is not None or not any("numpy" in programs.get(word, "") for word in words)

def says(command):
    return subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout

page, part, parts = open(sys.argv[1]).read(), int(sys.argv[2]), int(sys.argv[3])
programs, index, done = {}, 0, 0
for kind, text in re.findall(r"^```(\w+)\n(.*?)^```", page, re.M | re.S):
    name = re.match(r"(?:#|//) (\S+)\n", text)
    if kind != "console":
        programs[name[1]] = text
        open(name[1], "w").write(text)
        continue
    for command, expected in re.findall(r"^\$ (.*)\n((?:[^$\n].*\n)*)", text, re.M):
        index += command.startswith("dusk")
        if (command.startswith("dusk") and index % parts != part) or not runs(command, programs):
            continue
        short = command
        if "--draws" not in command:
            short = command.replace(" -- ", " --draws 20000 -- ", 1)
        got = says(short)
        for again in range(2):
            if masked(got) != masked(expected) and "inconclusive" in got:
                got = says(short)
        done += 1
        if masked(got) != masked(expected):
            print(f"$ {command}\nthe page says\n{expected}but it is\n{got}")
print("some commands were run" if done else "no command was run")
