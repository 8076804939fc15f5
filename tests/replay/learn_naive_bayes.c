/* SPDX-License-Identifier: Apache-2.0 */
/* Naive Bayes with numbers in bins and by moments on neighbouring tables: what a row adds is within what noise is for, in both
 * norms, and the model follows from what was released. The row that differs is at the ends of all bounds. */
#include "cluster_frames.h"

#include "replay.h"

enum { ROWS = 40 };

static const char *const texts[] = {
    "a numeric 0:1\nb numeric -1:0\nc category p,q\ny category u,v,w\n",
    "x[40] numeric 5:6\ny category u,v\nrows_per_unit 2\n",
};

static void put_at_an_end(dusk_frame *frame, size_t row, uint64_t seed)
{
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_field *f = &frame->fields->field[c];
        if (f->kind == DUSK_FIELD_NUMERIC)
            frame->column[c].number[row] = seed % 3 ? f->upper : seed % 2 ? f->lower : NAN;
        else
            frame->column[c].code[row] = (int32_t)(seed % (f->values + 1)) - (seed % 5 == 4);
    }
}

static void run_pair(const cluster_request *r, uint64_t seed)
{
    size_t unit = seed % 2 ? 2 : 1, rows, columns;
    dusk_model *model[2];
    replay p = replay_open(seed);
    for (size_t side = 0; side < 2; side++) {
        size_t more = r->neighbours == DUSK_REPLACE_ONE || side == 1 ? unit : 0;
        dusk_frame *frame = cluster_frame(texts[seed % 2], ROWS + more, 3, 77);
        for (size_t i = 0; i < more; i++) put_at_an_end(frame, ROWS + i, seed / 2 + 7 * side);
        model[side] = cluster_run(r, frame, p.gen[side]);
        dusk_frame_free(frame);
    }
    const double *x = dusk_model_array(model[0], "chances", &rows, &columns);
    replay_same(x, dusk_model_array(model[1], "chances", &rows, &columns), rows * columns);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    replay_close(&p, (replay_declared){ .epsilon = r->epsilon, .delta = r->delta });
}

static void test_bayes(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 64; k++) {
        cluster_request r = { "naive_bayes",
                              .settings = { k & 8 ? "numbers=normal" : "numbers=bins" },
                              .label = "y",
                              .epsilon = 0.8,
                              .delta = k & 4 ? 1e-6 : 0,
                              .neighbours = k & 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE };
        run_pair(&r, k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_bayes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
