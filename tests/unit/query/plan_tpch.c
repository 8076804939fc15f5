/* SPDX-License-Identifier: Apache-2.0 */
/* TPC-H with the customer as the unit: orders belong to customers and lines to orders by links; parts, suppliers,
 * nations and regions are public. Each query is planned, or refused for a stated reason. */
#include "support.h"

#include "plan_print.h"

static const char *const facts[] = {
    "region source region.csv",
    "region public yes",
    "region.r_regionkey type integer",
    "region.r_regionkey unique yes",
    "region.r_name type text",
    "nation source nation.csv",
    "nation public yes",
    "nation.n_nationkey type integer",
    "nation.n_nationkey unique yes",
    "nation.n_name type text",
    "nation.n_regionkey type integer",
    "part source part.csv",
    "part public yes",
    "part.p_partkey type integer",
    "part.p_partkey unique yes",
    "part.p_name type text",
    "part.p_brand type text",
    "part.p_type type text",
    "part.p_size type integer",
    "part.p_container type text",
    "supplier source supplier.csv",
    "supplier public yes",
    "supplier.s_suppkey type integer",
    "supplier.s_suppkey unique yes",
    "supplier.s_nationkey type integer",
    "supplier.s_acctbal type real",
    "partsupp source partsupp.csv",
    "partsupp public yes",
    "partsupp.ps_partkey type integer",
    "partsupp.ps_suppkey type integer",
    "partsupp.ps_supplycost type real",
    "partsupp.ps_supplycost bounds 0:1000",
    "customer source customer.csv",
    "customer.c_custkey type integer",
    "customer.c_custkey unique yes",
    "customer.c_name type text",
    "customer.c_nationkey type integer",
    "customer.c_phone type text",
    "customer.c_acctbal type real",
    "customer.c_acctbal bounds -1000:10000",
    "customer.c_mktsegment type text",
    "customer.c_mktsegment domain AUTOMOBILE,BUILDING,FURNITURE,HOUSEHOLD,MACHINERY",
    "- unit customer.c_custkey",
    "orders source orders.csv",
    "orders.o_orderkey type integer",
    "orders.o_orderkey unique yes",
    "orders.o_custkey type integer",
    "orders.o_custkey link customer",
    "orders.o_orderstatus type text",
    "orders.o_totalprice type real",
    "orders.o_totalprice bounds 0:500000",
    "orders.o_orderdate type date",
    "orders.o_orderpriority type text",
    "orders.o_orderpriority domain 1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW",
    "orders.o_shippriority type integer",
    "orders.o_shippriority bounds 0:1",
    "lineitem source lineitem.csv",
    "lineitem.l_orderkey type integer",
    "lineitem.l_orderkey link orders",
    "lineitem.l_partkey type integer",
    "lineitem.l_suppkey type integer",
    "lineitem.l_quantity type real",
    "lineitem.l_quantity bounds 0:50",
    "lineitem.l_extendedprice type real",
    "lineitem.l_extendedprice bounds 0:105000",
    "lineitem.l_discount type real",
    "lineitem.l_discount bounds 0:0.1",
    "lineitem.l_tax type real",
    "lineitem.l_tax bounds 0:0.08",
    "lineitem.l_returnflag type text",
    "lineitem.l_returnflag domain A,N,R",
    "lineitem.l_returnflag nullable no",
    "lineitem.l_linestatus type text",
    "lineitem.l_linestatus domain F,O",
    "lineitem.l_linestatus nullable no",
    "lineitem.l_shipdate type date",
    "lineitem.l_commitdate type date",
    "lineitem.l_receiptdate type date",
    "lineitem.l_shipinstruct type text",
    "lineitem.l_shipmode type text",
    "lineitem.l_shipmode domain AIR,FOB,MAIL,RAIL,REG AIR,SHIP,TRUCK",
    "lineitem.l_shipmode nullable no",
};

static const struct {
    const char *sql, *plan; /* or the refusal */
} queries[] = {
    { "select l_returnflag, l_linestatus, sum(l_quantity) as sum_qty, sum(l_extendedprice) as "
      "sum_base_price, sum(l_extendedprice * (1 - l_discount)) as sum_disc_price, "
      "sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge, avg(l_quantity) as "
      "avg_qty, avg(l_extendedprice) as avg_price, avg(l_discount) as avg_disc, count(*) as "
      "count_order from lineitem where l_shipdate <= date '1998-12-01' - interval '90' day group by "
      "l_returnflag, l_linestatus order by l_returnflag, l_linestatus",
      "project(filter(lineitem@7; <=(#6,'1998-09-02'))@7; "
      "#7,#4,#5,#0,#1,*(#1,-(1,#2)),*(*(#1,-(1,#2)),+(1,#3)),#2)@0 | sum 0 in 0:50 | sum 1 in "
      "0:105000 | sum 2 in 0:105000 | sum 3 in 0:113400 | mean 0 in 0:50 | mean 1 in 0:105000 | mean "
      "4 in 0:0.1 | rows => l_returnflag:#0 l_linestatus:#1 sum_qty:#2 sum_base_price:#3 "
      "sum_disc_price:#4 sum_charge:#5 avg_qty:#6 avg_price:#7 avg_disc:#8 count_order:#9 order #0 "
      "order #1 public 3 2" },
    { "select l_orderkey, sum(l_extendedprice * (1 - l_discount)) as revenue, o_orderdate, "
      "o_shippriority from customer, orders, lineitem where c_mktsegment = 'BUILDING' and c_custkey "
      "= o_custkey and l_orderkey = o_orderkey and o_orderdate < date '1995-03-15' and l_shipdate > "
      "date '1995-03-15' group by l_orderkey, o_orderdate, o_shippriority order by revenue desc, "
      "o_orderdate limit 10",
      "project(join(join(filter(customer@0; =(#1,'BUILDING'))@0, filter(orders@1; "
      "<(#2,'1995-03-15'))@1; =(#0,#3))@0, filter(lineitem@4; >(#3,'1995-03-15'))@4; =(#6,#2))@0; "
      "#0,#6,#4,#5,*(#7,-(1,#8)))@0 | sum 0 in 0:105000 => l_orderkey:#0 revenue:#3 o_orderdate:#1 "
      "o_shippriority:#2 order #3 desc nulls first order #1 limit 10 private" },
    { "select o_orderpriority, count(*) as order_count from orders where o_orderdate >= date "
      "'1993-07-01' and o_orderdate < date '1993-07-01' + interval '3' month and exists (select * "
      "from lineitem where l_orderkey = o_orderkey and l_commitdate < l_receiptdate) group by "
      "o_orderpriority order by o_orderpriority",
      "project(semi(filter(orders@1; and(>=(#2,'1993-07-01'),<(#2,'1993-10-01')))@1, "
      "filter(lineitem@3; <(#1,#2))@3; =(#4,#0))@1; #1,#3)@0 | rows => o_orderpriority:#0 "
      "order_count:#1 order #0 public 5+null" },
    { "select n_name, sum(l_extendedprice * (1 - l_discount)) as revenue from customer, orders, "
      "lineitem, supplier, nation, region where c_custkey = o_custkey and l_orderkey = o_orderkey "
      "and l_suppkey = s_suppkey and c_nationkey = s_nationkey and s_nationkey = n_nationkey and "
      "n_regionkey = r_regionkey and r_name = 'ASIA' and o_orderdate >= date '1994-01-01' and "
      "o_orderdate < date '1994-01-01' + interval '1' year group by n_name order by revenue desc",
      "project(join(join(join(customer@0, filter(orders@1; "
      "and(>=(#2,'1994-01-01'),<(#2,'1995-01-01')))@1; =(#0,#3))@0, lineitem@4; =(#5,#2))@0, "
      "join(join(supplier, nation; =(#1,#2)), filter(region; =(#1,'ASIA')); =(#4,#5)); "
      "and(=(#6,#10),=(#1,#11)))@0; #0,#13,*(#7,-(1,#8)))@0 | sum 0 in 0:105000 => n_name:#0 "
      "revenue:#1 order #1 desc nulls first public domain "
      "project(distinct(project(join(join(supplier, nation; =(#0,#1)), filter(region; =(#1,'ASIA')); "
      "=(#3,#4)); #2)); #0)" },
    { "select sum(l_extendedprice * l_discount) as revenue from lineitem where l_shipdate >= date "
      "'1994-01-01' and l_shipdate < date '1994-01-01' + interval '1' year and l_discount between "
      "0.06 - 0.01 and 0.06 + 0.01 and l_quantity < 24",
      "project(filter(lineitem@4; "
      "and(>=(#3,'1994-01-01'),<(#3,'1995-01-01'),>=(#2,0.05),<=(#2,0.07),<(#0,24)))@4; "
      "#4,*(#1,#2))@0 | sum 0 in 0:7350 => revenue:#0" },
    { "select supp_nation, cust_nation, l_year, sum(volume) as revenue from (select n1.n_name as "
      "supp_nation, n2.n_name as cust_nation, extract(year from l_shipdate) as l_year, "
      "l_extendedprice * (1 - l_discount) as volume from supplier, lineitem, orders, customer, "
      "nation n1, nation n2 where s_suppkey = l_suppkey and o_orderkey = l_orderkey and c_custkey = "
      "o_custkey and s_nationkey = n1.n_nationkey and c_nationkey = n2.n_nationkey and ((n1.n_name = "
      "'FRANCE' and n2.n_name = 'GERMANY') or (n1.n_name = 'GERMANY' and n2.n_name = 'FRANCE')) and "
      "l_shipdate between date '1995-01-01' and date '1996-12-31') as shipping group by supp_nation, "
      "cust_nation, l_year order by supp_nation, cust_nation, l_year",
      "project(project(join(join(join(join(join(supplier, nation; =(#1,#2)), filter(lineitem@5; "
      "and(>=(#4,'1995-01-01'),<=(#4,'1996-12-31')))@5; =(#0,#5))@9, orders@1; =(#10,#4))@9, "
      "customer@0; =(#12,#11))@9, nation; "
      "and(=(#13,#14),or(and(=(#3,'FRANCE'),=(#15,'GERMANY')),and(=(#3,'GERMANY'),=(#15,'FRANCE')))))@9; "
      "#3,#15,extract('year',#8),*(#6,-(1,#7)),#9)@4; #4,#0,#1,#2,#3)@0 | sum 0 in 0:105000 => "
      "supp_nation:#0 cust_nation:#1 l_year:#2 revenue:#3 order #0 order #1 order #2 public domain "
      "project(join(join(distinct(project(join(supplier, nation; =(#0,#1)); #2)), "
      "distinct(project(nation; #0)); *), distinct(union(distinct(project(nation; 1995)), "
      "distinct(project(nation; 1996)))); *); #0,#1,#2)" },
    { "select nation, o_year, sum(amount) as sum_profit from (select n_name as nation, extract(year "
      "from o_orderdate) as o_year, l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity "
      "as amount from part, supplier, lineitem, partsupp, orders, nation where s_suppkey = l_suppkey "
      "and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and "
      "o_orderkey = l_orderkey and s_nationkey = n_nationkey and p_name like '%green%') as profit "
      "group by nation, o_year order by nation, o_year desc",
      "project(project(join(join(join(join(filter(part; like(#1,'%green%')), lineitem@6; "
      "=(#0,#3))@8, join(supplier, nation; =(#1,#2)); =(#9,#4))@8, partsupp; "
      "and(=(#14,#4),=(#13,#3)))@8, orders@1; =(#16,#2))@8; "
      "#12,extract('year',#18),-(*(#6,-(1,#7)),*(#15,#5)),#8)@3; #3,#0,#1,#2)@0 | sum 0 in "
      "-50000:105000 => nation:#0 o_year:#1 sum_profit:#2 order #0 order #1 desc nulls first private" },
    { "select c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) as revenue, c_acctbal, "
      "n_name from customer, orders, lineitem, nation where c_custkey = o_custkey and l_orderkey = "
      "o_orderkey and o_orderdate >= date '1993-10-01' and o_orderdate < date '1993-10-01' + "
      "interval '3' month and l_returnflag = 'R' and c_nationkey = n_nationkey group by c_custkey, "
      "c_name, c_acctbal, n_name order by revenue desc limit 20",
      "project(join(join(join(customer@0, filter(orders@1; "
      "and(>=(#2,'1993-10-01'),<(#2,'1994-01-01')))@1; =(#0,#5))@0, filter(lineitem@4; =(#3,'R'))@4; "
      "=(#7,#4))@0, nation; =(#2,#12))@0; #0,#0,#1,#3,#13,*(#8,-(1,#9)))@0 | sum 0 in 0:105000 => "
      "c_custkey:#0 c_name:#1 revenue:#4 c_acctbal:#2 n_name:#3 order #4 desc nulls first limit 20 "
      "private" },
    { "select l_shipmode, sum(case when o_orderpriority = '1-URGENT' or o_orderpriority = '2-HIGH' "
      "then 1 else 0 end) as high_line_count, sum(case when o_orderpriority <> '1-URGENT' and "
      "o_orderpriority <> '2-HIGH' then 1 else 0 end) as low_line_count from orders, lineitem where "
      "o_orderkey = l_orderkey and l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate "
      "and l_shipdate < l_commitdate and l_receiptdate >= date '1994-01-01' and l_receiptdate < date "
      "'1994-01-01' + interval '1' year group by l_shipmode order by l_shipmode",
      "project(join(orders@1, filter(lineitem@5; "
      "and(in(#4,'MAIL','SHIP'),<(#2,#3),<(#1,#2),>=(#3,'1994-01-01'),<(#3,'1995-01-01')))@5; "
      "=(#0,#3))@1; "
      "#1,#7,case(or(=(#2,'1-URGENT'),=(#2,'2-HIGH')),1,0),case(and(<>(#2,'1-URGENT'),<>(#2,'2-HIGH')),1,0))@"
      "0 "
      "| sum 0 in 0:1 whole | sum 1 in 0:1 whole => l_shipmode:#0 high_line_count:#1 "
      "low_line_count:#2 order #0 public 2" },
    { "select c_count, count(*) as custdist from (select c_custkey, count(o_orderkey) as c_count "
      "from customer left outer join orders on c_custkey = o_custkey and o_orderpriority <> "
      "'1-URGENT' group by c_custkey) as c_orders group by c_count order by custdist desc, c_count "
      "desc",
      "project(project(group(left(customer@0, orders@1; and(=(#0,#2),<>(#3,'1-URGENT')))@0; #0; "
      "count #1)@0; #0,#1)@0; #0,#1)@0 | rows => c_count:#0 custdist:#1 order #1 desc nulls first "
      "order #0 desc nulls first private one row" },
    { "select 100.00 * sum(case when p_type like 'PROMO%' then l_extendedprice * (1 - l_discount) "
      "else 0 end) / sum(l_extendedprice * (1 - l_discount)) as promo_revenue from lineitem, part "
      "where l_partkey = p_partkey and l_shipdate >= date '1995-09-01' and l_shipdate < date "
      "'1995-09-01' + interval '1' month",
      "project(join(filter(lineitem@4; and(>=(#3,'1995-09-01'),<(#3,'1995-10-01')))@4, part; "
      "=(#0,#5))@4; #4,case(like(#6,'PROMO%'),*(#1,-(1,#2)),0),*(#1,-(1,#2)))@0 | sum 0 in 0:105000 "
      "| sum 1 in 0:105000 => promo_revenue:/(*(100,#0),#1)" },
    { "select c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) from "
      "customer, orders, lineitem where o_orderkey in (select l_orderkey from lineitem group by "
      "l_orderkey having sum(l_quantity) > 300) and c_custkey = o_custkey and o_orderkey = "
      "l_orderkey group by c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice order by "
      "o_totalprice desc, o_orderdate limit 100",
      "project(semi(join(join(customer@0, orders@1; =(#0,#3))@0, lineitem@2; =(#2,#6))@0, "
      "project(filter(group(lineitem@2; #0,#2; sum #1)@1; >(#2,300))@1; #0,#1)@1; =(#2,#9))@0; "
      "#0,#1,#0,#2,#5,#4,#7)@0 | sum 0 in 0:50 => c_name:#0 c_custkey:#1 o_orderkey:#2 "
      "o_orderdate:#3 o_totalprice:#4 sum:#5 order #4 desc nulls first order #3 limit 100 private" },
    { "select sum(l_extendedprice* (1 - l_discount)) as revenue from lineitem, part where (p_partkey "
      "= l_partkey and p_brand = 'Brand#12' and p_container in ('SM CASE', 'SM BOX') and l_quantity "
      ">= 1 and l_quantity <= 11 and p_size between 1 and 5 and l_shipmode in ('AIR', 'REG AIR') and "
      "l_shipinstruct = 'DELIVER IN PERSON') or (p_partkey = l_partkey and p_brand = 'Brand#23' and "
      "l_quantity >= 10 and l_quantity <= 20 and p_size between 1 and 10)",
      "project(join(lineitem@6, filter(part; >=(#2,1)); "
      "and(=(#7,#0),or(and(=(#8,'Brand#12'),in(#10,'SM CASE','SM "
      "BOX'),>=(#1,1),<=(#1,11),<=(#9,5),in(#5,'AIR','REG AIR'),=(#4,'DELIVER IN "
      "PERSON')),and(=(#8,'Brand#23'),>=(#1,10),<=(#1,20),<=(#9,10)))))@6; #6,*(#2,-(1,#3)))@0 | sum "
      "0 in 0:105000 => revenue:#0" },
    { "select cntrycode, count(*) as numcust, sum(c_acctbal) as totacctbal from (select "
      "substring(c_phone from 1 for 2) as cntrycode, c_acctbal from customer where substring(c_phone "
      "from 1 for 2) in ('13', '31', '23') and c_acctbal > (select avg(c_acctbal) from customer "
      "where c_acctbal > 0.00) and not exists (select * from orders where o_custkey = c_custkey)) as "
      "custsale group by cntrycode order by cntrycode",
      "at character 228: a subquery does not stand for a value here" },
    { "select cntrycode, count(*) as numcust, sum(c_acctbal) as totacctbal from (select "
      "substring(c_phone from 1 for 2) as cntrycode, c_acctbal from customer where substring(c_phone "
      "from 1 for 2) in ('13', '31', '23') and c_acctbal > 4990 and not exists (select * from orders "
      "where o_custkey = c_custkey)) as custsale group by cntrycode order by cntrycode",
      "project(project(anti(filter(customer@0; "
      "and(in(substring(#1,1,2),'13','31','23'),>(#2,4990)))@0, orders@0; =(#3,#0))@0; "
      "substring(#1,1,2),#2,#0)@2; #2,#0,#1)@0 | rows | sum 0 in 4990:10000 => cntrycode:#0 "
      "numcust:#1 totacctbal:#2 order #0 private one row" },
};

static void queries_are_planned_or_refused(void **state)
{
    static char text[20000];
    dusk_schema *schema = schema_of(facts, sizeof facts / sizeof facts[0]);
    (void)state;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        query_plan *plan = NULL;
        dusk_error err = { .message = "" };
        if (query_plan_new(&plan, schema, queries[i].sql, &err) == DUSK_OK) {
            print_plan(text, sizeof text, plan);
            query_plan_free(plan);
        }
        const char *got = plan ? text : err.message;
        if (strcmp(got, queries[i].plan) != 0)
            fail_msg("%s\n    is %s\n   not %s", queries[i].sql, got, queries[i].plan);
    }
    dusk_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(queries_are_planned_or_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
