# SPDX-License-Identifier: Apache-2.0
# A model whose weights are known says what they say; columns are found by name, bad rows are no error.
python3 - <<'END'
import hashlib, json, os
os.system("dusk train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out a.model >/dev/null 2>&1")
head, body = open("a.model").read().split("\n", 1)
model = json.loads(body)
weights = model["arrays"]["weights"]
weights["values"] = [0.0] * len(weights["values"])
weights["values"][0] = 0.5 # of age, 18 to 90 being -1 to 1
body = json.dumps(model)
hash = hashlib.blake2b(("dusk-model 1\n" + body).encode(), digest_size=32).hexdigest()
open("known.model", "w").write(f"dusk-model 1 {hash}\n{body}")
END
printf 'repaid,years,home,debt,age,other\nyes,3,own,1,54,x\nno,,,,90,\n?,?,?,?,18,?\nno,1,rent,1,1e9,\nno,1,rent,1,,\n' >new.csv
dusk predict known.model new.csv
dusk predict known.model new.csv --out said.csv && tail -1 said.csv
printf 'income,age,debt,home,years,repaid\n100,54,1,own,1,no\n140,90,1,own,1,no\n50,18,1,own,1,no\n,18,1,own,1,no\n' >labelled.csv
dusk score known.model labelled.csv 2>/dev/null
dusk score known.model labelled.csv --json 2>/dev/null
