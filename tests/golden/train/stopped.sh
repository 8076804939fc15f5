# SPDX-License-Identifier: Apache-2.0
# Who stops a training is told what stays charged, and how it goes on.
awk 'NR == 1 { print "id," $0; next } { print NR "," $0 }' credit.csv >credit_id.csv
dusk init own.dusk --source credit=credit_id.csv --unit credit.id --epsilon 9 --delta 1e-5 >/dev/null 2>&1
dusk schema own.dusk set credit.id unique
dusk schema own.dusk set credit.debt type=real bounds=0:100
dusk schema own.dusk set credit.repaid domain=no,yes
cat >stop.py <<'END'
import os, signal, subprocess, time

own = ["own.dusk"]
text = ["credit.csv", "--schema", "credit.fields"]
def stop(number, rows, *more):
    """Begin a long training, and end it once it has written a checkpoint or two."""
    words = ["dusk", "train", "net", *rows, "--label", "repaid", "--epsilon", "5", "--delta", "1e-6", "--rate", "0.1",
             "--steps", "20000", "--net", "dense 64; relu; output", "--out", "a.model", *more]
    run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until, seen = time.monotonic() + 60, set()
    while time.monotonic() < until and len(seen) < 4: # as it was, begun, and two more
        if os.path.exists("ck"): seen.add(os.stat("ck").st_mtime_ns)
        time.sleep(0.001)
    run.send_signal(number)
    said = run.communicate()[1]
    print(signal.Signals(-run.returncode).name)
    print(said, end="", flush=True)
    print("a model:", os.path.exists("a.model"), flush=True)

stop(signal.SIGINT, own, "--checkpoint", "ck", "--every", "1")
stop(signal.SIGTERM, own, "--checkpoint", "ck", "--every", "1", "--resume")
os.remove("ck")
stop(signal.SIGINT, text, "--checkpoint", "ck", "--every", "1")
END
python3 stop.py
dusk budget own.dusk 2>&1 | grep '^total' | tr -s ' '
