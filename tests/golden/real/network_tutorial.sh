# SPDX-License-Identifier: Apache-2.0
# The pictures of docs/train-a-network.md, by the commands that are written there: MNIST as a folder of IDX files, and its threes and eights as folders of PNG files. What is looked at is what is
# always the same, and whether models are about as right as the page says.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
page="$(dirname "$0")/../../../docs/train-a-network.md"
ln -s "$DUSK_DATA/mnist" mnist
python3 - "$DUSK_DATA/mnist" <<'END'
import gzip, pathlib, struct, sys, zlib

def read(name):
    there = next(pathlib.Path(sys.argv[1]).glob(name + "*"))
    return (gzip.open if there.suffix == ".gz" else open)(there, "rb").read()

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

head = chunk(b"IHDR", struct.pack(">2I5B", 28, 28, 8, 0, 0, 0, 0))
for folder, pair, most in (("signs", "train", 6000), ("signs_new", "t10k", 800)):
    images, labels = read(pair + "-images-idx3-ubyte")[16:], read(pair + "-labels-idx1-ubyte")[8:]
    for kind in ("three", "eight"): pathlib.Path(folder, kind).mkdir(parents=True)
    for i in [i for i in range(len(labels)) if labels[i] in (3, 8)][:most]:
        lines = b"".join(b"\0" + images[784 * i + 28 * y:784 * i + 28 * y + 28] for y in range(28))
        body = b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(lines, 1)) + chunk(b"IEND", b"")
        pathlib.Path(folder, "three" if labels[i] == 3 else "eight", f"{i}.png").write_bytes(body)
pathlib.Path("digits.fields").write_text("pixel[784] numeric 0:255\ndigit category 0,1,2,3,4,5,6,7,8,9\n")
pathlib.Path("signs.fields").write_text("pixel[784] numeric 0:255\nkind category three,eight\n")
END
mkdir new && cp signs_new/three/1*.png new
# the commands of a section, without those that only show files
said() { sed -n "/^## $1/,/^## /{s/^    \\\$ \\(dusk.*\\)/\\1/p;/^     *--/p}" "$page"; }
said 'Digits' >digits.sh
said 'Pictures' >pictures.sh
grep -c '^dusk' digits.sh pictures.sh
look() { # WHAT LEAST: what a model scores
    awk -v least="$2" -v what="$1" '$1 == "accuracy" { print what, ($2 >= least ? "right" : "only " $2) }'
}
sh ./digits.sh 2>&1 | tee digits.out | grep -e '^cost' -e '^rows'
look digits 0.88 <digits.out
sh ./pictures.sh 2>&1 | tee pictures.out | grep -e '^cost' -e '^rows'
look signs 0.9 <pictures.out
# a line a picture, after the head
tail -n "$(($(ls new | wc -l) + 1))" pictures.out | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 } END { print NR <= 3 ? "lines" : "more" }'
