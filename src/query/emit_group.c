/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates below the release, of the rows of one unit, as SQL text. Sums are of doubles, also
 * those of whole numbers, so that none overflows; values beyond 1e290 (PostgreSQL: 1e100) are left
 * out of sums and means, as if they were NULL. */
#include <stdio.h>
#include <string.h>

#include "query/emit.h"

/* A template around another: $1 of the outer one is the inner one. */
static void around(char *out, size_t size, const char *outer, const char *inner)
{
    const char *at = strstr(outer, "$1");
    snprintf(out, size, "%.*s%s%s", at ? (int)(at - outer) : 0, outer, inner, at ? at + 2 : "");
}

static void put_number(emitter *em, const char *text, const query_expression *e, dusk_type type)
{
    char whole[1024];
    emit_form form = em->dialect->trimmed ? EMIT_TRIMMED : EMIT_NUMBER;
    if (type == DUSK_TYPE_INTEGER) {
        around(whole, sizeof whole, em->dialect->integer_of_number, text);
        text = whole;
    }
    emit_one(em, text, e, form);
}

void emit_aggregate(emitter *em, const query_relation *group, size_t i)
{
    const query_expression *e = group->expression[i];
    query_inner inner = group->inner[i - group->keys];
    const emit_dialect *d = em->dialect;
    if (!e) {
        if (inner == QUERY_INNER_COUNT)
            dusk_buffer_add(em->out, "COUNT(*)");
        else
            emit_fail(em, DUSK_ERR_INTERNAL, "an aggregate has no argument", "");
        return;
    }
    switch (inner) {
    case QUERY_INNER_COUNT: emit_one(em, "COUNT($1)", e, EMIT_NATIVE); break;
    case QUERY_INNER_COUNT_DISTINCT: emit_one(em, "COUNT(DISTINCT $1)", e, EMIT_NATIVE); break;
    case QUERY_INNER_SUM: put_number(em, d->sum, e, group->column[i].type); break;
    case QUERY_INNER_AVG: put_number(em, d->average, e, DUSK_TYPE_REAL); break;
    case QUERY_INNER_MIN: emit_one(em, d->least_of[e->type], e, EMIT_NATIVE); break;
    case QUERY_INNER_MAX: emit_one(em, d->greatest_of[e->type], e, EMIT_NATIVE); break;
    }
}
