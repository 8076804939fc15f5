# SPDX-License-Identifier: Apache-2.0
# Every example of the help screens, hence of the man pages, runs.
{
    dusk --help
    dusk release --help
    for mechanism in $(dusk release --list | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do dusk release "$mechanism" -h; done
} | sed -n 's/^ *\$ //p' | grep -v '^dusk account' | sort -u >examples
while IFS= read -r line; do
    if sh -c "$line" >output 2>receipt && [ -s receipt ] || [ "$line" = 'dusk release --list' ]; then
        printf "runs: %s\n" "$line"
    else
        printf "FAILS: %s\n" "$line"
        echo failed >failures
    fi
done <examples
[ ! -e failures ] # also when somebody has written down what fails
