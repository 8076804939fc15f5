# SPDX-License-Identifier: Apache-2.0
# Each mechanism's example with --json is one object that a strict reader takes.
for mechanism in $(dusk release --list | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
    dusk release "$mechanism" -h | sed -n 's/^ *\$ //p' >example
    sh -c "$(cat example) --json" 2>/dev/null
done >objects
printf 'caf\303\251 900\nbad\377\\"\001 9000\n' | dusk release permute-and-flip -e 9 -s 1 --json 2>/dev/null >>objects
python3 - <<'END'
import json

def refuse(constant):
    raise ValueError("not JSON: " + constant)

for line in open("objects", encoding="utf-8"):
    value = json.loads(line, parse_constant=refuse)
    assert value["ledger"] is None and value["statement"]["epsilon"] > 0 and value["statement"]["version"]
    print(value["mechanism"] + ":", ", ".join(key for key in value if key != "mechanism"))
print(ascii(value["value"]))
END
