# SPDX-License-Identifier: Apache-2.0
# Every example of the help screens, hence of the man pages, runs.
{
    dusk --help
    dusk account --help
    for event in $(dusk account --help | sed -n '/^Events/,/^Question/s/^  \([a-z_]*\)(.*/\1/p'); do dusk account "$event" -h; done
} | sed -n 's/^ *\$ //p' | grep '^dusk account' | sort -u >examples
while IFS= read -r line; do
    if sh -c "$line" >output 2>errors && [ -s output ] || [ -s curve.svg ]; then
        printf "runs: %s\n" "$line"
    else
        printf "FAILS: %s\n" "$line"
        cat errors
    fi
    rm -f curve.svg
done <examples
