# SPDX-License-Identifier: Apache-2.0
# The man pages are there, render without a warning, and show every option.
dusk --generate man .
ls -- *.1
if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W error ./*.1
elif command -v groff >/dev/null 2>&1; then
    groff -ww -man -Tascii ./*.1 >/dev/null
else
    echo "neither mandoc nor groff is there"
    exit 77
fi
for command in release account; do
    for option in $(dusk $command --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -e '--[a-z-]+'); do
        sed 's/\\-/-/g' dusk-$command.1 | grep -q -e "$option" || echo "$command: $option is missing"
    done
done
# every setting of every learner
sed -e 's/\\-/-/g' -e 's/^\.SS "\(.*\)"$/== \1,/' -e 's/^\.B //' dusk-train.1 | sed -n '/^\.SH "SETTINGS"/,/^\.SH "EXIT/p' >settings
sed -n 's/^== //p' settings | tr -d ' \n' | tr ',' '\n' >said
while read -r learner; do
    dusk train "$learner" --help | sed -n '/^settings, /,/^example/p' | sed -n 's/^  \([a-z][a-z_0-9]*\)  .*/\1/p' |
        while read -r setting; do
            sed -n "/^== \(.* \)\{0,1\}$learner,/,/^== /p" settings | grep -qx -e "$setting" || echo "$learner: $setting is missing"
        done
done <said
echo "$(wc -l <said) learners have settings"
