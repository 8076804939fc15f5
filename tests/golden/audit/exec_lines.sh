# SPDX-License-Identifier: Apache-2.0
# What may be in a line. None of these programs has any noise.
. ./audit_try
# Words and numbers in one field; what gives the input away comes once in fifty lines.
cat >mixed.awk <<'END'
BEGIN {
    for (i = 1; i <= ENVIRON["DUSK_DRAWS"]; i++)
        if (i % 50 == 0) print "T", 2.5
        else if (i % 50 == 1) print "F", ARGV[1]
        else print "F"
}
END
try --epsilon 1 --inputs a,b --draws 20000 -- awk -f mixed.awk
try --epsilon 1 --inputs 3,4 --draws 20000 -- awk -f mixed.awk
# Not in the first thousand lines: a field more, and a word where numbers were.
try --epsilon 1 --inputs 1,2 --draws 20000 -- awk 'BEGIN { for (i = 1; i <= ENVIRON["DUSK_DRAWS"]; i++) print (i > 1000 && i % 20 == 1 && ARGV[1] == 2 ? "1 1" : 1) }'
try --epsilon 1 --inputs 1,2 --draws 20000 -- awk 'BEGIN { for (i = 1; i <= ENVIRON["DUSK_DRAWS"]; i++) print (i > 1000 && i % 20 == 1 && ARGV[1] == 2 ? "odd" : 1) }'
# Whether two lines are the same draw.
same() { try --epsilon 1 --draws 2000 --inputs a,b -- sh -c "case \$1 in a) yes '$1';; *) yes '$2';; esac" sh 2>/dev/null | sed -e 's/claimed[^|]*| measured[^|]*| \([a-z]*\).*/\1/' -e 's/pass\|inconclusive/no violation/'; }
echo same
same '[1.5, 2.5]' '1.5,2.5'
same '{"count": 3}' 'count 3.0'
same '0x1p-1' '0.5'
same nan ''
same "$(printf '7\r')" ' 7'
echo different
same '1,,2' '1,2'
same True False
same 1e-300 0
same inf 1e308
same 'T F' 'T F F'
same '1 2' '2 1'
