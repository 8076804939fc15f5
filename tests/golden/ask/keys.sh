# SPDX-License-Identifier: Apache-2.0
# Keys come out as they are: long integers to the last digit, long texts to the last letter, an empty text that is
# not NULL; but nothing that a terminal would obey, and a question of several lines is one line of the record.
escape=$(printf '\033[31mred')
long=$(printf 'x%.0s' $(seq 600))
{
    echo 'person,number,word'
    i=0
    while [ $i -lt 60 ]; do
        i=$((i + 1))
        printf '%s,%s,"%s"\n' a$i 9007199254740993 "$escape" b$i -9223372036854775808 '' c$i 9007199254740992 "$long"
    done
} >odd.csv
dusk init odd.dusk --source odd.csv --unit odd.person --epsilon 100 --delta 0.1 2>/dev/null
dusk schema odd.dusk set odd.number type=integer
ask() { dusk query odd.dusk "$@" --epsilon 20 --delta 0.01 2>/dev/null; }
ask "SELECT number, COUNT(*) AS n FROM odd GROUP BY number"
ask "SELECT number, COUNT(*) AS n FROM odd GROUP BY number" --csv
ask "SELECT number, COUNT(*) AS n FROM odd GROUP BY number" --json
ask "SELECT CAST(number AS TEXT) AS t, number AS m FROM odd GROUP BY number
     HAVING number <> 9007199254740992 ORDER BY number DESC"
ask "SELECT word, COUNT(*) AS n FROM odd GROUP BY word" | cut -c 1-20
ask "SELECT word, COUNT(*) AS n FROM odd GROUP BY word" --csv | sed 's/x\{600\}/600 times x/' | cat -v
ask "SELECT word, COUNT(*) AS n FROM odd GROUP BY word" --json | sed 's/x\{600\}/600 times x/'
dusk schema odd.dusk set odd.word "domain=$escape,a\\,b"
dusk schema odd.dusk | sed 1d
dusk budget odd.dusk --history | sed 1,8d
dusk schema odd.dusk set odd.number 'domain=9007199254740993'
mv odd.dusk 'my odd.dusk'
dusk schema 'my odd.dusk' advise odd --epsilon 1
for filter in zcdp rdp gdp; do
    dusk init $filter.dusk --source odd.csv --unit odd.person --epsilon 1 --delta 1e-6 --filter $filter >/dev/null 2>&1
    dusk explain $filter.dusk "SELECT word, COUNT(*) FROM odd GROUP BY word" --epsilon 0.1 --delta 1e-7 || echo "exit $?"
done
ln 'my odd.dusk' other.dusk
dusk budget other.dusk || echo "exit $?"
