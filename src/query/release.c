/* SPDX-License-Identifier: Apache-2.0 */
/* The released table: noisy numbers (release_draw.c) as rows of keys and measures, and what the analyst makes of
 * them. HAVING keeps rows where it is true; ORDER BY breaks ties by the order of the rows, which is
 * that of the keys; then OFFSET and LIMIT. All of it is a function of what was released. */
#include "query/release.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "query/evaluate.h"
#include "query/release_draw.h"
#include "query/result.h"

enum { BATCH = 256 }; /* rows after which memory for intermediate cells is given back */

/* --- a row ------------------------------------------------------------------------------------------ */

static void key_cell(dusk_cell *out, const query_value *value, dusk_type type)
{
    *out = (dusk_cell){ .type = type, .exact = true };
    if (value->null || (type == DUSK_TYPE_REAL && isnan(value->real)))
        query_set_null(out);
    else if (query_type_is_text(type))
        out->text = value->text;
    else if (type == DUSK_TYPE_REAL)
        out->number = out->low = out->high = value->real;
    else
        query_set_integer(out, value->integer);
}

/* Keys, then measures. */
static void make_row(dusk_cell *out, const query_terms *terms, const query_released *released,
                     const bounded *groups, size_t i)
{
    const query_plan *plan = terms->plan;
    const query_value *key = groups->key + released->group[i] * plan->keys;
    for (size_t k = 0; k < plan->keys; k++) key_cell(&out[k], &key[k], plan->input->column[1 + k].type);
    for (size_t m = 0; m < plan->measures; m++)
        query_measure_cell(&out[plan->keys + m], terms, released, m, i);
}

/* --- order -------------------------------------------------------------------------------------------- */

typedef struct ordered_row {
    const query_plan *plan;
    const dusk_cell *by; /* plan->orders of them */
    size_t row;
} ordered_row;

static int compare_by(const dusk_cell *a, const dusk_cell *b, const query_order *order)
{
    if (a->null && b->null) return 0;
    if (a->null || b->null) return a->null == order->nulls_first ? -1 : 1;
    int by = query_compare_cells(a, b);
    return order->descending ? -by : by;
}

static int compare_rows(const void *a, const void *b)
{
    const ordered_row *x = a, *y = b;
    for (size_t i = 0; i < x->plan->orders; i++) {
        int order = compare_by(&x->by[i], &y->by[i], &x->plan->order[i]);
        if (order) return order;
    }
    return (x->row > y->row) - (x->row < y->row);
}

/* The rows from offset to limit, in their order, out of `all`, whose last columns are what to order by. */
static dusk_status arrange(dusk_result *out, const dusk_result *all, const query_plan *plan, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    ordered_row *rows = NULL;
    DUSK_NEW(rows, all->rows);
    for (size_t i = 0; i < all->rows; i++)
        rows[i] = (ordered_row){ plan, all->cell + i * all->columns + plan->outputs, i };
    if (plan->orders > 0 && all->rows > 1) qsort(rows, all->rows, sizeof *rows, compare_rows);
    for (size_t i = 0; i < all->rows; i++) {
        if (i < plan->offset || i - plan->offset >= plan->limit) continue;
        DUSK_TRY(query_result_add(out, all->cell + rows[i].row * all->columns, err));
    }
done:
    dusk_deallocate(rows);
    return status;
}

/* --- all rows ------------------------------------------------------------------------------------------ */

/* Outputs and what to order by, where HAVING is true. */
static dusk_status add_row(dusk_result *all, dusk_cell *made, const query_plan *plan, const dusk_cell *cells,
                           query_arena *arena, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (plan->having) {
        DUSK_TRY(query_evaluate(&made[0], plan->having, cells, arena, err));
        if (made[0].null || made[0].number == 0) return DUSK_OK;
    }
    for (size_t i = 0; i < plan->outputs; i++)
        DUSK_TRY(query_evaluate(&made[i], plan->output[i].expression, cells, arena, err));
    for (size_t i = 0; i < plan->orders; i++)
        DUSK_TRY(query_evaluate(&made[plan->outputs + i], plan->order[i].expression, cells, arena, err));
    DUSK_TRY(query_result_add(all, made, err));
done:
    return status;
}

static dusk_status add_rows(dusk_result *all, const query_terms *terms, const query_released *released,
                            const bounded *groups, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const query_plan *plan = terms->plan;
    query_arena *arena = NULL;
    dusk_cell *cells = NULL, *made = NULL;
    DUSK_NEW(cells, plan->keys + plan->measures);
    DUSK_NEW(made, plan->outputs + plan->orders + 1);
    for (size_t i = 0; i < released->groups; i++) {
        if (i % BATCH == 0) {
            query_arena_free(arena);
            arena = NULL;
            DUSK_TRY(query_arena_new(&arena, err));
        }
        make_row(cells, terms, released, groups, i);
        DUSK_TRY(add_row(all, made, plan, cells, arena, err));
    }
done:
    query_arena_free(arena);
    dusk_deallocate(cells);
    dusk_deallocate(made);
    return status;
}

dusk_status query_release(dusk_result **out, const query_plan *plan, const query_terms *terms,
                          const bounded *groups, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    query_released released = { 0 };
    dusk_result *all = NULL, *result = NULL;

    *out = NULL;
    DUSK_TRY(query_draw(&released, terms, groups, gen, err));
    DUSK_TRY(query_result_new(&all, plan->outputs + plan->orders, err));
    DUSK_TRY(add_rows(all, terms, &released, groups, err));
    DUSK_TRY(query_result_new(&result, plan->outputs, err));
    for (size_t i = 0; i < plan->outputs; i++)
        DUSK_TRY(query_result_set_name(result, i, plan->output[i].name, err));
    DUSK_TRY(arrange(result, all, plan, err));
    *out = result;
    result = NULL;
done:
    query_released_clear(&released, terms->primitives);
    dusk_result_free(all);
    dusk_result_free(result);
    return status;
}
