# SPDX-License-Identifier: Apache-2.0
# Models that are none, damaged or of a newer library; rows that do not fit.
t() {
    echo "\$ dusk $*"
    dusk "$@" 2>&1
    echo "exit $?"
}
dusk train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out a.model >/dev/null 2>&1
t predict
t predict a.model
t predict nothing.model credit_new.csv
t predict credit.csv credit_new.csv
sed 's/"epsilon":/"epsilon": /' a.model >changed.model
t predict changed.model credit_new.csv
head -c 2000 a.model >short.model
t predict short.model credit_new.csv
python3 - <<'END'
import hashlib
body = open("a.model", "rb").read().split(b"\n", 1)[1]
open("newer.model", "wb").write(b"dusk-model 2 %s\n" % hashlib.blake2b(b"dusk-model 2\n" + body, digest_size=32).hexdigest().encode() + body)
END
t predict newer.model credit_new.csv
t predict a.model nothing.csv
t predict a.model visits.csv
t predict a.model credit_new.csv --proba
t predict a.model credit_new.csv --out no/said.csv
t predict a.model credit_new.csv --out a.model
t predict a.model credit_new.csv --out credit_new.csv
[ ! -e /dev/full ] || dusk predict a.model credit_new.csv >/dev/full
echo "exit $?"
