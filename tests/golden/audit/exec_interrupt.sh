# SPDX-License-Identifier: Apache-2.0
# Whoever ends the audit ends the program, and nobody is left behind when it is over.
[ -d /proc/self ] || exit 77
python3 - <<'END'
import os, signal, subprocess, time

def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False

def wait(condition):
    until = time.monotonic() + 60
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    return condition()

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
    if os.path.exists("pid"):
        os.remove("pid")
    run = subprocess.Popen(["dusk", "audit", "exec", "--epsilon", "1", "--inputs", "5,6", "--",
                            "sh", "-c", "sleep 1000 & echo $! >part; mv part pid; sleep 1000", "sh"])
    assert wait(lambda: os.path.exists("pid"))
    pid = int(open("pid").read())
    assert alive(pid)
    if number == signal.SIGKILL:
        time.sleep(1)  # between the start of a program and the word about it is a moment in which it would be left (guardian.c)
    run.send_signal(number)
    print(number.name, "ends with", signal.Signals(-run.wait()).name, "and its program:", wait(lambda: not alive(pid)))

run = subprocess.run(["dusk", "audit", "exec", "--epsilon", "1", "--inputs", "5,6", "--draws", "2000", "--alarm", "1e-9",
                      "--", "sh", "-c", "echo $$ >>pids; yes $1", "sh"], capture_output=True)
pids = [int(line) for line in open("pids")]
print("exit", run.returncode, "programs", len(pids) >= 4, "left", sum(map(alive, pids)))

# The end of the whole group, as a shell or a service manager has it; several programs at a time.
for word in ("--one-draw", "--verbose"):
    if os.path.exists("pids"):
        os.remove("pids")
    run = subprocess.Popen(["dusk", "audit", "exec", "--epsilon", "1", "--inputs", "5,6", word, "--",
                            "sh", "-c", "echo $$ >>pids; sleep 1000", "sh"], start_new_session=True)
    assert wait(lambda: os.path.exists("pids") and len(open("pids").read().split()) >= (2 if word == "--one-draw" else 1))
    time.sleep(0.2)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    pids = [int(line) for line in open("pids")]
    print(word, "killed with its group, left", not wait(lambda: not any(map(alive, pids))))
END
