# SPDX-License-Identifier: Apache-2.0
# Pictures in folders, a sub-folder a class, and a folder of IDX files: trained on, asked about and scored, without a table.
mkdir -p signs/bright signs/dark signs/unknown
i=0
while [ $i -lt 40 ]; do
    printf 'P2 2 2 255 2%d 2%d 240 25%d\n' $((i % 10 + 10)) $((i % 7 + 20)) $((i % 5)) >signs/bright/$i.pgm
    printf 'P2 2 2 255 %d %d 3 %d\n' $((i % 10)) $((i % 7)) $((i % 5)) >signs/dark/$i.pgm
    i=$((i + 1))
done
echo 'no picture' >signs/dark/notes.txt
printf 'P2 1 1 255 7\n' >signs/bright/small.pgm
printf 'P2 2 2 255 1 2 3 4\n' >signs/unknown/a.pgm
printf 'pixel[4] numeric 0:255\nkind category bright,dark\n' >signs.fields
dusk train net signs --schema signs.fields --label kind --epsilon 100 --delta 1e-6 --rows 80 --net output --lot 40 --epochs 40 \
    --out signs.model 2>&1 | grep -e '^from' -e '^file'
dusk score signs.model signs 2>&1 | tr -s ' ' | grep -e rows -e accuracy
dusk predict signs.model signs 2>/dev/null | wc -l | tr -d " "

# 20 rows of 2 x 2, and their labels
mkdir digits
{
    printf '\000\000\010\003\000\000\000\024\000\000\000\002\000\000\000\002'
    for i in 1 2 3 4 5 6 7 8 9 10; do printf '\001\002\003\004\370\371\372\373'; done
} >digits/train-images-idx3-ubyte
{
    printf '\000\000\010\001\000\000\000\024'
    for i in 1 2 3 4 5 6 7 8 9 10; do printf '\000\001'; done
} | gzip >digits/train-labels-idx1-ubyte.gz
cp digits/train-images-idx3-ubyte digits/t10k-images-idx3-ubyte
cp digits/train-labels-idx1-ubyte.gz digits/t10k-labels-idx1-ubyte.gz
printf 'pixel[4] numeric 0:255\ndigit category 0,1\n' >digits.fields
dusk train net digits --schema digits.fields --label digit --epsilon 100 --delta 1e-6 --rows 20 --net output --rate 0.5 --steps 40 \
    --out digits.model 2>&1 | grep -e '^from' -e '^file'
dusk score digits.model digits/t10k 2>&1 | tr -s ' ' | grep -e rows -e accuracy

t() {
    echo "\$ dusk $*"
    dusk "$@" 2>&1
    echo "exit $?"
}
t train net digits --schema digits.fields --label digit --epsilon 1 --delta 1e-6 --labels digits/x --out a.model
printf 'digit category 0,1\npixel[4] numeric 0:255\n' >turned.fields
t train net signs --schema turned.fields --label digit --epsilon 1 --delta 1e-6 --out a.model
printf 'pixel[9] numeric 0:255\ndigit category 0,1\n' >large.fields
t train net digits --schema large.fields --label digit --epsilon 1 --delta 1e-6 --out a.model
t score digits.model digits/t20k
mkdir test empty
cp digits/t10k* test
t score digits.model test
t train net empty --schema signs.fields --label kind --epsilon 1 --delta 1e-6 --rows 80 --net output --lot 40 --out a.model
