/* SPDX-License-Identifier: Apache-2.0 */
/* Known attacks on systems that answer queries, tried on whole queries. Each is named after what it does;
 * what has noise is compared with noise left out. (Crashes and concurrent spenders: tests/fault/query_kill.c;
 * sensitivities: tests/replay/query_runs.c.) */
#include "query_attacks.h"

enum { TEXT = 100000 };

/* --- sums of doubles --------------------------------------------------------------------------- */

/* Values as rows of one person each, in the order of `order`: 0 as given, 1 backwards, else shuffled. */
static double sum_of(const double *value, size_t n, const char *bounds, uint64_t order)
{
    static char rows[TEXT];
    size_t *at = calloc(n, sizeof *at);
    attack a;
    rows[0] = '\0';
    for (size_t i = 0; i < n; i++) at[i] = order == 1 ? n - 1 - i : i;
    for (size_t i = n; order > 1 && i > 1; i--) {
        size_t j = splitmix64(&order) % i, moved = at[j];
        at[j] = at[i - 1];
        at[i - 1] = moved;
    }
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(rows + used, sizeof rows - used, "%zu,%.17g,x\n", at[i] + 1, value[at[i]]);
    assert_true(used < sizeof rows);
    free(at);
    attack_open(&a, rows, bounds);
    a.options.epsilon = 64;
    double sum = attack_exact(&a, "SELECT SUM(value) FROM visits");
    attack_close(&a);
    return sum;
}

/* 2^53, and many that a double beside it cannot hold. */
static void rounding_and_order_do_not_move_a_sum(void **state)
{
    enum { N = 1001 };
    double value[N];
    (void)state;
    value[0] = 0x1p53;
    for (size_t i = 1; i < N; i++) value[i] = 1025;
    double sum = sum_of(value, N, "0:9007199254740992", 0);
    for (uint64_t order = 1; order < 4; order++)
        assert_true(sum_of(value, N, "0:9007199254740992", order) == sum);
    value[0] = 0;
    double rest = sum_of(value, N, "0:9007199254740992", 0);
    assert_true(sum - rest == 0x1p53); /* the others are rounded by themselves */
}

/* One row in front of many shifts every later rounding of a naive sum: by 2004, here. */
static void one_row_moves_a_sum_by_itself(void **state)
{
    enum { N = 1 + 1023 + 1 + 2000 };
    static double value[N];
    (void)state;
    value[0] = 4;
    for (size_t i = 1; i <= 1023; i++) value[i] = 0x1p43;
    value[1024] = 0x1p43 - 4;
    for (size_t i = 1025; i < N; i++) value[i] = i % 2 ? 1 + 0x1p-52 : -(1 - 0x1p-53);
    double with = sum_of(value, N, "-8796093022208:8796093022208", 0);
    double without = sum_of(value + 1, N - 1, "-8796093022208:8796093022208", 0);
    assert_true(with - without == 4);
    assert_true(sum_of(value, N, "-8796093022208:8796093022208", 9) == with);
}

static void sums_do_not_wrap_or_saturate(void **state)
{
    attack a;
    (void)state;
    attack_open(&a, "1,2147483647,x\n2,1,x\n", "0:2147483647");
    attack_declare(&a, "visits.value", "type", "integer");
    a.options.epsilon = 1000;
    assert_true(attack_exact(&a, "SELECT SUM(value) FROM visits") == 2147483648.0);
    attack_close(&a);
    attack_open(&a,
                "1,9223372036854775807,x\n2,9223372036854775807,x\n3,9223372036854775807,x\n"
                "4,9223372036854775807,x\n5,-9223372036854775807,x\n",
                "-9223372036854775807:9223372036854775807");
    attack_declare(&a, "visits.value", "type", "integer");
    a.options.epsilon = 1000;
    double sum = attack_exact(&a, "SELECT SUM(value) FROM visits");
    assert_true(fabs(sum / 0x3p63 - 1) < 1e-6);
    attack_close(&a);
    const double saturated[3][3] = { { 1e300, 1, -1 }, { 1, -1, 1e300 }, { -1, 1e300, 1 } };
    for (int i = 0; i < 3; i++) /* clamped to the bounds, each by itself */
        assert_true(sum_of(saturated[i], 3, "-1000:1000", 0) == 1000);
}

/* --- what is not a number ------------------------------------------------------------------------ */

static void an_empty_table_has_a_mean(void **state)
{
    attack a;
    (void)state;
    attack_open(&a, "", "0:10");
    assert_true(attack_exact(&a, "SELECT AVG(value) FROM visits") == 5);
    transcript t =
        attack_ask(&a, "SELECT AVG(value), VARIANCE(value), MEDIAN(value), MAX(value) FROM visits");
    assert_int_equal(t.status, DUSK_OK);
    for (size_t c = 0; c < 4; c++) assert_true(isfinite(dusk_result_cell(t.result, 0, c)->number));
    transcript_clear(&t);
    attack_close(&a);
}

static void what_is_no_number_passes_nothing_on(void **state)
{
    static const char *const odd[] = { "nan", "inf", "-inf", "-0.0", "5e-324", "1e400", "", "0x1p3", "abc" };
    attack a;
    transcript plain, t;
    const char *sql =
        "SELECT SUM(value), AVG(value), VARIANCE(value), MEDIAN(value), COUNT(value) FROM visits";
    (void)state;
    attack_open(&a, "1,1,x\n2,2,x\n", "0:10");
    plain = attack_ask(&a, sql);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        attack other;
        char rows[100];
        snprintf(rows, sizeof rows, "1,1,x\n3,%s,x\n2,2,x\n", odd[i]);
        attack_open(&other, rows, "0:10");
        t = attack_ask(&other, sql);
        transcripts_alike(&plain, &t);
        transcript_clear(&t);
        double sum = attack_exact(&other, "SELECT SUM(value) AS s FROM visits");
        assert_true(sum >= 2.999 && sum <= 13.001);
        attack_close(&other);
    }
    transcript_clear(&plain);
    attack_close(&a);
}

static void who_is_nobody_counts_for_nothing(void **state)
{
    attack a;
    (void)state;
    attack_open(&a, ",1,x\n,1,x\n,1,y\n,1,\nabc,1,x\n,1,x\n,1,x\n,1,x\n,1,x\n1,1,\n", "0:10");
    a.options.rows_per_group = 100;
    assert_true(attack_exact(&a, "SELECT COUNT(*) FROM visits") == 1);
    assert_true(attack_exact(&a, "SELECT COUNT(DISTINCT person) FROM visits") == 1);
    assert_true(attack_exact(&a, "SELECT COUNT(kind) AS n FROM visits") <= 1);
    attack_close(&a);
}

/* --- errors ---------------------------------------------------------------------------------------- */

static void errors_do_not_tell_of_rows(void **state)
{
    static const char *const queries[] = {
        "SELECT COUNT(*) FROM visits WHERE 1 / (value - 123456) > 0",
        "SELECT SUM(CASE WHEN kind = 'X' THEN GREATEST(LEAST(ln(0), 1), 0) ELSE 1 END) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE sqrt(value - 123457) > 1",
        "SELECT COUNT(*) FROM visits WHERE ln(value - 123456) > 1",
        "SELECT COUNT(*) FROM visits WHERE CAST(kind AS integer) = 1",
        "SELECT COUNT(*) FROM visits WHERE CAST(kind AS date) > DATE '2020-01-01'",
        "SELECT COUNT(*) FROM visits WHERE power(value, 1000) > 1",
        "SELECT COUNT(*) FROM visits WHERE exp(value) > 1",
        "SELECT COUNT(*) FROM visits WHERE CAST(value * 1e300 AS integer) > 1",
        "SELECT COUNT(*) FROM visits WHERE value * value * value * value * 1e300 > 1",
        "SELECT COUNT(*) FROM visits WHERE mod(CAST(value AS integer), CAST(value - 123456 AS integer)) = 1",
        "SELECT COUNT(*) FROM visits WHERE substring(kind, 1, 1) = 'X' AND CAST(kind AS boolean)",
    };
    attack with, without;
    (void)state;
    attack_open(&with, "1,1,a\n2,123456,X\n3,2,b\n", "0:10");
    attack_open(&without, "1,1,a\n3,2,b\n", "0:10");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        transcript a = attack_ask(&with, queries[i]), b = attack_ask(&without, queries[i]);
        if (a.status != DUSK_OK) fail_msg("%s: %s", queries[i], a.err.message);
        transcripts_alike(&a, &b);
        transcript_clear(&a);
        transcript_clear(&b);
    }
    attack_close(&with);
    attack_close(&without);
}

static void nothing_but_questions_is_understood(void **state)
{
    static const char *const queries[] = {
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT COUNT(*) FROM read_csv('/etc/passwd')",
        "SELECT COUNT(*) FROM '/etc/passwd'",
        "SELECT COUNT(*) FROM visits WHERE pg_read_file('/etc/passwd') = kind",
        "SELECT load_extension('x'), COUNT(*) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE kind = readfile('/etc/passwd')",
        "COPY visits TO '/tmp/x'",
        "ATTACH 'x.db' AS x",
        "INSTALL httpfs",
        "PRAGMA table_info(visits)",
        "DELETE FROM visits",
        "SELECT COUNT(*) FROM visits; SELECT 1",
        "SELECT COUNT(*) INTO x FROM visits",
        "SELECT value FROM visits",
        "SELECT COUNT(*) FROM sqlite_master",
        "SELECT COUNT(*) FROM information_schema.tables",
        "SELECT COUNT(*), random() FROM visits",
        "SELECT error('x'), COUNT(*) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE kind ~ '(a+)+$'",
    };
    attack a;
    (void)state;
    attack_open(&a, "1,1,a\n", "0:10");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        transcript t = attack_ask(&a, queries[i]);
        if (t.status != DUSK_ERR_PARSE && t.status != DUSK_ERR_UNSUPPORTED)
            fail_msg("%s: %s %s", queries[i], dusk_status_name(t.status), t.err.message);
        assert_true(t.after.charges == 0 && !t.result && t.err.message[0]);
        transcript_clear(&t);
    }
    attack_close(&a);
}

/* --- what an answer looks like ------------------------------------------------------------------------ */

static void neighbours_look_alike(void **state)
{
    static const char *const queries[] = {
        "SELECT COUNT(*), SUM(value), MEDIAN(value) FROM visits",
        "SELECT kind, COUNT(*), AVG(value) FROM visits GROUP BY kind",
        "SELECT kind, COUNT(*) FROM visits GROUP BY kind ORDER BY kind DESC LIMIT 2",
        "SELECT COUNT(DISTINCT person), STDDEV(value) FROM visits WHERE value > 1",
        "SELECT SUM(price) FROM visits",
        "SELECT SUM(n) FROM (SELECT LEAST(COUNT(*), 5) AS n FROM visits GROUP BY person, kind) AS t",
    };
    attack with, without;
    (void)state;
    attack_open(&with, "1,1,a\n2,3,b\n3,9,c\n3,1,c\n3,,\n3,77,zzz\n", "0:10");
    attack_open(&without, "1,1,a\n2,3,b\n", "0:10");
    attack_declare(&with, "visits.kind", "domain", "a,b,c,d");
    attack_declare(&without, "visits.kind", "domain", "a,b,c,d");
    for (int again = 0; again < 2; again++) /* the second time from the store */
        for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
            transcript a = attack_ask(&with, queries[i]), b = attack_ask(&without, queries[i]);
            transcripts_alike(&a, &b);
            assert_true(a.status != DUSK_OK || a.receipt.cached == (again == 1));
            transcript_clear(&a);
            transcript_clear(&b);
        }
    attack_close(&with);
    attack_close(&without);
}

/* How many rows of an answer have this text in their first column. */
static size_t rows_with(const dusk_result *result, const char *text)
{
    size_t n = 0;
    for (size_t r = 0; r < dusk_result_rows(result); r++) {
        const dusk_cell *cell = dusk_result_cell(result, r, 0);
        n += !cell->null && cell->text && strcmp(cell->text, text) == 0;
    }
    return n;
}

static void public_keys_are_there_and_private_ones_are_not(void **state)
{
    attack a;
    static char rows[TEXT];
    size_t used = 0;
    (void)state;
    for (int i = 0; i < 200; i++)
        used += (size_t)snprintf(rows + used, sizeof rows - used, "%d,1,crowd\n", i + 2);
    snprintf(rows + used, sizeof rows - used, "1,1,alone\n");
    attack_open(&a, rows, "0:10");
    a.options.delta = 1e-6;
    for (int i = 0; i < 60; i++) { /* private */
        char sql[120];
        snprintf(sql, sizeof sql, "SELECT kind, COUNT(*) FROM visits WHERE value < %d GROUP BY kind", i + 2);
        transcript t = attack_ask(&a, sql);
        assert_int_equal(t.status, DUSK_OK);
        assert_true(rows_with(t.result, "alone") == 0 && rows_with(t.result, "crowd") == 1);
        transcript_clear(&t);
    }
    attack_declare(&a, "visits.kind", "domain", "nobody,crowd,alone");
    transcript t = attack_ask(&a, "SELECT kind, COUNT(*) FROM visits GROUP BY kind");
    assert_int_equal(t.status, DUSK_OK);
    assert_int_equal(dusk_result_rows(t.result), 4); /* and NULL */
    assert_string_equal(dusk_result_cell(t.result, 0, 0)->text, "nobody");
    assert_true(rows_with(t.result, "crowd") == 1 && rows_with(t.result, "alone") == 1);
    transcript_clear(&t);
    attack_close(&a);
}

static void one_person_is_in_as_many_groups_as_allowed(void **state)
{
    attack a;
    static char rows[TEXT];
    size_t used = 0;
    (void)state;
    for (int i = 0; i < 1000; i++) used += (size_t)snprintf(rows + used, sizeof rows - used, "1,1,k%d\n", i);
    attack_open(&a, rows, "0:10");
    a.options.delta = 1e-6;
    for (uint32_t groups = 1; groups <= 4; groups *= 4) {
        a.options.groups_per_unit = groups;
        query_release_without_noise(true);
        transcript t = attack_ask(&a, "SELECT kind, COUNT(*) FROM visits GROUP BY kind");
        query_release_without_noise(false);
        assert_int_equal(t.status, DUSK_OK);
        assert_int_equal(dusk_result_rows(t.result), groups);
        transcript_clear(&t);
    }
    attack_close(&a);
}

static void bounds_are_needed_and_kept(void **state)
{
    attack a;
    (void)state;
    attack_open(&a, "1,1000000000,a\n2,-5,a\n3,7,a\n", NULL);
    transcript t = attack_ask(&a, "SELECT SUM(value) FROM visits");
    assert_true(t.status == DUSK_ERR_UNSUPPORTED && strstr(t.err.message, "bounds") && t.err.hint[0]);
    assert_true(t.after.charges == 0);
    transcript_clear(&t);
    attack_declare(&a, "visits.value", "bounds", "0:500");
    a.options.epsilon = 100;
    assert_true(fabs(attack_exact(&a, "SELECT SUM(value) FROM visits") - 507) < 1e-6);
    assert_true(fabs(attack_exact(&a, "SELECT AVG(value) FROM visits") - 169) < 1e-6);
    assert_true(attack_exact(&a, "SELECT MAX(value) FROM visits") == 500);
    attack_close(&a);
}

static void how_many_rows_there_are_is_private(void **state)
{
    static char rows[TEXT];
    attack few, many;
    size_t used = 0;
    (void)state;
    for (int i = 0; i < 3000; i++)
        used += (size_t)snprintf(rows + used, sizeof rows - used, "%d,%d,a\n", i, i % 10);
    attack_open(&few, "1,1,a\n", "0:10");
    attack_open(&many, rows, "0:10");
    for (int i = 0; i < 2; i++) {
        const char *sql = i ? "SELECT AVG(value), VARIANCE(value), MEDIAN(value) FROM visits"
                            : "SELECT COUNT(*), SUM(value) FROM visits";
        transcript a = attack_ask(&few, sql), b = attack_ask(&many, sql);
        transcripts_alike(&a, &b);
        transcript_clear(&a);
        transcript_clear(&b);
    }
    attack_close(&few);
    attack_close(&many);
}

/* --- repetition and fan-out ---------------------------------------------------------------------------- */

static void asking_again_gives_nothing_new(void **state)
{
    attack a;
    double first = NAN;
    (void)state;
    attack_open(&a, "1,1,a\n2,2,b\n", "0:10");
    for (int i = 0; i < 1000; i++) {
        transcript t = attack_ask(&a, i % 2 ? "select count(*)  as n from visits v where v.value>1"
                                            : "SELECT COUNT(*) AS n FROM visits WHERE value > 1");
        assert_int_equal(t.status, DUSK_OK);
        double number = dusk_result_cell(t.result, 0, 0)->number;
        if (i == 0) first = number;
        assert_true(number == first && t.after.charges == 1 && t.receipt.charged == (i == 0));
        transcript_clear(&t);
    }
    attack_close(&a);
}

/* To the analyst who did not pay for it a stored answer is not free, and it is not forced on one who cannot. */
static void stored_answers_cost_others(void **state)
{
    static const char count[] = "SELECT COUNT(*) FROM visits";
    attack a;
    transcript t;
    (void)state;
    attack_open(&a, "1,1,a\n2,3,b\n", "0:10");
    OK(dusk_ledger_grant(dusk_source_ledger(a.source), "dan", (dusk_budget){ 2.5, 0 }, &err));
    OK(dusk_ledger_grant(dusk_source_ledger(a.source), "eve", (dusk_budget){ 0.7, 0 }, &err));
    t = attack_ask(&a, count);
    assert_true(t.status == DUSK_OK && t.receipt.charged && !t.receipt.shared);
    transcript_clear(&t);
    a.options.analyst = "dan";
    for (int again = 0; again < 2; again++) {
        t = attack_ask(&a, count);
        assert_true(t.status == DUSK_OK && t.receipt.cached && !t.receipt.charged);
        assert_true(t.receipt.shared == (again == 0) && t.receipt.analyst.spent.epsilon == 1);
        transcript_clear(&t);
        a.options.epsilon = 0.5; /* what he has paid for he is given for less, too */
    }
    /* She pays what she asks for, and not what the stored answer cost. */
    a.options.analyst = "eve";
    t = attack_ask(&a, count);
    assert_true(t.status == DUSK_OK && t.receipt.charged && t.receipt.analyst.spent.epsilon == 0.5);
    transcript_clear(&t);
    t = attack_ask(&a, "SELECT COUNT(*) AS n FROM visits");
    assert_int_equal(t.status, DUSK_ERR_BUDGET);
    transcript_clear(&t);
    attack_close(&a);
}

static void a_join_multiplies_nobody(void **state)
{
    enum { SIZES = 100000 };
    char *sizes = malloc(SIZES * 8);
    size_t used = 0;
    attack a;
    (void)state;
    assert_non_null(sizes);
    for (int i = 0; i < SIZES; i++) used += (size_t)snprintf(sizes + used, 8, "%d\n", i);
    attack_open_with(&a, "1,10,a\n", "0:10", sizes);
    free(sizes);
    a.options.rows_per_group = 3;
    a.options.epsilon = 100;
    assert_true(attack_exact(&a, "SELECT COUNT(*) FROM visits JOIN sizes ON size >= value - 10") == 3);
    double sum = attack_exact(&a, "SELECT SUM(value) FROM visits, sizes");
    assert_true(fabs(sum - 30) < 1e-6);
    attack_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_and_order_do_not_move_a_sum),
        cmocka_unit_test(one_row_moves_a_sum_by_itself),
        cmocka_unit_test(sums_do_not_wrap_or_saturate),
        cmocka_unit_test(an_empty_table_has_a_mean),
        cmocka_unit_test(what_is_no_number_passes_nothing_on),
        cmocka_unit_test(who_is_nobody_counts_for_nothing),
        cmocka_unit_test(errors_do_not_tell_of_rows),
        cmocka_unit_test(nothing_but_questions_is_understood),
        cmocka_unit_test(neighbours_look_alike),
        cmocka_unit_test(public_keys_are_there_and_private_ones_are_not),
        cmocka_unit_test(one_person_is_in_as_many_groups_as_allowed),
        cmocka_unit_test(bounds_are_needed_and_kept),
        cmocka_unit_test(how_many_rows_there_are_is_private),
        cmocka_unit_test(asking_again_gives_nothing_new),
        cmocka_unit_test(stored_answers_cost_others),
        cmocka_unit_test(a_join_multiplies_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
