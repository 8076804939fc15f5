/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of TPC-H where the customer is the unit. Where the original lists orders or customers, the same
 * rows are added up by something that many customers share (Q3, Q10, Q18). Bounds are declared from
 * the specification, never from data. */
#include "tpch.h"

const char *const tpch_facts[][3] = {
    { "region", "public", "yes" },
    { "nation", "public", "yes" },
    { "supplier", "public", "yes" },
    { "part", "public", "yes" },
    { "partsupp", "public", "yes" },
    { "customer.c_custkey", "unique", "yes" },
    { "orders.o_orderkey", "unique", "yes" },
    { "region.r_regionkey", "unique", "yes" },
    { "nation.n_nationkey", "unique", "yes" },
    { "supplier.s_suppkey", "unique", "yes" },
    { "part.p_partkey", "unique", "yes" },
    { "partsupp.ps_supplycost", "bounds", "0:1000" },
    { "customer.c_acctbal", "bounds", "-1000:10000" },
    { "customer.c_mktsegment", "domain", "AUTOMOBILE,BUILDING,FURNITURE,HOUSEHOLD,MACHINERY" },
    { "orders.o_orderpriority", "domain", "1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW" },
    { "orders.o_orderpriority", "nullable", "no" },
    { "orders.o_totalprice", "bounds", "0:600000" },
    { "orders.o_shippriority", "domain", "0" },
    { "orders.o_shippriority", "nullable", "no" },
    { "lineitem.l_quantity", "bounds", "1:50" },
    { "lineitem.l_extendedprice", "bounds", "0:110000" },
    { "lineitem.l_discount", "bounds", "0:0.1" },
    { "lineitem.l_tax", "bounds", "0:0.08" },
    { "lineitem.l_returnflag", "domain", "A,N,R" },
    { "lineitem.l_returnflag", "nullable", "no" },
    { "lineitem.l_linestatus", "domain", "F,O" },
    { "lineitem.l_linestatus", "nullable", "no" },
    { "lineitem.l_shipmode", "domain", "AIR,FOB,MAIL,RAIL,REG AIR,SHIP,TRUCK" },
    { "lineitem.l_shipmode", "nullable", "no" },
    { "lineitem.l_shipdate", "nullable", "no" },
    { "orders.o_orderdate", "nullable", "no" },
    { "orders.o_custkey", "link", "customer" },
    { "lineitem.l_orderkey", "link", "orders" },
    { NULL, NULL, NULL },
};

#define REVENUE "sum(l_extendedprice * (1 - l_discount))"

const tpch_query tpch_queries[] = {
    { "q01", NULL,
      "select l_returnflag, l_linestatus, sum(l_quantity) as sum_qty, sum(l_extendedprice) as "
      "sum_base_price, " REVENUE " as sum_disc_price, sum(l_extendedprice*(1-l_discount)*(1+l_tax)) as "
      "sum_charge, avg(l_quantity) as avg_qty, avg(l_extendedprice) as avg_price, avg(l_discount) as "
      "avg_disc, count(*) as count_order from lineitem where l_shipdate <= date '1998-12-01' - interval '90' "
      "day group by l_returnflag, l_linestatus order by l_returnflag, l_linestatus",
      0, 4, 60 },
    { "q03", NULL,
      "select o_shippriority, " REVENUE " as revenue from customer, orders, lineitem where c_mktsegment = "
      "'BUILDING' and c_custkey = o_custkey and l_orderkey = o_orderkey and o_orderdate < date '1995-03-15' "
      "and l_shipdate > date '1995-03-15' group by o_shippriority order by revenue desc limit 10",
      0, 1, 20 },
    { "q04", NULL,
      "select o_orderpriority, count(*) as order_count from orders where o_orderdate >= date '1993-07-01' "
      "and "
      "o_orderdate < date '1993-07-01' + interval '3' month and exists (select * from lineitem where "
      "l_orderkey = o_orderkey and l_commitdate < l_receiptdate) group by o_orderpriority order by "
      "o_orderpriority",
      0, 2, 2 },
    { "q05", NULL,
      "select n_name, " REVENUE " as revenue from customer, orders, lineitem, supplier, nation, region where "
      "c_custkey = o_custkey and l_orderkey = o_orderkey and l_suppkey = s_suppkey and c_nationkey = "
      "s_nationkey and s_nationkey = n_nationkey and n_regionkey = r_regionkey and r_name = 'ASIA' and "
      "o_orderdate >= date '1994-01-01' and o_orderdate < date '1994-01-01' + interval '1' year group by "
      "n_name order by revenue desc",
      0, 1, 3 },
    { "q06", NULL,
      "select sum(l_extendedprice*l_discount) as revenue from lineitem where l_shipdate >= date '1994-01-01' "
      "and l_shipdate < date '1994-01-01' + interval '1' year and l_discount between 0.06 - 0.01 and 0.06 + "
      "0.01 and l_quantity < 24",
      0, 1, 4 },
    { "q07", NULL,
      "select supp_nation, cust_nation, l_year, sum(volume) as revenue from (select n1.n_name as "
      "supp_nation, "
      "n2.n_name as cust_nation, extract(year from l_shipdate) as l_year, l_extendedprice * (1 - l_discount) "
      "as volume from supplier, lineitem, orders, customer, nation n1, nation n2 where s_suppkey = l_suppkey "
      "and o_orderkey = l_orderkey and c_custkey = o_custkey and s_nationkey = n1.n_nationkey and "
      "c_nationkey "
      "= n2.n_nationkey and ((n1.n_name = 'FRANCE' and n2.n_name = 'GERMANY') or (n1.n_name = 'GERMANY' and "
      "n2.n_name = 'FRANCE')) and l_shipdate between date '1995-01-01' and date '1996-12-31') as shipping "
      "group by supp_nation, cust_nation, l_year order by supp_nation, cust_nation, l_year",
      0, 2, 2 },
    { "q09", NULL,
      "select nation, o_year, sum(amount) as sum_profit from (select n_name as nation, extract(year from "
      "o_orderdate) as o_year, l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity as amount "
      "from "
      "part, supplier, lineitem, partsupp, orders, nation where s_suppkey = l_suppkey and ps_suppkey = "
      "l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and o_orderkey = l_orderkey and "
      "s_nationkey = n_nationkey and p_name like '%green%') as profit group by nation, o_year order by "
      "nation, o_year desc",
      1e-6, 4, 1 },
    { "q10", NULL,
      "select n_name, " REVENUE " as revenue from customer, orders, lineitem, nation where c_custkey = "
      "o_custkey and l_orderkey = o_orderkey and o_orderdate >= date '1993-10-01' and o_orderdate < date "
      "'1993-10-01' + interval '3' month and l_returnflag = 'R' and c_nationkey = n_nationkey group by "
      "n_name "
      "order by revenue desc limit 20",
      0, 1, 6 },
    { "q12", NULL,
      "select l_shipmode, sum(case when o_orderpriority = '1-URGENT' or o_orderpriority = '2-HIGH' then 1 "
      "else 0 end) as high_line_count, sum(case when o_orderpriority <> '1-URGENT' and o_orderpriority <> "
      "'2-HIGH' then 1 else 0 end) as low_line_count from orders, lineitem where o_orderkey = l_orderkey and "
      "l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate and l_shipdate < l_commitdate and "
      "l_receiptdate >= date '1994-01-01' and l_receiptdate < date '1994-01-01' + interval '1' year group by "
      "l_shipmode order by l_shipmode",
      0, 2, 2 },
    { "q13", NULL,
      "select c_count, count(*) as custdist from (select c_custkey, count(o_orderkey) as c_count from "
      "customer "
      "left outer join orders on c_custkey = o_custkey and o_comment not like '%special%requests%' group by "
      "c_custkey) as c_orders group by c_count order by custdist desc, c_count desc",
      1e-6, 1, 1 },
    { "q14", NULL,
      "select 100.00 * sum(case when p_type like 'PROMO%' then l_extendedprice*(1-l_discount) else 0 end) / "
      "sum(l_extendedprice * (1 - l_discount)) as promo_revenue from lineitem, part where l_partkey = "
      "p_partkey and l_shipdate >= date '1995-09-01' and l_shipdate < date '1995-09-01' + interval '1' month",
      0, 1, 4 },
    { "q18", NULL,
      "select count(*) as orders, sum(q) as quantity from (select o_custkey, o_orderkey, "
      "least(sum(l_quantity), 350) as q from orders, lineitem where o_orderkey = l_orderkey group by "
      "o_custkey, o_orderkey having sum(l_quantity) > 250) t",
      0, 1, 2 },
    { "q19", NULL,
      "select " REVENUE
      " as revenue from lineitem, part where (p_partkey = l_partkey and p_brand = 'Brand#12' "
      "and p_container in ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG') and l_quantity >= 1 and l_quantity <= 1 "
      "+ 10 and p_size between 1 and 5 and l_shipmode in ('AIR', 'REG AIR') and l_shipinstruct = 'DELIVER IN "
      "PERSON') or (p_partkey = l_partkey and p_brand = 'Brand#23' and p_container in ('MED BAG', 'MED BOX', "
      "'MED PKG', 'MED PACK') and l_quantity >= 10 and l_quantity <= 10 + 10 and p_size between 1 and 10 and "
      "l_shipmode in ('AIR', 'REG AIR') and l_shipinstruct = 'DELIVER IN PERSON') or (p_partkey = l_partkey "
      "and p_brand = 'Brand#34' and p_container in ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG') and l_quantity "
      ">= 20 and l_quantity <= 20 + 10 and p_size between 1 and 15 and l_shipmode in ('AIR', 'REG AIR') and "
      "l_shipinstruct = 'DELIVER IN PERSON')",
      0, 1, 1 },
    { "q22",
      "select avg(c_acctbal) from customer where c_acctbal > 0 and substring(c_phone from 1 for 2) in ('13', "
      "'31', '23', '29', '30', '18', '17')",
      "select cntrycode, count(*) as numcust, sum(c_acctbal) as totacctbal from (select c_custkey, "
      "substring(c_phone from 1 for 2) as cntrycode, c_acctbal from customer where substring(c_phone from 1 "
      "for 2) in ('13', '31', '23', '29', '30', '18', '17') and c_acctbal > $ and not exists (select * from "
      "orders where o_custkey = c_custkey)) as custsale group by cntrycode order by cntrycode",
      1e-6, 1, 1 },
    { .name = NULL },
};
