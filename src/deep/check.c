/* SPDX-License-Identifier: Apache-2.0 */
/* Scores on public rows, in several threads; see check.h. */
#include "deep/check.h"

#include <math.h>

#include "base/memory.h"
#include "deep/threads.h"

typedef struct part {
    deep_pass pass;
    double loss;
    size_t right, known; /* of labels */
} part;

typedef struct check {
    const deep_rows *rows;
    deep_loss loss;
    size_t parts;
    part *part;
} check;

static bool is_right(const deep_real *out, size_t k, int32_t code)
{
    size_t best = 0;
    for (size_t j = 1; j < k; j++)
        if (out[j] > out[best]) best = j;
    return best == (size_t)code;
}

/* Labels of a row that are right, and known. */
static void count_right(part *p, deep_loss loss, const deep_real *out, size_t k, const deep_wanted *wanted,
                        size_t i)
{
    if (loss == DEEP_SOFTMAX) {
        p->right += is_right(out, k, wanted->code[i]);
        p->known++;
    }
    for (size_t j = 0; loss == DEEP_MARKS && j < k; j++) {
        const int8_t mark = wanted->mark[i * k + j];
        p->right += mark >= 0 && (out[j] > 0) == (mark > 0);
        p->known += mark >= 0;
    }
}

/* Its share of the rows. */
static void work(void *context, size_t number)
{
    const check *c = context;
    const deep_rows *rows = c->rows;
    part *p = &c->part[number];
    deep_pass *pass = &p->pass;
    const size_t k = deep_size(pass->net->out), each = rows->rows / c->parts;
    const size_t end = number + 1 < c->parts ? each * (number + 1) : rows->rows;
    for (size_t first = each * number; first < end; first += pass->examples) {
        const deep_wanted wanted = { rows->code ? rows->code + first : NULL,
                                     rows->number ? rows->number + first : NULL,
                                     rows->mark ? rows->mark + first * rows->marks : NULL };
        pass->examples = end - first < pass->room ? end - first : pass->room;
        for (size_t i = 0; i < pass->examples; i++)
            deep_rows_take(rows, first + i, pass->value[0] + i * rows->width);
        deep_forward(pass);
        for (size_t i = 0; i < pass->examples; i++) {
            p->loss += deep_loss_of(c->loss, pass, &wanted, i);
            count_right(p, c->loss, pass->value[pass->net->layers] + i * k, k, &wanted, i);
        }
    }
}

dusk_status deep_check(deep_score *out, const deep_net *net, deep_loss loss, const float *parameters,
                       const deep_rows *rows, size_t threads, size_t room, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    check c = { .rows = rows, .loss = loss };
    double sum = 0, right = 0, known = 0;
    c.parts = threads < DEEP_THREADS_MOST ? threads : DEEP_THREADS_MOST;
    DUSK_NEW(c.part, c.parts);
    for (size_t k = 0; k < c.parts; k++) {
        DUSK_TRY(deep_pass_open(&c.part[k].pass, net, room < DEEP_CHECK_ROOM ? room : DEEP_CHECK_ROOM, err));
        c.part[k].pass.parameters = parameters;
    }
    deep_work(work, &c, c.parts);
    for (size_t k = 0; k < c.parts; k++) {
        sum += c.part[k].loss;
        right += (double)c.part[k].right;
        known += (double)c.part[k].known;
    }
    const double n = (double)rows->rows;
    *out = (deep_score){ sum / n, right / known, loss == DEEP_SQUARED ? sqrt(2 * sum / n) : (double)NAN };
done:
    for (size_t k = 0; c.part && k < c.parts; k++) deep_pass_close(&c.part[k].pass);
    dusk_deallocate(c.part);
    return status;
}
