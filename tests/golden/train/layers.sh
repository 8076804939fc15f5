# SPDX-License-Identifier: Apache-2.0
# The layers of networks are in the help, on a screen by their names, and in the man page; what is wrong in one shows how it is written.
dusk train net --help | sed -n '/^layers/,/^$/p'
dusk train net -h | sed -n '/^layers/,/^$/p'
dusk train forest --help | grep -c '^layers'
mkdir man && dusk --generate man man && grep -c '^avgpool K \[S\]' man/dusk-train.1
wrong() {
    dusk train net credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --rows 2400 --dry-run --out a.model --net "$1" 2>&1
}
wrong 'dense 8, relu; output'
wrong 'dense 8; rleu; output'
wrong 'input 7; conv 4; output'
wrong 'dense 8; tempered scale; output'
wrong 'input 7; embedding 100 8; output'
# so do the other learners that have networks
for learner in pate label_net net_labels; do
    dusk train "$learner" credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --rows 2400 --dry-run --out a.model \
        --net 'embedding 100 8; output' $([ "$learner" = pate ] && echo --public credit_new.csv) $([ "$learner" = label_net ] && echo --replace-one) 2>&1
done
