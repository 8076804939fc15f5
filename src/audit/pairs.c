/* SPDX-License-Identifier: Apache-2.0 */
/* Standard pairs of inputs [Ding et al. 2018, "Detecting violations of differential
 * privacy", table 3]: the first input has ones, the second differs from it by at most 1 in
 * each number or in one of them. "Half" is the worst for most forms of the sparse vector
 * technique. */
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "dusk/audit_mechanisms.h"

/* Inputs and names of one pair stand behind its row of the list. */
enum { NAME = 40 };
typedef struct pairs {
    dusk_input_pairs said; /* first: what the caller sees */
    dusk_input_pair *list;
    double *numbers;
    char (*names)[NAME];
} pairs;

/* The number at place i of the two inputs of a pattern. */
typedef void pattern(double *a, double *b, size_t i, size_t n);

static void one_above(double *a, double *b, size_t i, size_t n) { (void)n, *a = 1, *b = i == 0 ? 2 : 1; }
static void one_below(double *a, double *b, size_t i, size_t n) { (void)n, *a = 1, *b = i == 0 ? 0 : 1; }
static void one_above_rest_below(double *a, double *b, size_t i, size_t n)
{
    (void)n, *a = 1, *b = i == 0 ? 2 : 0;
}
static void one_below_rest_above(double *a, double *b, size_t i, size_t n)
{
    (void)n, *a = 1, *b = i == 0 ? 0 : 2;
}
static void half_half(double *a, double *b, size_t i, size_t n) { *a = 1, *b = i < n / 2 ? 0 : 2; }
static void half(double *a, double *b, size_t i, size_t n) { *a = 1, *b = i < (n + 1) / 2 ? 2 : 0; }
static void all_above_all_below(double *a, double *b, size_t i, size_t n)
{
    (void)i, (void)n, *a = 1, *b = 2;
}
static void all_above(double *a, double *b, size_t i, size_t n) { (void)i, (void)n, *a = 0, *b = 1; }
static void all_below(double *a, double *b, size_t i, size_t n) { (void)i, (void)n, *a = 1, *b = 0; }
static void x_shape(double *a, double *b, size_t i, size_t n)
{
    bool first = i < (n + 1) / 2;
    *a = first ? 1 : 0, *b = first ? 0 : 1;
}
static void one_alone(double *a, double *b, size_t i, size_t n) { (void)n, *a = i == 0 ? 1 : 0, *b = 0; }
static void last_alone(double *a, double *b, size_t i, size_t n) { *a = i == n - 1 ? 1 : 0, *b = 0; }
static void last_above(double *a, double *b, size_t i, size_t n) { *a = 1, *b = i == n - 1 ? 2 : 1; }

typedef struct row {
    const char *name;
    pattern *make;
    bool one_moves; /* at most one number differs */
} row;

static const row rows[] = {
    { "one above", one_above, true },
    { "one below", one_below, true },
    { "one alone", one_alone, true },
    { "last above", last_above, true },
    { "last alone", last_alone, true },
    { "one above, rest below", one_above_rest_below, false },
    { "one below, rest above", one_below_rest_above, false },
    { "half below, half above", half_half, false },
    { "half above, half below", half, false },
    { "all above", all_above_all_below, false },
    { "all from zero", all_above, false },
    { "all below", all_below, false },
    { "x shape", x_shape, false },
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Whether a pattern says nothing new for inputs of length 1: those differ by one up or one
 * down. */
static bool repeats(const row *r, size_t length) { return length == 1 && r > &rows[2]; }

dusk_status dusk_input_pairs_new(dusk_input_pairs **out, size_t length, dusk_distance distance,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    pairs *p = NULL;
    *out = NULL;
    if (length == 0 || length > (size_t)1 << 20)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "inputs must have between 1 and 2^20 numbers");
    if (distance != DUSK_ONE_MOVES && distance != DUSK_ALL_MOVE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "DUSK_ONE_MOVES or DUSK_ALL_MOVE",
                         "no such distance between neighbours");
    DUSK_NEW(p, 1);
    DUSK_NEW(p->list, ROWS);
    DUSK_NEW(p->numbers, 2 * length * ROWS);
    DUSK_NEW(p->names, ROWS);
    size_t count = 0;
    for (const row *r = rows; r < rows + ROWS; r++) {
        if ((distance == DUSK_ONE_MOVES && !r->one_moves) || repeats(r, length)) continue;
        double *a = p->numbers + 2 * length * count, *b = a + length;
        for (size_t i = 0; i < length; i++) r->make(&a[i], &b[i], i, length);
        snprintf(p->names[count], NAME, "%s", r->name);
        p->list[count] = (dusk_input_pair){ { a, b }, p->names[count] };
        count++;
    }
    p->said = (dusk_input_pairs){ p->list, count };
    *out = &p->said;
    p = NULL;
done:
    if (p) dusk_input_pairs_free(&p->said);
    return status;
}

void dusk_input_pairs_free(dusk_input_pairs *said)
{
    pairs *p = (pairs *)said; /* its first member */
    if (!p) return;
    dusk_deallocate(p->list);
    dusk_deallocate(p->numbers);
    dusk_deallocate(p->names);
    dusk_deallocate(p);
}
