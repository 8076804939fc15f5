/* SPDX-License-Identifier: Apache-2.0 */
/* Places on devices. Lengths have no end, and what leads to no point is drawn again: so the shipped device runs through every choice of one round, of so many coins, and what comes out of it is compared in fractions. A
 * round that is thrown away leaves nothing behind, so that the law of a report is that of the first round which is not. */
#include <setjmp.h>

#include "dusk/local_places.h"
#include "local/survey.h"
#include "local_law.h"

enum { MORE_COINS = 1, AGAIN = 2 };

static struct {
    law_run run;
    size_t words, words_most; /* calls for coins of a length */
    bool pointed;             /* a way was drawn */
    jmp_buf out;
} round_;

static uint64_t choose(void *context, uint32_t ways, uint64_t p, unsigned lanes)
{
    (void)context;
    if (ways == 0 && round_.pointed) longjmp(round_.out, AGAIN);
    if (ways == 0 && round_.words++ == round_.words_most) longjmp(round_.out, MORE_COINS);
    round_.pointed = ways > 0;
    return law_choose(&round_.run, ways, p, lanes);
}

/* Chances of reports from one round, and those that it ends otherwise. */
typedef struct one_round {
    local_law law;
    mpq_t ended[3]; /* by 0, MORE_COINS, AGAIN */
} one_round;

static void round_of(one_round *out, const dusk_client_task *task, uint64_t value, size_t words)
{
    dusk_entropy none = { NULL, NULL };
    static uint8_t report[LAW_REPORT];
    law_run *run = &round_.run;
    out->law = (local_law){ .bytes = dusk_report_size(task) };
    for (size_t i = 0; i < 3; i++) mpq_init(out->ended[i]);
    mpq_init(run->weight);
    run->length = 0;
    round_.words_most = words;
    dusk_client_script = choose;
    do {
        run->at = round_.words = 0;
        round_.pointed = false;
        mpq_set_ui(run->weight, 1, 1);
        const int ended = setjmp(round_.out);
        if (ended == 0) {
            assert_int_equal(dusk_client_report(task, report, value, &none), DUSK_CLIENT_OK);
            law_add(&out->law, report, run->weight);
            mpq_add(out->ended[0], out->ended[0], run->weight);
        } else {
            mpq_add(out->ended[ended], out->ended[ended], run->weight);
        }
        run->length = run->at;
        while (run->length > 0 && run->choice[run->length - 1] + 1 == run->ways[run->length - 1])
            run->length--;
        if (run->length > 0) run->choice[run->length - 1]++;
    } while (run->length > 0);
    dusk_client_script = NULL;
    mpq_clear(run->weight);
    mpq_t sum;
    mpq_init(sum);
    for (size_t i = 0; i < 3; i++) mpq_add(sum, sum, out->ended[i]);
    assert_int_equal(mpq_cmp_ui(sum, 1, 1), 0);
    mpq_clear(sum);
}

static void round_clear(one_round *r)
{
    law_clear(&r->law);
    for (size_t i = 0; i < 3; i++) mpq_clear(r->ended[i]);
}

/* The least whole number that is no shorter than (x, y). */
static uint64_t length_of(int64_t x, int64_t y)
{
    uint64_t k = 0;
    while (k * k < (uint64_t)(x * x + y * y)) k++;
    return k;
}

/* (1 - alpha)^2 alpha^k / 12: what one round gives to a point of length k. */
static void point_weight(mpq_t out, uint64_t p, uint64_t k)
{
    mpq_set_ui(out, 1, 12);
    law_multiply(out, 0 - p, 1, 0);
    law_multiply(out, 0 - p, 1, 0);
    for (uint64_t i = 0; i < k; i++) law_multiply(out, p, 1, 0);
}

static dusk_survey grid(uint32_t columns, uint32_t rows, uint64_t p)
{
    dusk_survey survey = { .name = "law", .low = 0, .high = 1, .cell = 1 };
    survey.task = (dusk_client_task){
        .mechanism = DUSK_PLANAR, .width = columns, .rows = rows, .domain = columns * rows, .p = p
    };
    assert_int_equal(local_survey_complete(&survey, NULL), DUSK_OK);
    return survey;
}

static void add_point(const dusk_survey *survey, uint64_t value, int64_t x, int64_t y, mpq_t weight,
                      mpq_t *want)
{
    const int64_t c = survey->task.width, r = survey->task.rows;
    int64_t column = (int64_t)(value % (uint64_t)c) + x, row = (int64_t)(value / (uint64_t)c) + y;
    column = column < 0 ? 0 : column < c ? column : c - 1;
    row = row < 0 ? 0 : row < r ? row : r - 1;
    mpq_add(want[row * c + column], want[row * c + column], weight);
}

/* Every point up to the longest length that so many coins can have, cut off at the edges, has its chance, and nothing else has any. */
static void check_round(const dusk_survey *survey, uint64_t value, const one_round *r, int64_t longest)
{
    const size_t cells = survey->task.domain;
    mpq_t *want = calloc(cells, sizeof *want), weight, got;
    uint8_t report[LAW_REPORT] = { 0 };
    assert_non_null(want);
    mpq_inits(weight, got, NULL);
    for (size_t i = 0; i < cells; i++) mpq_init(want[i]);
    for (int64_t x = -longest; x <= longest; x++)
        for (int64_t y = -longest; y <= longest; y++) {
            const uint64_t k = length_of(x, y);
            if (k > (uint64_t)longest) continue;
            point_weight(weight, survey->task.p, k);
            add_point(survey, value, x, y, weight, want);
        }
    for (size_t i = 0; i < cells; i++) {
        client_put(report, i, dusk_report_size(&survey->task));
        law_weight(got, &r->law, report);
        if (mpq_cmp(got, want[i]) != 0)
            fail_msg("of cell %d the report %d has %g, and not %g", (int)value, (int)i, mpq_get_d(got),
                     mpq_get_d(want[i]));
        mpq_clear(want[i]);
    }
    mpq_clears(weight, got, NULL);
    free(want);
}

/* From the middle of a grid that no noise leaves: the law itself. Four coins at once, and eight. */
static void law(void **state)
{
    static const struct {
        uint64_t p;
        size_t words;
        int64_t longest;
    } row[] = { { (uint64_t)1 << 63, 3, 10 },
                { 0x4000000000000001, 2, 6 },
                { 0x0123456789abcdef, 1, 2 },
                { 0xb333333333333333, 1, 6 } };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const dusk_survey survey = grid(21, 21, row[i].p);
        one_round r;
        round_of(&r, &survey.task, 220, row[i].words);
        check_round(&survey, 220, &r, row[i].longest);
        round_clear(&r);
    }
}

/* Small grids, from every cell: reports at edges stand for what is beyond. No report is likelier under one place than under another by more than the survey says for the steps between them, whatever the
 * lengths that were not looked at add. */
static void edges(void **state)
{
    static const uint32_t shape[][2] = { { 3, 2 }, { 2, 4 } };
    mpq_t most, alpha;
    (void)state;
    mpq_inits(most, alpha, NULL);
    for (size_t s = 0; s < 2; s++) {
        const dusk_survey survey = grid(shape[s][0], shape[s][1], s ? 0xb333333333333333 : (uint64_t)1 << 62);
        one_round r[8];
        uint8_t report[LAW_REPORT] = { 0 };
        const int64_t c = survey.task.width;
        mpq_set_ui(alpha, 1, 1);
        law_multiply(alpha, survey.task.p, 1, 0);
        for (uint64_t v = 0; v < survey.task.domain; v++) {
            round_of(&r[v], &survey.task, v, s ? 1 : 2);
            check_round(&survey, v, &r[v], 6);
        }
        for (int64_t v = 0; v < survey.task.domain; v++)
            for (int64_t w = 0; w < survey.task.domain; w++)
                for (uint64_t cell = 0; cell < survey.task.domain; cell++) {
                    mpq_t mine, other;
                    mpq_inits(mine, other, NULL);
                    client_put(report, cell, 1);
                    law_weight(mine, &r[v].law, report);
                    law_weight(other, &r[w].law, report);
                    mpq_add(other, other, r[w].ended[MORE_COINS]);
                    for (uint64_t k = length_of(v % c - w % c, v / c - w / c); k > 0; k--)
                        mpq_mul(mine, mine, alpha);
                    assert_true(mpq_cmp(mine, other) <= 0);
                    mpq_clears(mine, other, NULL);
                }
        for (uint64_t v = 0; v < survey.task.domain; v++) round_clear(&r[v]);
    }
    mpq_clears(most, alpha, NULL);
}

/* Every way of a length: each point has one, and no other point has any. */
static void ways(void **state)
{
    enum { MOST = 90 };
    static uint8_t seen[2 * MOST + 1][2 * MOST + 1];
    (void)state;
    for (uint32_t k = 0; k <= MOST; k++) {
        int64_t x, y;
        memset(seen, 0, sizeof seen);
        for (uint32_t way = 0; way < 12 * (k + 1); way++)
            if (client_point_of(k, way, &x, &y)) {
                assert_true(x >= -(int64_t)k && x <= (int64_t)k && y >= -(int64_t)k && y <= (int64_t)k);
                seen[x + MOST][y + MOST]++;
            }
        for (x = -(int64_t)k; x <= (int64_t)k; x++)
            for (y = -(int64_t)k; y <= (int64_t)k; y++) {
                const uint64_t square = (uint64_t)(x * x + y * y),
                               inner = k ? (uint64_t)(k - 1) * (k - 1) : 0;
                const bool has = square <= (uint64_t)k * k && (k == 0 || square > inner);
                if (seen[x + MOST][y + MOST] != has)
                    fail_msg("length %u: (%d, %d) has %u ways", k, (int)x, (int)y, seen[x + MOST][y + MOST]);
            }
    }
}

/* The longest: nothing runs over, and points have their length. */
static void long_ways(void **state)
{
    static const uint32_t length[] = { 1000, 46341, 65537, 1 << 20, (1 << 24) - 1, (1 << 24) + 64 };
    (void)state;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        const uint64_t k = length[i];
        size_t found = 0;
        for (uint64_t n = 0; n < 4000; n++) {
            int64_t x, y;
            const uint32_t way = (uint32_t)(n * 2654435761u % (12 * (k + 1)));
            if (!client_point_of((uint32_t)k, way, &x, &y)) continue;
            const uint64_t square = (uint64_t)(x * x + y * y);
            assert_true(square <= k * k && square > (k - 1) * (k - 1));
            found++;
        }
        assert_in_range(found, 4000 * 0.48, 4000 * 0.57); /* pi / 6 of them */
    }
}

static void roots(void **state)
{
    (void)state;
    for (uint64_t x = 0, n = 0; x < 100000; x++) {
        n += (n + 1) * (n + 1) == x;
        assert_int_equal(client_root(x), n);
    }
    for (uint64_t n = 1; n < (uint64_t)1 << 26; n += n < 1 << 16 ? 1 : 997) {
        assert_int_equal(client_root(n * n - 1), n - 1);
        assert_int_equal(client_root(n * n), n);
        assert_int_equal(client_root(n * n + 1), n == 0 ? 1 : n);
    }
    assert_int_equal(client_root(((uint64_t)1 << 52) - 1), (1 << 26) - 1);
}

/* What a survey says is ln(1 / alpha), rounded up, and no more than was asked for. */
static void epsilon(void **state)
{
    static const double asked[] = { 0.01, 1.0 / 6, 0.5, 1, 2.3, 40 };
    mpfr_t x;
    (void)state;
    mpfr_init2(x, 200);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        dusk_survey survey;
        dusk_survey_options options;
        dusk_survey_options_init(&options);
        options.mechanism = DUSK_PLANAR;
        options.epsilon = asked[i];
        assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
        mpfr_set_ui(x, survey.task.p, MPFR_RNDN);
        mpfr_div_2ui(x, x, 64, MPFR_RNDN);
        mpfr_log(x, x, MPFR_RNDN);
        mpfr_neg(x, x, MPFR_RNDN);
        assert_true(mpfr_cmp_d(x, survey.epsilon) < 0);
        assert_true(mpfr_cmp_d(x, survey.epsilon * (1 - 1e-15)) > 0);
        assert_true(mpfr_cmp_d(x, asked[i]) <= 0); /* p is rounded up */
        assert_true(mpfr_cmp_d(x, asked[i] * (1 - 1e-15)) > 0 || asked[i] > 1);
    }
    mpfr_clear(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law),       cmocka_unit_test(edges), cmocka_unit_test(ways),
        cmocka_unit_test(long_ways), cmocka_unit_test(roots), cmocka_unit_test(epsilon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
