# SPDX-License-Identifier: Apache-2.0
# Answers about public rows: of teachers, with a report, and of the nearest rows of a sample; and what is refused.
train() {
    learner=$1
    epsilon=$2
    shift 2
    dusk train "$learner" credit.csv --schema credit.fields --label repaid --public credit_new.csv --epsilon "$epsilon" --delta 1e-6 --rows 2400 \
        --set epochs=2 --out repaid.model "$@" 2>&1
}
train pate 4 --set teachers=60 --set noise=0.08 --set margin=0 --set report=yes --set report_share=0.3 | grep -E '^(learner|released|report|promise|holds| )' | tr -s ' ' | sed 's/; event.*//; s/^report .*epsilon.*/report/'
dusk score repaid.model credit_new.csv 2>&1 | tr -s ' ' | head -2
# what a report says: here hardly ever no more than noise, and not three times
for turn in 1 2 3; do
    train pate 400 --set teachers=60 --set noise=0.003 --set questions=30 --set margin=0 --set report=yes --set report_share=0.5 | grep ^report | tr -s ' ' >said
    grep -q 'by how' said && break
done
cat said
train private_knn 2 --set questions=60 | grep -E '^(learner|released|promise|holds| )' | tr -s ' ' | sed 's/; event.*//'
train pate 8 --set teachers=200 --set method=confident --set noise=0.04 --set margin=0 --set report=yes --set report_share=0.2 | grep -E '^(released|report|promise|holds| )' | tr -s ' ' | sed 's/; event.*//; s/^report .*epsilon.*/report/'
train pate 2 --set teachers=60 --set report=yes
train pate 8 --set teachers=200 --set method=interactive --set threshold=0.2 --set noise=0.04 --set margin=0 --set report=yes --set report_share=0.2 | grep -E '^(released|report|promise|holds| )' | tr -s ' ' | sed 's/; event.*//; s/^report .*epsilon.*/report/'
train pate 1 --set method=lnmax --set teachers=250 | grep 'answers of' | tr -s ' '
dusk train private_knn credit.csv --schema credit.fields --label repaid --public credit_new.csv --epsilon 2 --out repaid.model 2>&1
dusk train private_knn credit.csv --schema credit.fields --label repaid --epsilon 2 --delta 1e-6 --out repaid.model 2>&1
# how many there are where nobody said, and answers that are too few
for rows in 100000 2400 1000 100; do
    for learner in pate private_knn; do
        dusk train $learner credit.csv --schema credit.fields --label repaid --public credit_new.csv --epsilon 1 --delta 1e-6 --rows $rows --out repaid.model --dry-run 2>&1 |
            sed -n -e 's/^\([0-9]* answers of [0-9]* [a-z ]*\):.*/\1/p' -e '/^so few/p'
    done
done
