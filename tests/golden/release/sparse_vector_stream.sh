# SPDX-License-Identifier: Apache-2.0
# Each query is answered before the next one is asked, also in JSON.
python3 - <<'END'
import subprocess

dusk = subprocess.Popen("dusk release sparse-vector -e 1 -s 1 -t 40000".split(), text=True,
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
for query in (3, 5, 90000):
    dusk.stdin.write(f"{query}\n")
    dusk.stdin.flush()
    print(query, dusk.stdout.readline().strip())
dusk.stdin.close()
print("exit", dusk.wait())

dusk = subprocess.Popen("dusk release sparse-vector -e 1 -s 1 -t 40000 --json".split(), text=True,
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
dusk.stdin.write("3\n")
dusk.stdin.flush()
start = '{"mechanism":"sparse-vector","answers":[{"above":false}'
print(dusk.stdout.read(len(start)) == start)
dusk.stdin.close()
print("exit", dusk.wait())
END
