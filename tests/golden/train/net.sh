# SPDX-License-Identifier: Apache-2.0
# Networks: layers in a word or in a file, and the settings that are options; each is said in one way.
t() {
    echo "\$ dusk $*"
    dusk "$@" 2>&1
    echo "exit $?"
}
net() { t train net credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --dry-run "$@"; }
short() { net "$@" | grep -v -e '^dry run' -e '^promise'; }
short --rows 2400 --net 'dense 8; relu; output' --lot 100 --epochs 2
cat >small.net <<END
# eight numbers
dense 8    # of all columns
  ;relu;

output
END
short --rows 2400 --net small.net --rate 0.125 --steps 5
short --net output --rate 0.125 --steps 5
net --net nothing.net
net --net credit
net --net small.net --set net=output
net --net output --lot 100
net --net output --lot 100 --set sampler=allocated
net --net output --rows 2400 --set allocation=adaptive
net --net output --rows 2400 --set allocation=adaptive --set noise_fall=0.5
net --net output --rows 2400 --set allocation=adaptive --replace-one --set sampler=shuffled
net --net output --rows 2400 --set allocation=descent
for other in optimiser=adam decay=0.1 schedule=root warm_up=0.1 cool_down=0.1 noise_fall=0.5 clipping=adaptive smooth=2 carriers=1; do
    net --net output --rows 2400 --set allocation=descent --set $other
done
net --net output --lot 100 --set allocation=descent
run_noise() { t train net credit.csv --schema credit.fields --label repaid --rows 2400 --net output --rate 1 --set allocation=descent "$@"; }
run_noise --noise 5 --delta 1e-6 --out a.model
run_noise --no-privacy --out a.model
net --net output --lot 100 --rate 0.1 --rows 2400
net --net output --epochs 1 --steps 10
net --net output --lot 1.5 --rows 2400
net --net output --set lot=10 --lot 10 --rows 2400
t train linear credit.csv --schema credit.fields --label income --epsilon 1 --out a.model --steps 10
dusk train net credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --rows 2400 --net small.net --lot 100 \
    --epochs 1 --out a.model 2>&1 | sed -n -e 's,lot=.*,,p' -e '/^file/p'

# a noise instead of an epsilon, and no privacy at all
run() { dusk train net credit.csv --schema credit.fields --label repaid --rows 2400 --net output --rate 1 "$@" 2>&1; }
run --noise 1.1 --delta 1e-6 --steps 4 --dry-run | grep -v '^promise'
run --no-privacy --steps 3 --out plain.model | grep -e PRIVACY -e ^cost
dusk score plain.model credit.csv 2>&1 | grep PRIVACY
dusk predict plain.model credit.csv 2>&1 | grep PRIVACY
t train net credit.csv --schema credit.fields --label repaid --net output --out a.model
t train net clinic.dusk --label repaid --net output --out a.model --no-privacy
t train linear credit.csv --schema credit.fields --label income --no-privacy --out a.model
run --noise 1 --delta 1e-6 --epsilon 1 --out a.model
run --noise 1 --steps 3 --out a.model

# checkpoints
run --noise 5 --delta 1e-6 --steps 10 --checkpoint run.checkpoint --every 5 --out a.model | grep -e ^file -e ^cost
run --noise 5 --delta 1e-6 --steps 10 --checkpoint run.checkpoint --every 5 --out b.model
run --noise 5 --delta 1e-6 --steps 10 --checkpoint run.checkpoint --every 5 --out b.model --resume
run --noise 5 --delta 1e-6 --steps 20 --checkpoint run.checkpoint --every 5 --out b.model --resume
run --noise 5 --delta 1e-6 --steps 10 --out b.model --resume
ls b.model 2>/dev/null
exit 0
