/* SPDX-License-Identifier: Apache-2.0 */
/* From a source to a model, with and without one unit, on the same coins: what is released of the rows of a query moves by what so many
 * rows of a unit are declared to move, however many the unit has. */
#include "dusk/learn.h"
#include "query_world.h"
#include "replay.h"
#include "seeded.h"

static const char sql[] =
    "SELECT o.amount, o.status, c.age FROM orders o JOIN customer c ON o.customer = c.id";

static char *model_of(const world *w, uint32_t rows_per_unit, double delta, dusk_generator *noise)
{
    world_source s;
    dusk_query_options o;
    dusk_train_options t;
    dusk_generator *coins = seeded(21);
    dusk_training *training;
    dusk_frame *frame;
    dusk_model *model;
    char *text;
    size_t length;
    world_open(&s, w);
    dusk_query_options_init(&o);
    o.rows_per_unit = rows_per_unit;
    OK(dusk_query_frame(s.source, &frame, sql, &o, coins, &err));
    dusk_train_options_init(&t);
    t.label = "amount";
    t.epsilon = 2;
    t.delta = delta;
    t.neighbours = DUSK_ADD_REMOVE;
    OK(dusk_training_prepare(&training, "linear", frame->fields, &t, &err));
    OK(dusk_training_run(training, &model, frame, noise, &err));
    OK(dusk_model_format(model, &text, &length, &err));
    dusk_model_free(model);
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_generator_free(coins);
    world_close(&s);
    return text;
}

static void a_unit_moves_what_is_declared(void **state)
{
    static const world_options usual = { .seed = 4, .customers = 6, .orders = 60, .items = 1 };
    static world w, others;
    char unit[WORLD_UNITS][WORLD_CELL];
    (void)state;
    world_make(&w, &usual);
    size_t units = world_units(unit, &w);
    for (size_t u = 0; u < units && u < 6; u++) {
        replay p = replay_open(u);
        uint32_t rows = 1 + (uint32_t)(u % 3);
        double delta = u % 2 ? 1e-6 : 0;
        world_part(&others, &w, unit[u], true);
        char *text[2] = { model_of(&w, rows, delta, p.gen[0]), model_of(&others, rows, delta, p.gen[1]) };
        assert_string_equal(text[0], text[1]);
        for (int side = 0; side < 2; side++) dusk_ledger_free_text(text[side]);
        replay_close(&p, (replay_declared){ .epsilon = 2, .delta = delta });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_unit_moves_what_is_declared) };
    return cmocka_run_group_tests_name("query_frame", tests, NULL, NULL);
}
