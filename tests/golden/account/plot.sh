# SPDX-License-Identifier: Apache-2.0
# Drawings are well-formed, whole, and hold what they should.
draw() {
    dusk account "$@" >/dev/null 2>said || { cat said; return; }
    python3 - <<'END'
import re, xml.etree.ElementTree as tree
text = open("x.svg").read()
root = tree.fromstring(text)
words = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text") if e.text]
lines = [e for e in root.iter("{http://www.w3.org/2000/svg}path") if "clip-path" in e.attrib]
words = [re.sub("(?<=[a-z]) [0-9.]+$", "", w) for w in words]  # values at the ends of lines
print(root.attrib["width"], root.attrib["height"], len(lines) > 0, sorted(w for w in words if re.search("[a-z]{2}", w)))
assert not re.search(r"\b(nan|inf)\b", text), text
END
    rm -f x.svg
}
draw 'gaussian(1) * 4' --plot x.svg
draw 'gaussian(1) * 4' --delta 1e-6 --plot x.svg
draw 'gaussian(1)' --epsilon 1 --plot x.svg
draw 'pure(1)' --plot x.svg
draw 'approx(1, 1e-3)' --plot x.svg
draw 'gaussian(1)' --tradeoff --plot x.svg --neighbours replace-one
draw 'gaussian(1) * 0' --plot x.svg
draw 'gaussian(1e-12)' --plot x.svg
draw 'gaussian(1e12)' --plot x.svg
draw 'pure(0.1) * 100' --delta 1e-6 --all --plot x.svg
draw 'pure(0.1) + gaussian(10)' --delta 1e-6 --all --plot x.svg --steps 2
draw 'gaussian(1) * 0' --delta 1e-6 --all --plot x.svg
draw 'gaussian(1)' --delta 0 --all --plot x.svg
