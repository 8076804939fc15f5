# SPDX-License-Identifier: Apache-2.0
# Adult, census microdata, restaurant visits and TPC-H through SQL, as the docs say it. The
# interval of every cell holds the exact answer (of 1e6 cells one does not).
[ -n "${DUSK_DATA-}" ] || { echo "skipped: DUSK_DATA is not set" >&2; exit 77; }

# ask FILE SQL OPTIONS...: key, low, high of the first measure, one group a line
ask() {
    file=$1 sql=$2
    shift 2
    dusk query "$file" "$sql" --ci 0.999999 --csv "$@" 2>/dev/null | sed 1d | cut -d , -f 1,3,4 | sort
}
# holds NAME: the exact answers (key value) on standard input against `answers`
holds() {
    sort | join -t , - answers | awk -F , -v name="$1" '
        $2 < $3 || $2 > $4 { wrong++ } END { print name ": " NR - wrong " of " NR " hold" }'
}

gzip -dc "$DUSK_DATA/adult/adult.data.gz" | awk 'NF { print NR "," $0 }' >adult.csv
dusk init adult.dusk --source "adult.csv?header=id,age,workclass,weight,education,years,marital,occupation,relationship,race,sex,gain,loss,hours,country,income" \
    --unit adult.id --epsilon 100 >/dev/null 2>&1
dusk schema adult.dusk set adult.id unique
dusk schema adult.dusk set adult.age type=integer bounds=17:90 nullable=no
dusk schema adult.dusk set adult.income 'domain=<=50K,>50K' nullable=no
ask adult.dusk "SELECT income, COUNT(*) FROM adult GROUP BY income" --epsilon 1 >answers
awk -F ', *' '{ c[$16]++ } END { for (k in c) print k "," c[k] }' adult.csv | holds "adult, counts"
ask adult.dusk "SELECT income, AVG(age) FROM adult GROUP BY income" --epsilon 1 >answers
awk -F ', *' '{ c[$16]++; s[$16] += $2 } END { for (k in c) print k "," s[k] / c[k] }' adult.csv | holds "adult, means"

gzip -dc "$DUSK_DATA/pums/PUMS5extract10000.csv.gz" >pums.csv
dusk init pums.dusk --source pums.csv --unit pums.X --epsilon 100 --delta 1e-4 >/dev/null 2>&1
dusk schema pums.dusk set pums.X unique
dusk schema pums.dusk set pums.educ type=integer bounds=1:16 nullable=no
dusk schema pums.dusk set pums.income type=integer bounds=0:1000000 nullable=no
ask pums.dusk "SELECT educ, COUNT(*) FROM pums GROUP BY educ" --epsilon 1 >answers
awk -F , 'NR > 1 { c[$6]++ } END { for (k in c) print k "," c[k] }' pums.csv | holds "pums, counts"
ask pums.dusk "SELECT educ, SUM(income) FROM pums GROUP BY educ" --epsilon 1 --noise gaussian --delta 1e-6 >answers
awk -F , 'NR > 1 { s[$6] += $7 } END { for (k in s) print k "," s[k] }' pums.csv | holds "pums, sums"

gzip -dc "$DUSK_DATA/restaurant-visits/week_data.csv.gz" >week.csv
dusk init week.dusk --source week.csv --unit week.VisitorId --epsilon 100 >/dev/null 2>&1
dusk schema week.dusk set week.Day type=integer bounds=1:7 nullable=no
dusk schema week.dusk set 'week.Money spent (euros)' type=real bounds=0:100 nullable=no
ask week.dusk 'SELECT "Day", SUM("Money spent (euros)") FROM week GROUP BY "Day"' --epsilon 1 --groups 7 --rows 10 >answers
awk -F , 'NR > 1 { s[$5] += $4 } END { for (k in s) print k "," s[k] }' week.csv | holds "restaurant, sums"

for table in customer orders lineitem; do gzip -dc "$DUSK_DATA/tpch-sf0.05/$table.tbl.gz" >$table.tbl; done
dusk init tpch.dusk --unit customer.c_custkey --epsilon 100 \
    --source 'customer.tbl?delimiter=|&header=c_custkey,c_name,c_address,c_nationkey,c_phone,c_acctbal,c_mktsegment,c_comment' \
    --source 'orders.tbl?delimiter=|&header=o_orderkey,o_custkey,o_orderstatus,o_totalprice,o_orderdate,o_orderpriority,o_clerk,o_shippriority,o_comment' \
    --source 'lineitem.tbl?delimiter=|&header=l_orderkey,l_partkey,l_suppkey,l_linenumber,l_quantity,l_extendedprice,l_discount,l_tax,l_returnflag,l_linestatus,l_shipdate,l_commitdate,l_receiptdate,l_shipinstruct,l_shipmode,l_comment' \
    >/dev/null 2>&1
for column in customer.c_custkey orders.o_orderkey; do dusk schema tpch.dusk set $column type=integer unique nullable=no; done
for column in orders.o_custkey lineitem.l_orderkey; do dusk schema tpch.dusk set $column type=integer nullable=no; done
dusk schema tpch.dusk link orders.o_custkey customer
dusk schema tpch.dusk link lineitem.l_orderkey orders
dusk schema tpch.dusk set lineitem.l_returnflag domain=A,N,R nullable=no
dusk schema tpch.dusk set lineitem.l_quantity type=real bounds=1:50 nullable=no
ask tpch.dusk "SELECT l_returnflag, SUM(l_quantity) FROM lineitem GROUP BY l_returnflag" --epsilon 1 --groups 3 --rows 300 >answers
awk -F '|' '{ s[$9] += $5 } END { for (k in s) print k "," s[k] }' lineitem.tbl | holds "tpch, sums"
dusk query tpch.dusk "SELECT COUNT(*) FROM orders JOIN lineitem ON l_quantity = o_custkey" --epsilon 1
dusk budget tpch.dusk --verify | cut -c 1-36
