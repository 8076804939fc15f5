# SPDX-License-Identifier: Apache-2.0
# Every example of the manuals of train, predict and score runs as it is written.
for command in train predict score; do dusk $command --help | sed -n 's/^ *\$ //p'; done >examples
while read -r line; do
    echo "$line" >one.sh
    sh ./one.sh >said 2>&1 || { echo "does not run: $line"; cat said; }
done <examples
wc -l <examples
ls -- *.model
