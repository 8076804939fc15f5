# SPDX-License-Identifier: Apache-2.0
# The weights of linear models as a drawing; other models have none.
dusk train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out a.model >/dev/null 2>&1
dusk train boosting credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --out b.model >/dev/null 2>&1
dusk score a.model --card --plot a.svg 2>&1 >/dev/null
python3 -c 'import xml.dom.minidom; print(len(xml.dom.minidom.parse("a.svg").getElementsByTagName("circle")))'
dusk score b.model --card --plot b.svg 2>&1 >/dev/null || echo "exit $?"
dusk score b.model --card --json 2>/dev/null | python3 -c 'import json, sys; card = json.load(sys.stdin); print(card["learner"], card["label"], "file" in card)'
dusk score a.model credit.csv --card 2>&1 || echo "exit $?"
ls | grep svg
