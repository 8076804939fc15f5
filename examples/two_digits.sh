#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Logistic regression by noisy gradient descent on two classes of MNIST, an experiment that a tutorial on differential privacy ends with: lot 150,
# pixels in [0, 1], rate 1/sqrt(t), noise of variance 1, 5, 7.5 and 10, delta 1e-4. Then the other way round: what each way of accounting must add
# for a given epsilon, and how right the classifier is after that.
#
#     DUSK=build/dusk examples/two_digits.sh FOLDER      the four IDX files of MNIST, .gz or not
#
# The text names neither the digits nor the number of steps: here 3 and 8, and 1000.
set -eu
dusk=${DUSK:-dusk}
folder=${1:?folder of the IDX files of MNIST}
rows=11982 steps=1000 delta=1e-4 rate=0.012518778167250876
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'pixel[784] numeric 0:255\ndigit category 3,8\n' > "$work/fields"

pair() { # train or t10k: the two files
    images=$(echo "$folder/$1"-images-idx3-ubyte*)
    labels=$(echo "$folder/$1"-labels-idx1-ubyte*)
}
epsilon_of() { # accountant, deviation: the epsilon that it finds
    "$dusk" account "poisson($rate, gaussian($2)) * $steps" --delta $delta --accountant "$1" |
        awk '$1 == "epsilon" && $3 == "most" { print $4 }'
}
noise_for() { # accountant, epsilon: the deviation that it asks for
    "$dusk" account "poisson($rate, gaussian(s)) * $steps" --solve s --epsilon "$2" --delta $delta \
        --accountant "$1" | awk '$1 == "s" { print $2 }'
}
accuracy_at() { # epsilon as it is
    pair train
    "$dusk" train net "$images" --labels "$labels" --schema "$work/fields" --label digit --epsilon "$1" \
        --delta $delta --rows $rows --set net=output --set range=unit --set lot=150 --set steps=$steps \
        --set clip=1 --set learning_rate=1 --set schedule=root --set momentum=0 --set decay=1e-4 \
        --out "$work/model" > /dev/null 2>&1
    pair t10k
    "$dusk" score "$work/model" "$images" --labels "$labels" 2> /dev/null |
        awk '$1 == "accuracy" { printf "%.1f\n", 100 * $2 }'
    rm -f "$work/model"
}

echo "variance  epsilon: text    basic  advanced  zcdp  rdp   best   accuracy: text  here"
while read -r variance deviation printed right; do
    line=""
    for accountant in basic advanced zcdp rdp best; do line="$line $(epsilon_of $accountant "$deviation")"; done
    # shellcheck disable=SC2086
    set -- $line
    printf '%-9s %13s %8.4g %9.4g %5.4g %5.3f %5.3f %15s  %s\n' "$variance" "$printed" "$@" "$right" \
        "$(accuracy_at "$5")"
done << END
1 1 17.865 95
5 2.2360679774997896 4.275 -
7.5 2.7386127875258306 3.045 -
10 3.1622776601683795 2.4 85
END

echo
echo "accuracy at a given epsilon (deviation of the noise)"
echo "epsilon  basic           advanced        zcdp            rdp             best"
for epsilon in 0.25 0.5 1 2 4 8; do
    printf '%-8s' $epsilon
    for accountant in basic advanced zcdp rdp best; do
        deviation=$(noise_for $accountant $epsilon)
        printf ' %-15s' "$(accuracy_at "$(epsilon_of best "$deviation")") ($(printf '%.3g' "$deviation"))"
    done
    echo
done
