# SPDX-License-Identifier: Apache-2.0
# A model of two categories: probabilities, scores, drawings, and a released accuracy whose interval holds.
dusk train boosting credit.csv --schema credit.fields --label repaid --epsilon 2 --delta 1e-6 --out repaid.model >/dev/null 2>&1
dusk predict repaid.model credit_new.csv | sort | uniq -c | awk '{ print $2 }'
dusk predict repaid.model credit_new.csv --proba >said
head -1 said
awk -F , 'NR > 1 && ($1 + $2 < 0.999 || $1 + $2 > 1.001) { print "no probabilities" }' said
dusk score repaid.model credit_new.csv --plot roc.svg --calibration calibration.svg 2>&1 | tr -s ' ' | sed 's/ [0-9.e-]* / # /'
python3 - <<'END'
import json, subprocess, xml.dom.minidom
for name in ("roc.svg", "calibration.svg"):
    print(name, xml.dom.minidom.parse(name).documentElement.tagName)

def score(*more):
    said = subprocess.run(["dusk", "score", "repaid.model", "credit.csv", "--json", *more], capture_output=True, check=True)
    return json.loads(said.stdout)

exact = score()
print("better than chance:", exact["auc"] > 0.6, "right more often than the majority, or nearly:", exact["accuracy"] > exact["majority"] - 0.05)
# 95 % of intervals hold; of 40 fewer than 28 with probability below 1e-6
held = 0
for i in range(40):
    more = ["--rows", "2400"] if i % 2 else ["--delta", "1e-6"]
    released = score("--private", "--epsilon", "0.5", *more)
    held += released["low"] <= exact["accuracy"] <= released["high"]
print("intervals hold:", held >= 28, released["statement"]["epsilon"] <= 0.5)
END
