# SPDX-License-Identifier: Apache-2.0
# What a field counts as. With epsilon 2000 the noise is 0 but for one time in e^2000.
cat >odd.schema <<'END'
# comments, blank lines and a last line without an end are fine

n   numeric 10:20 bins 2          # 10 to 15, 15 to 20
w   whole -1:1 else none
"a b" category x,"y, ""z""" else ?
c   category k,l
END
printf 'e numeric -4:-2 bins 2' >>odd.schema
printf '\357\273\277c,ignored,n,e,"a b",w\r\n' >odd.csv
cat >>odd.csv <<'END'
k,1,10,-4,x,-1
l,1,14.9999,-3.5,"y, ""z""",0
m,1,15,-3,y,0.9
,1,20,-2,,1

k,1,99,1,x ,7
k,1,-inf,-inf,X,-7
k,1,nan,nan,"x",nan
k,1,ten,,x,1e0
k
"k","1","0x10"," -4"," x","one"
END
dusk release marginals --epsilon 2000 --counts raw --schema odd.schema --marginals 1 odd.csv
