/* SPDX-License-Identifier: Apache-2.0 */
/* Clustering with every method on neighbouring tables (all learners with their defaults: learners.c): the inputs of every
 * release are within what it declares, and all that a model holds follows from what was released. The row that differs is at
 * the edge of the bounds, far from all centres; the others are in clusters, so that radii are short. */
#include "cluster_frames.h"

#include "replay_models.h"

enum { ROWS = 300 };

static const char *const texts[] = { "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\n",
                                     "a numeric 0:1\nb numeric -1:0\nrows_per_unit 2\n" };

static void put_at_an_end(dusk_frame *frame, size_t row, size_t corner)
{
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_field *f = &frame->fields->field[c];
        if (f->kind == DUSK_FIELD_NUMERIC)
            frame->column[c].number[row] = corner == 7 ? NAN : corner >> c & 1 ? f->upper : f->lower;
    }
}

static void run_pair(const cluster_request *r, size_t rows, uint64_t seed)
{
    size_t unit = seed % 2 ? 2 : 1;
    dusk_model *model[2];
    replay p = replay_open(seed);
    for (size_t side = 0; side < 2; side++) {
        size_t more = r->neighbours == DUSK_REPLACE_ONE || side == 1 ? unit : 0;
        dusk_frame *frame = cluster_frame(texts[seed % 2], rows + more, 3, 77);
        for (size_t i = 0; i < more; i++) put_at_an_end(frame, rows + i, seed / 2 + 5 * side);
        model[side] = cluster_run(r, frame, p.gen[side]);
        dusk_frame_free(frame);
    }
    replay_same_models(model[0], model[1]);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    bool choice = !strcmp(r->settings[1], "method=choice"); /* takes as many coins as scores want */
    replay_close(&p, (replay_declared){ .epsilon = r->epsilon, .delta = r->delta, .coins_vary = choice });
}

static void run_all(const char *method, const char *rounds)
{
    for (uint64_t k = 0; k < 16; k++) {
        cluster_request r = { "kmeans",
                              .settings = { "groups=3", method, rounds },
                              .epsilon = k & 8 ? 50 : 0.8,
                              .delta = k & 4 ? 1e-6 : 0,
                              .neighbours = k & 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE,
                              .rows = k & 1 ? ROWS : 0 };
        run_pair(&r, ROWS, k);
    }
}

static void test_kmeans(void **state)
{
    (void)state;
    run_all("method=grid", "rounds=0");
    run_all("method=grid", "rounds=2");
    run_all("method=hash", "rounds=2");
    run_all("method=lloyd", "rounds=3");
    run_all("method=choice", "rounds=1");
    run_all("method=blocks", "rounds=1");
    run_all("method=sketch", "rounds=1");
}

/* Few rows a block and a fine grid: a row far away moves more than one centre of its block. */
static void test_blocks(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 12; k++) {
        cluster_request r = { "kmeans", .settings = { "groups=3", "method=blocks" }, .epsilon = 400,
                              .rows = 40 };
        run_pair(&r, 40, 2 * k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_kmeans), cmocka_unit_test(test_blocks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
