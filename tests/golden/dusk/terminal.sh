# SPDX-License-Identifier: Apache-2.0
# Colour on a terminal only, and not where NO_COLOR or a dumb terminal asks for none.
python3 - <<'END'
import os, pty, subprocess

def receipt(**more):
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")} | more
    ours, theirs = pty.openpty()
    subprocess.run(["dusk", "release", "count", "--epsilon", "1", "--value", "5"],
                   env=env, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
    os.close(theirs)
    return b"\033[" in os.read(ours, 100000)

print("terminal:", receipt(TERM="xterm"))
print("NO_COLOR:", receipt(TERM="xterm", NO_COLOR="1"))
print("dumb:", receipt(TERM="dumb"))
END
