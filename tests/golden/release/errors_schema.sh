# SPDX-License-Identifier: Apache-2.0
# A schema or a set of columns that makes no sense, found out before the data is opened.
try() {
    printf '%s\n' "$1" >bad.schema
    shift
    dusk release marginals --epsilon 1 --schema bad.schema --marginals "$@" || echo "exit $?"
}
try '' 1 absent.csv
try 'age' 1 absent.csv
try 'age numeric 0:100' 1 absent.csv
try 'age numeric 100:0 bins 3' 1 absent.csv
try 'age numeric 0:100 bins none' 1 absent.csv
try 'kids whole 0:1.5' 1 absent.csv
try 'sex category' 1 absent.csv
try 'sex category Female,Female' 1 absent.csv
try 'sex category Female,"Male' 1 absent.csv
try 'sex category Female,Male other' 1 absent.csv
try 'sex category Female else Female' 1 absent.csv
try 'sex words Female' 1 absent.csv
try 'a whole 0:1
a whole 0:1' 1 absent.csv
try 'a whole 0:9999999
b whole 0:9999999' 2 absent.csv
try 'age whole 0:9' age,sex absent.csv
try 'age whole 0:9' age,age absent.csv
try 'age whole 0:9' 2 absent.csv
try 'age whole 0:9' age absent.csv
try 'size whole 0:9' size survey.csv
dusk release marginals --epsilon 1 --schema absent.schema --marginals 1 survey.csv || echo "exit $?"
dusk release marginals --epsilon 1 --delta 0 --schema survey.schema --marginals 1 survey.csv || echo "exit $?"
