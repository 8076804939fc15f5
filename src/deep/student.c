/* SPDX-License-Identifier: Apache-2.0 */
/* Ordinary training; see student.h. */
#include "deep/student.h"

#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "deep/loss.h"
#include "deep/optimiser.h"
#include "deep/plain.h"
#include "random/sampling.h"

typedef struct lesson {
    deep_pass pass;
    deep_plain plain;
    deep_optimiser optimiser;
    int32_t *code;
    uint64_t *coin; /* of examples, for dropout */
    size_t
        *order; /* of rows that have a label, and copies of them: number `rows` is the first copy of row 0 */
    size_t count, rows;
} lesson;

static void lesson_close(lesson *l)
{
    deep_plain_close(&l->plain);
    deep_pass_close(&l->pass);
    deep_optimiser_close(&l->optimiser);
    dusk_deallocate(l->code);
    dusk_deallocate(l->coin);
    dusk_deallocate(l->order);
}

static dusk_status lesson_open(lesson *l, const deep_student *s, size_t rows, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(deep_pass_open(&l->pass, s->net, s->lot, err));
    DUSK_TRY(deep_plain_open(&l->plain, s->net, err));
    DUSK_TRY(deep_optimiser_open(&l->optimiser, DEEP_ADAM, 0.9, s->net->parameters, err));
    DUSK_NEW(l->code, s->lot);
    DUSK_NEW(l->coin, s->lot);
    DUSK_NEW(l->order, (1 + s->copies) * rows + 1);
    l->rows = rows;
    l->pass.training = true;
    l->pass.coin = l->coin;
done:
    return status;
}

static dusk_status step(lesson *l, const deep_student *s, const float *x, const int32_t *label,
                        const size_t *at, float *parameters, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_pass *pass = &l->pass;
    const size_t size = deep_size(pass->net->in);
    const deep_wanted wanted = { .code = l->code };
    DUSK_TRY(dusk_generator_words(gen, l->coin, pass->examples, 64, err));
    for (size_t i = 0; i < pass->examples; i++) {
        const size_t row = at[i] % l->rows, copy = at[i] / l->rows;
        if (copy == 0)
            memcpy(pass->value[0] + i * size, x + row * size, size * sizeof *x);
        else
            deep_rows_take(&s->copy[copy - 1], row, pass->value[0] + i * size);
        l->code[i] = label[DUSK_MUTATE(PATE_COPIES_CHANGE_CLASS, row, at[i] / (1 + s->copies))];
    }
    pass->parameters = parameters;
    deep_forward(pass);
    deep_loss_slopes(DEEP_SOFTMAX, pass, &wanted);
    deep_backward(pass);
    deep_plain_reset(&l->plain);
    deep_plain_add(&l->plain, pass);
    deep_optimiser_begin(&l->optimiser);
    deep_optimiser_move(&l->optimiser, parameters, l->plain.total, 1 / (double)pass->examples, 0,
                        pass->net->parameters);
done:
    return status;
}

static dusk_status epoch(lesson *l, const deep_student *s, const float *x, const int32_t *label,
                         float *parameters, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t i = l->count; i > 1; i--) {
        uint64_t other;
        DUSK_TRY(dusk_uniform_below(gen, &other, i, err));
        const size_t last = l->order[i - 1];
        l->order[i - 1] = l->order[other];
        l->order[other] = last;
    }
    for (size_t first = 0; first < l->count; first += l->pass.examples) {
        l->pass.examples = l->count - first < l->pass.room ? l->count - first : l->pass.room;
        DUSK_TRY(step(l, s, x, label, l->order + first, parameters, gen, err));
    }
done:
    return status;
}

dusk_status deep_student_train(const deep_student *student, const float *x, const int32_t *label, size_t rows,
                               float *parameters, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    lesson l = { .count = 0 };
    DUSK_TRY(lesson_open(&l, student, rows, err));
    for (size_t i = 0; i < (1 + student->copies) * rows; i++)
        if (label[i % rows] >= 0) l.order[l.count++] = i;
    for (size_t e = 0; e < student->epochs && l.count > 0; e++) {
        l.optimiser.rate = student->rate * (1 - (double)e / (double)student->epochs);
        DUSK_TRY(epoch(&l, student, x, label, parameters, gen, err));
    }
done:
    lesson_close(&l);
    return status;
}
