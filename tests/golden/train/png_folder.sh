# SPDX-License-Identifier: Apache-2.0
# A folder of PNG images, a sub-folder a class, in grey and in colours: trained on, scored and asked about. A file that is cut off, or of another
# size, is a row whose numbers are missing; the same pictures as PGM give the same predictions.
cat >write.py <<'END'
import pathlib, struct, zlib

def png(path, width, height, channels, pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">2I5B", width, height, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    lines = b"".join(b"\0" + bytes(pixels[y * width * channels:(y + 1) * width * channels]) for y in range(height))
    body = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    path.write_bytes(body)
    return body

for kind in ("bright", "dark", "else"):
    for folder in ("grey", "twins", "colours"): pathlib.Path(folder, kind).mkdir(parents=True)
for i in range(40):
    for kind, low in (("bright", 200), ("dark", 10)):
        pixels = [low + (7 * i + 11 * k) % 50 for k in range(6)]
        png(pathlib.Path("grey", kind, f"{i:02}.png"), 3, 2, 1, pixels)
        pathlib.Path("twins", kind, f"{i:02}.pgm").write_text("P2 3 2 255 " + " ".join(map(str, pixels)))
        # as bright as each other, and of another colour
        red, blue = (pixels[0], 20) if kind == "bright" else (20, 255 - pixels[0])
        png(pathlib.Path("colours", kind, f"{i:02}.png"), 2, 2, 3, [red, 100, blue] * 4)
png(pathlib.Path("grey", "else", "0.png"), 3, 2, 1, [0] * 6)
pathlib.Path("twins", "else", "0.pgm").write_text("P2 3 2 255 0 0 0 0 0 0")
whole = png(pathlib.Path("colours", "dark", "wide.png"), 3, 2, 3, [0] * 18)
pathlib.Path("colours", "dark", "cut.png").write_bytes(whole[:40])
END
python3 write.py
printf 'pixel[6] numeric 0:255\nkind category bright,dark\n' >grey.fields
printf 'pixel[12] numeric 0:255\nkind category bright,dark\n' >colours.fields
for folder in grey colours; do
    dusk train net $folder --schema $folder.fields --label kind --epsilon 100 --delta 1e-6 --rows 80 --net output --lot 40 --epochs 40 \
        --out $folder.model 2>&1 | grep -e '^from' -e '^promise' -e '^file' | tr -s ' '
    dusk score $folder.model $folder 2>/dev/null | awk '$1 == "rows" { print $1, $2 } $1 == "accuracy" { print ($2 > 0.9 ? "right" : "wrong") }'
done
dusk predict grey.model grey >of_png 2>/dev/null
# whoever is asked about need not be of a class that was declared
dusk predict grey.model twins 2>/dev/null | cmp - of_png && wc -l <of_png | tr -d ' '
# colours of another size are read as missing
dusk train net colours --schema grey.fields --label kind --epsilon 1 --delta 1e-6 --rows 80 --net output --lot 40 --epochs 1 --out a.model >card 2>&1 || cat card
dusk score grey.model colours 2>&1 | awk '$1 == "rows" { print $1, $2 }'
