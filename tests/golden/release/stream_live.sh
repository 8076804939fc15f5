# SPDX-License-Identifier: Apache-2.0
# Each step is answered before the next one comes.
python3 - <<'END'
import subprocess

dusk = subprocess.Popen("dusk release count-stream -e 1e9 --length 3".split(), text=True,
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
for number in ("3", "", "39"):
    dusk.stdin.write(f"{number}\n")
    dusk.stdin.flush()
    print(dusk.stdout.readline().strip())
dusk.stdin.close()
print("exit", dusk.wait())
END
