/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a source to learn from: fields by declared facts, at most so many rows of a unit, and neighbours: without a unit
 * all others' rows are the same, in the same order. */
#include <math.h>

#include "dusk/learn.h"
#include "failing_memory.h"
#include "query_world.h"
#include "seeded.h"

static const world_options usual = { .seed = 5, .customers = 12, .orders = 40, .items = 60 };

static dusk_frame *frame_of(const world *w, const char *sql, uint32_t rows_per_unit, uint64_t seed)
{
    world_source s;
    dusk_query_options o;
    dusk_generator *gen = seeded(seed);
    dusk_frame *frame;
    world_open(&s, w);
    dusk_query_options_init(&o);
    o.rows_per_unit = rows_per_unit;
    OK(dusk_query_frame(s.source, &frame, sql, &o, gen, &err));
    world_close(&s);
    dusk_generator_free(gen);
    return frame;
}

static bool same_row(const dusk_frame *a, size_t i, const dusk_frame *b, size_t j)
{
    for (size_t c = 0; c < a->fields->count; c++) {
        const dusk_frame_column *x = &a->column[c], *y = &b->column[c];
        if (x->number && memcmp(&x->number[i], &y->number[j], sizeof(double)) != 0) return false;
        if (x->code && x->code[i] != y->code[j]) return false;
    }
    return true;
}

static const char *const selects[] = {
    "SELECT age, region, vip FROM customer",
    "SELECT amount, status FROM orders WHERE amount > 20",
    "SELECT o.amount, c.age, c.region, o.amount * 2 + c.age AS mix FROM orders o JOIN customer c ON "
    "o.customer = c.id",
    "SELECT i.quantity, i.price FROM item i JOIN product p ON i.product = p.id",
    "SELECT CASE WHEN amount > 100 THEN 'much' ELSE 'little' END AS size FROM orders UNION ALL "
    "SELECT CASE WHEN age > 50 THEN 'much' ELSE 'little' END FROM customer",
};
enum { SELECTS = sizeof selects / sizeof *selects };

/* frame(D) is frame(D without u) with the rows of frame(D of u) among them, in one piece or none. */
static void check_unit(const world *w, const dusk_frame *all, const char *unit, const char *sql,
                       uint32_t most)
{
    static world own, others;
    size_t i = 0, j = 0;
    world_part(&own, w, unit, false);
    world_part(&others, w, unit, true);
    dusk_frame *mine = frame_of(&own, sql, most, 77), *rest = frame_of(&others, sql, most, 77);
    assert_true(mine->rows <= most);
    assert_int_equal(mine->rows + rest->rows, all->rows);
    while (i < rest->rows && same_row(all, i, rest, i)) i++;
    for (; j < mine->rows; j++)
        if (!same_row(all, i + j, mine, j)) break;
    /* where the unit's first rows are like those that follow them, its piece may begin earlier */
    while (j < mine->rows && i > 0) {
        i--;
        for (j = 0; j < mine->rows; j++)
            if (!same_row(all, i + j, mine, j)) break;
    }
    assert_int_equal(j, mine->rows);
    for (size_t k = 0; k < rest->rows; k++) assert_true(same_row(all, k < i ? k : k + mine->rows, rest, k));
    dusk_frame_free(mine);
    dusk_frame_free(rest);
}

static void neighbours(void **state)
{
    static world w;
    char unit[WORLD_UNITS][WORLD_CELL];
    (void)state;
    world_make(&w, &usual);
    size_t units = world_units(unit, &w);
    for (size_t q = 0; q < SELECTS; q++)
        for (uint32_t most = 1; most <= 3; most += 2) {
            dusk_frame *all = frame_of(&w, selects[q], most, 77);
            assert_true(all->rows > 3);
            for (size_t u = q % 3; u < units; u += 3) check_unit(&w, all, unit[u], selects[q], most);
            dusk_frame_free(all);
        }
}

/* --- fields -------------------------------------------------------------------------------------- */

static dusk_fields *fields_of(dusk_source *source, const char *sql, uint32_t rows_per_unit)
{
    dusk_query_options o;
    dusk_fields *fields;
    dusk_query_options_init(&o);
    o.rows_per_unit = rows_per_unit;
    OK(dusk_query_fields(source, &fields, sql, &o, &err));
    return fields;
}

static void fields(void **state)
{
    static world w;
    world_source s;
    char *text;
    (void)state;
    world_make(&w, &usual);
    world_open(&s, &w);
    dusk_fields *f =
        fields_of(s.source, "SELECT age, region, vip, age / 2 + 1 AS half FROM customer WHERE age >= 20", 7);
    OK(dusk_fields_format(f, &text, &err));
    assert_non_null(strstr(text, "region category north,south,east\n"));
    assert_non_null(strstr(text, "vip category false,true\n"));
    assert_non_null(strstr(text, "unit customer.id\n"));
    assert_non_null(strstr(text, "rows_per_unit 1\n")); /* a unique unit has one row */
    assert_true(f->field[0].lower == 20 && f->field[0].upper == 100);
    assert_true(f->field[3].lower <= 11 && f->field[3].upper >= 51 && f->field[3].upper < 51.01);
    dusk_ledger_free_text(text);
    dusk_fields_free(f);
    f = fields_of(s.source, "SELECT amount FROM orders", 0);
    assert_int_equal(f->rows_per_unit, 1);
    dusk_fields_free(f);
    f = fields_of(s.source, "SELECT amount FROM orders", 9);
    assert_int_equal(f->rows_per_unit, 9);
    dusk_fields_free(f);
    OK(dusk_source_declare(s.source, "orders", "rows_per_unit", "4", &err));
    f = fields_of(s.source, "SELECT amount FROM orders", 0);
    assert_int_equal(f->rows_per_unit, 4);
    dusk_fields_free(f);
    world_close(&s);
}

static void refusals(void **state)
{
    static const struct {
        const char *sql;
        dusk_status status;
    } bad[] = {
        { "SELECT id FROM customer", DUSK_ERR_ARGUMENT },
        { "SELECT age, age FROM customer", DUSK_ERR_ARGUMENT },
        { "SELECT day FROM orders", DUSK_ERR_ARGUMENT },
        { "SELECT kind FROM product", DUSK_ERR_UNSUPPORTED },
        { "SELECT age FROM customer ORDER BY age", DUSK_ERR_UNSUPPORTED },
        { "SELECT age FROM customer LIMIT 3", DUSK_ERR_UNSUPPORTED },
        { "SELECT avg(age) FROM customer", DUSK_ERR_UNSUPPORTED },
        { "SELECT c.age FROM customer c, customer d", DUSK_ERR_UNSUPPORTED },
        { "SELECT absent FROM customer", DUSK_ERR_UNSUPPORTED },
        { "DELETE FROM customer", DUSK_ERR_UNSUPPORTED },
        { "SELECT age FROM", DUSK_ERR_PARSE },
    };
    static world w;
    world_source s;
    dusk_query_options o, never = { .size = 0 };
    dusk_generator *gen = seeded(1);
    dusk_frame *frame;
    dusk_fields *f;
    (void)state;
    world_make(&w, &usual);
    world_open(&s, &w);
    dusk_query_options_init(&o);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dusk_error err = { .message = "" };
        dusk_status status = dusk_query_frame(s.source, &frame, bad[i].sql, &o, gen, &err);
        if (status == DUSK_OK || (status != bad[i].status && bad[i].status != DUSK_ERR_UNSUPPORTED))
            fail_msg("%s: %s", bad[i].sql, err.message);
        assert_true(!frame && *err.message);
        assert_int_equal(dusk_query_fields(s.source, &f, bad[i].sql, &o, NULL), status);
        assert_null(f);
    }
    FAILS(DUSK_ERR_ARGUMENT, dusk_query_frame(s.source, &frame, selects[0], &never, gen, &err));
    for (long n = 1;; n++) {
        dusk_error err;
        dusk_memory_fail_at(n);
        dusk_status status = dusk_query_frame(s.source, &frame, selects[1], &o, gen, &err);
        dusk_memory_fail_at(0);
        if (status == DUSK_OK) break;
        assert_true(status == DUSK_ERR_MEMORY && !frame && n < 2000);
    }
    dusk_frame_free(frame);
    world_close(&s);
    dusk_generator_free(gen);
}

/* --- choice ------------------------------------------------------------------------------------------ */

/* Two of five rows stay, each pair about as often as any other; the same coins choose the same rows. */
static void choice(void **state)
{
    static world w;
    world_source s;
    dusk_query_options o;
    size_t seen[5] = { 0 };
    (void)state;
    memset(&w, 0, sizeof w);
    w.table[WORLD_CUSTOMER].rows = 1;
    snprintf(w.table[WORLD_CUSTOMER].cell[0][0], WORLD_CELL, "7");
    for (int i = 0; i < 5; i++) {
        char(*cell)[WORLD_CELL] = w.table[WORLD_ORDERS].cell[w.table[WORLD_ORDERS].rows++];
        snprintf(cell[0], WORLD_CELL, "%d", i);
        snprintf(cell[1], WORLD_CELL, "7");
        snprintf(cell[2], WORLD_CELL, "%d", 10 * i);
    }
    world_open(&s, &w);
    dusk_query_options_init(&o);
    o.rows_per_unit = 2;
    for (uint64_t seed = 0; seed < 500; seed++) {
        dusk_generator *gen = seeded(seed);
        dusk_frame *frame;
        OK(dusk_query_frame(s.source, &frame, "SELECT amount FROM orders", &o, gen, &err));
        assert_int_equal(frame->rows, 2);
        for (size_t i = 0; i < 2; i++) seen[(size_t)frame->column[0].number[i] / 10]++;
        assert_true(frame->column[0].number[0] != frame->column[0].number[1]);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
    for (int i = 0; i < 5; i++) assert_true(seen[i] > 140 && seen[i] < 260); /* 200, deviation 11 */
    world_close(&s);
}

/* What is learned is charged to the source. */
static void training(void **state)
{
    static world w;
    world_source s;
    dusk_query_options o;
    dusk_train_options t;
    dusk_generator *gen = seeded(2);
    dusk_training *prepared;
    dusk_model *model;
    dusk_frame *frame;
    (void)state;
    world_make(&w, &usual);
    world_open(&s, &w);
    dusk_query_options_init(&o);
    o.rows_per_unit = 3;
    dusk_fields *f = fields_of(s.source, selects[2], 3);
    dusk_train_options_init(&t);
    t.label = "amount";
    t.epsilon = 2;
    t.delta = 1e-6;
    t.neighbours = DUSK_ADD_REMOVE;
    OK(dusk_training_prepare(&prepared, "linear", f, &t, &err));
    OK(dusk_query_frame(s.source, &frame, selects[2], &o, gen, &err));
    OK(dusk_training_run_charged(prepared, &model, frame, dusk_source_ledger(s.source), "ann", 1, gen, &err));
    double spent = spending_of(dusk_source_ledger(s.source), "ann").spent.epsilon;
    assert_true(spent > 1.9 && spent <= 2.0000001);
    assert_string_equal(dusk_model_statement(model)->unit, "customer.id");
    dusk_model_free(model);
    dusk_training_free(prepared);
    dusk_frame_free(frame);
    dusk_fields_free(f);
    world_close(&s);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours), cmocka_unit_test(fields),   cmocka_unit_test(refusals),
        cmocka_unit_test(choice),     cmocka_unit_test(training),
    };
    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
