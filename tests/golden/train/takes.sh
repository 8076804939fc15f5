# SPDX-License-Identifier: Apache-2.0
# For every learner and every option: what its help lists is taken, and what it does not list is refused; and a dry run refuses what
# a run refuses.
dusk init clinic.dusk --source clinic.csv --unit clinic.id --epsilon 1000 --delta 0.1 >/dev/null 2>&1
dusk init gauss.dusk --source clinic.csv --unit clinic.id --epsilon 1000 --delta 0.1 --filter zcdp >/dev/null 2>&1
for column in 'id unique' 'age type=integer bounds=0:100' 'visits type=integer bounds=0:12' 'cost type=real bounds=0:1000' \
    'smoker domain=no,yes'; do
    # shellcheck disable=SC2086
    for source in clinic gauss; do dusk schema $source.dusk set clinic.$column; done
done
cp clinic.csv others.csv # public rows are not the private ones
cat >try.py <<'END'
import functools, os, re, shlex, subprocess

@functools.cache
def dusk(*words):
    return subprocess.run(["dusk", "train", *words], capture_output=True, text=True)

def listed(page):
    """The options that a help lists, a line each."""
    part = re.split(r"\n(?:after|settings) ", page.split("\nneeds\n")[1])[0]
    found = re.findall(r"^ +(?:-., )?--([a-z-]+)", part, re.M)
    return set(found) | set(re.findall(r"--([a-z-]+)", part.split("\ntakes")[0]))

full = dusk("--help").stdout
learners = [line.split()[0] for line in full.split("\nLearners")[1].split("\nWhat\n")[0].splitlines()[1:] if line[:2] == "  "]
options = sorted(set(re.findall(r"^ +(?:-., )?--([a-z-]+)", "\nWhat\n" + full.split("\nWhat\n")[1], re.M)) - {"help"})

# How each option is given; what is not here is given alone.
how = {
    "analyst": ["ana"], "columns": None, "check": ["credit_new.csv"], "checkpoint": ["a.kept"], "engine": ["sqlite"], "epochs": ["2"],
    "every": ["1", "--checkpoint", "a.kept"], "labels": ["none-idx1-ubyte"], "lot": ["200"], "memory": ["1G"], "net": ["output"],
    "noise": ["2"], "plot": ["a.svg", "--check", "credit_new.csv"], "check-every": ["1", "--check", "credit_new.csv"],
    "public": ["credit_new.csv"], "query": None, "rate": ["0.5"], "rows": ["2400"], "rows-per-unit": ["1"], "steps": ["2"],
    "table": ["clinic"], "try": [""], "by-stability": ["--try", "form=output", "--rows", "2400"],
}
sources = {"analyst", "charge-each", "engine", "query", "rows-per-unit"}

def without(words, option):
    """The words but an option and its value."""
    at = words.index(option) if option in words else len(words)
    return words[:at] + words[at + 2:]

def source(learner, option, labelled, number):
    label = ["--label", "cost" if number else "smoker"] if labelled else []
    columns = "age, " + label[1] if labelled else "age, visits, cost, smoker"
    words = [learner, "gauss.dusk" if option == "charge-each" else "clinic.dusk", *label, "--epsilon", "1", "--delta", "1e-6", "--out", "a.model"]
    words += ["--query", f"SELECT {columns} FROM clinic"]
    if option == "charge-each": words += ["--charge-each", *until(learner, number, "others.csv")]
    elif option != "query": words += ["--" + option, *how[option]]
    return words + (["--public", "others.csv"] if learner in ("pate", "private_knn") else [])

def until(learner, number, rows):
    dense = learner in ("covariance", "density")
    once = {"functional": ["--set", "scaling=bounds"], "density": ["--set", "structure=independent"]}
    return ["--until", "-9" if dense else "300" if number else "0.5"] + (["--check", rows] if dense else []) + once.get(learner, [])

def words_for(learner, example, option):
    labelled, number = "--label" in example, "income" in example
    words = list(example)
    if option in sources: return source(learner, option, labelled, number)
    if "--" + option in words or option == "dry-run": return words
    if option in ("noise", "no-privacy"): words = without(words, "--epsilon") + ["--rows", "2400"]
    if option == "label": return words + ["--label", "repaid"]
    if option == "until": return words + until(learner, number, "credit_new.csv")
    if option == "check" and learner in versions: words += without(until(learner, number, ""), "--check")
    if option == "try" and "rate" in settings(learner): return words + ["--try", "rate=1"] # what counts rows cannot be searched
    if option == "columns": return words + ["--columns", "age,debt"]
    if option == "set": return words + ["--set", "=".join(next(iter(settings(learner).items())))]
    if option == "resume": return words + ["--resume", "--checkpoint", "a.kept"]
    if option == "public" and learner in steps: words += ["--set", "subspace=2"]
    if option == "try" and "amp_" in learner: words = without(words, "--delta") # of those a delta is no noise alone
    return words + ["--" + option, *how.get(option, [])]

def settings(learner):
    """What may be set, as it is."""
    text = dusk(learner, "-h").stdout.split("\nsettings,")[1].split("\n\nexample")[0].split("\n", 1)[1]
    return dict(word.split("=", 1) for word in shlex.split(text))

# Given to a learner that takes them these are refused for what they are, and with a file: by a reader, or for want of a source.
elsewhere = {"labels": "IDX", "table": "source", "resume": "to go on from"}
steps = {learner for learner in learners if "checkpoint" in listed(dusk(learner, "--help").stdout)}
versions = {learner for learner in learners if "until" in listed(dusk(learner, "--help").stdout)}
tried = ran = 0
for learner in learners:
    page = dusk(learner, "--help").stdout
    takes = listed(page)
    example = shlex.split(re.search(r"^  \$ dusk train (.*)", page, re.M)[1])
    for option in options:
        words = words_for(learner, example, option)
        dry = dusk(*words, "--dry-run")
        said = dry.stderr.split("\n")[0]
        taken = dry.returncode == 0 or option in elsewhere and elsewhere[option] in said and "does not take" not in said
        tried += 1
        if taken != (option in takes):
            print(f"{learner} --{option} is", "listed, and refused:" if option in takes else "taken, and not listed", said)
        if dry.returncode or option not in ("check", "checkpoint", "memory", "noise", "public", "query", "charge-each"): continue
        run = dusk(*words, "--json")
        ran += 1
        if run.returncode: print(f"{learner} --{option}: a dry run is fine, a run is not:", run.stderr.split("hint")[0])
        for name in ("a.kept", "a.svg", "a.model"):
            if os.path.exists(name): os.remove(name)
print("options of every learner were tried" if tried == len(learners) * len(options) and tried > 1500 and ran > 60 else (tried, ran))
END
python3 try.py
