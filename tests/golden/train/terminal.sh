# SPDX-License-Identifier: Apache-2.0
# The line of a training on a terminal: how fast it is, and what it costs so far, are there where 80 columns are.
python3 - <<'END'
import fcntl, os, pty, re, struct, subprocess, termios

def lines(columns, steps):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    run = subprocess.Popen(["dusk", "train", "net", "credit.csv", "--schema", "credit.fields", "--label", "repaid",
                            "--rows", "2400", "--epsilon", "1", "--delta", "1e-6", "--net", "dense 64; tanh; output",
                            "--rate", "1", "--steps", str(steps), "--check", "credit_new.csv", "--out", "a.model"],
                           stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 65536):
            seen += part
    except OSError:  # nobody writes any more
        pass
    run.wait()
    return [line.decode() for line in re.findall(rb"\r([^\r\033]+)\033\[K", seen)]

def look(columns, *pieces):
    steps, found = 1000, []
    while not found and steps < 10**6:  # a line comes every half of a second
        found = lines(columns, steps)
        steps *= 4
    right = [re.fullmatch("".join(pieces), line) is not None and len(line) < columns for line in found]
    print(columns, "columns:", "as it should be" if right and all(right) else found)

steps, left, number = r"\d+/\d+", r", \d+ s left", r"\d[\d.e+]*"
loss = rf"(, (public )?loss {number}(, right [\d.]+ %)?)?"
look(80, steps, rf", {number}/s", left, rf", epsilon {number} if planned to stop here", loss)
look(60, steps, left, rf"(, epsilon {number} if planned to stop here|, costs epsilon 1)", loss, rf"(, {number}/s)?")
END
