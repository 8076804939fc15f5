/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates below the release, of the rows of one unit, as SQL text. Sums are of doubles, also
 * those of whole numbers, so that none overflows; values beyond 1e290 (PostgreSQL: 1e100) are left
 * out of sums and means, as if they were NULL. */
#include <string.h>

#include "query/emit.h"

/* An aggregate of doubles. Its operand is guarded inside of it: what is bound to a name outside of an
 * aggregate is no row of the group. */
static void put_number(emitter *em, emit_list aggregate, const query_expression *e, dusk_type type)
{
    emit_form form = em->dialect->trimmed ? EMIT_TRIMMED : EMIT_NUMBER;
    const char *around = type == DUSK_TYPE_INTEGER ? em->dialect->integer_of_number : "$1";
    const char *at = strstr(around, "$1");
    dusk_buffer_add(em->out, "%.*s%s", (int)(at - around), around, aggregate.open);
    if (em->dialect->summand)
        emit_one(em, em->dialect->summand, e, form);
    else
        emit_expression(em, e, form);
    dusk_buffer_add(em->out, "%s%s", aggregate.close, at + 2);
}

/* Of a value in its own type. */
static void put_plain(emitter *em, const char *text, const query_expression *e)
{
    const char *at = strstr(text, "$1");
    dusk_buffer_add(em->out, "%.*s", (int)(at - text), text);
    emit_expression(em, e, EMIT_NATIVE);
    dusk_buffer_add(em->out, "%s", at + 2);
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
    case QUERY_INNER_COUNT: put_plain(em, "COUNT($1)", e); break;
    case QUERY_INNER_COUNT_DISTINCT: put_plain(em, "COUNT(DISTINCT $1)", e); break;
    case QUERY_INNER_SUM: put_number(em, d->sum, e, group->column[i].type); break;
    case QUERY_INNER_AVG: put_number(em, d->average, e, DUSK_TYPE_REAL); break;
    case QUERY_INNER_MIN: put_plain(em, d->least_of[e->type], e); break;
    case QUERY_INNER_MAX: put_plain(em, d->greatest_of[e->type], e); break;
    }
}
