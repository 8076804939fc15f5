/* SPDX-License-Identifier: Apache-2.0 */
/* Teachers: what they say is right where it is plain and what one of them by itself would say; what a teacher says does not depend on other teachers,
 * whatever their rows are; one row changes one of them, and threads change nothing. */
#include "deep/teachers.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "random/tape.h"
#include "seeded.h"

enum { ROWS = 300, WIDTH = 5, CLASSES = 3, TEACHERS = 7, QUESTIONS = 70 };

/* Class c lies about 4 e_c; `noise` times a number in [-1, 1] on each coordinate. */
static void make(float *x, int32_t *code, size_t n, double noise, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        code[i] = (int32_t)(splitmix64(&seed) % CLASSES);
        for (size_t j = 0; j < WIDTH; j++) {
            const double u = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1;
            x[i * WIDTH + j] = (float)(noise * u + (j == (size_t)code[i] ? 4 : 0));
        }
    }
}

static const deep_teaching usual = {
    .teachers = TEACHERS, .classes = CLASSES, .rows_most = 64, .width = 3, .ridge = 0.1, .threads = 1
};

static void test_right(void **state)
{
    (void)state;
    static float x[ROWS * WIDTH], q[QUESTIONS * WIDTH];
    static int32_t code[ROWS], want[QUESTIONS], votes[QUESTIONS * CLASSES], other[QUESTIONS * CLASSES];
    static uint32_t teacher[ROWS];
    make(x, code, ROWS, 1, 1);
    make(q, want, QUESTIONS, 1, 2);
    dusk_generator *gen = seeded(1);
    assert_int_equal(deep_deal(teacher, ROWS, TEACHERS, gen, NULL), DUSK_OK);
    const deep_vectors rows = { x, code, ROWS, WIDTH };
    assert_int_equal(deep_teachers_vote(&usual, &rows, teacher, q, QUESTIONS, votes, NULL), DUSK_OK);
    for (size_t i = 0; i < QUESTIONS; i++)
        for (size_t c = 0; c < CLASSES; c++)
            assert_int_equal(votes[i * CLASSES + c], (int32_t)c == want[i] ? TEACHERS : 0);
    deep_teaching threads = usual;
    threads.threads = 3;
    assert_int_equal(deep_teachers_vote(&threads, &rows, teacher, q, QUESTIONS, other, NULL), DUSK_OK);
    assert_memory_equal(votes, other, sizeof votes);
    const deep_vectors none = { x, code, 0, WIDTH };
    assert_int_equal(deep_teachers_vote(&usual, &none, teacher, q, QUESTIONS, votes, NULL), DUSK_OK);
    for (size_t i = 0; i < QUESTIONS * CLASSES; i++) assert_int_equal(votes[i], 0);
    dusk_generator_free(gen);
}

/* Rows that say nothing: teachers are of many minds, and one row changes one of them. */
static void test_one_row_is_one_teacher(void **state)
{
    (void)state;
    static float x[(ROWS + 1) * WIDTH], q[QUESTIONS * WIDTH];
    static int32_t code[ROWS + 1], want[QUESTIONS], a[QUESTIONS * CLASSES], b[QUESTIONS * CLASSES];
    static uint32_t teacher[ROWS + 1];
    bool moved = false;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        make(x, code, ROWS + 1, 20, seed);
        make(q, want, QUESTIONS, 20, seed + 100);
        dusk_generator *gen = seeded(seed);
        assert_int_equal(deep_deal(teacher, ROWS + 1, TEACHERS, gen, NULL), DUSK_OK);
        const deep_vectors more = { x, code, ROWS + 1, WIDTH }, fewer = { x, code, ROWS, WIDTH };
        assert_int_equal(deep_teachers_vote(&usual, &more, teacher, q, QUESTIONS, a, NULL), DUSK_OK);
        assert_int_equal(deep_teachers_vote(&usual, &fewer, teacher, q, QUESTIONS, b, NULL), DUSK_OK);
        for (size_t i = 0; i < QUESTIONS; i++) {
            int up = 0, down = 0;
            for (size_t c = 0; c < CLASSES; c++) {
                const int d = a[i * CLASSES + c] - b[i * CLASSES + c];
                up += d > 0 ? d : 0;
                down -= d < 0 ? d : 0;
            }
            assert_true(up <= 1 && down <= 1);
            moved |= up + down > 0;
        }
        dusk_generator_free(gen);
    }
    assert_true(moved);
}

/* Each teacher gets its part; all rows do not go to one. */
static void test_deal(void **state)
{
    (void)state;
    enum { MANY = 70000 };
    static uint32_t teacher[MANY];
    size_t held[TEACHERS] = { 0 };
    dusk_generator *gen = seeded(3);
    assert_int_equal(deep_deal(teacher, MANY, TEACHERS, gen, NULL), DUSK_OK);
    for (size_t i = 0; i < MANY; i++) held[teacher[i]]++;
    for (size_t t = 0; t < TEACHERS; t++) assert_true(fabs((double)held[t] - 10000) < 6 * sqrt(10000));
    dusk_generator_free(gen);
}

/* --- one by one ------------------------------------------------------------------------------------------------------------ */

enum { MANY_ROWS = 400, MANY = 11, ASKED = 300 };

/* Many teachers of all sizes: some without rows or with one, some with more than they learn from, one with about as many as all others. */
typedef struct world {
    float x[MANY_ROWS * WIDTH], q[ASKED * WIDTH];
    int32_t code[MANY_ROWS], votes[ASKED * CLASSES];
    uint32_t teacher[MANY_ROWS];
} world;

static const deep_teaching many = {
    .teachers = MANY, .classes = CLASSES, .rows_most = 70, .width = 9, .ridge = 0.1, .threads = 1
};

static void make_world(world *a, uint64_t seed)
{
    int32_t unused[ASKED];
    make(a->x, a->code, MANY_ROWS, 20, seed);
    make(a->q, unused, ASKED, 20, seed + 100);
    for (size_t i = 0; i < MANY_ROWS; i++) {
        const uint32_t t = (uint32_t)(splitmix64(&seed) % MANY);
        a->teacher[i] = t == 3 || (t == 6 && i > 100) ? 8 : t == 5 ? 4 : t;
    }
    a->teacher[7] = 5;
}

/* What those teachers say for whom `in` is true: others have no rows. */
static void ask_some(const world *a, const deep_teaching *how, const bool *in, int32_t *votes)
{
    static world some;
    size_t n = 0;
    for (size_t i = 0; i < MANY_ROWS; i++) {
        if (!in[a->teacher[i]]) continue;
        memcpy(some.x + n * WIDTH, a->x + i * WIDTH, WIDTH * sizeof *a->x);
        some.code[n] = a->code[i];
        some.teacher[n++] = a->teacher[i];
    }
    const deep_vectors rows = { some.x, some.code, n, WIDTH };
    assert_int_equal(deep_teachers_vote(how, &rows, some.teacher, a->q, ASKED, votes, NULL), DUSK_OK);
}

static void ask_one(const world *a, const deep_teaching *how, uint32_t t, int32_t *votes)
{
    bool in[MANY] = { false };
    in[t] = true;
    ask_some(a, how, in, votes);
}

static void ask_all(world *a, const deep_teaching *how)
{
    const deep_vectors rows = { a->x, a->code, MANY_ROWS, WIDTH };
    assert_int_equal(deep_teachers_vote(how, &rows, a->teacher, a->q, ASKED, a->votes, NULL), DUSK_OK);
}

/* Vectors longer, and teachers with more rows, than products are made of in one piece: all of them say what each says by itself. */
static void test_wide(void **state)
{
    (void)state;
    enum { LONG = 300, HELD = 290, SCHOOL = 3, FEW = 20 };
    static float x[SCHOOL * HELD * LONG], q[FEW * LONG];
    static int32_t code[SCHOOL * HELD], votes[FEW * CLASSES], alone[FEW * CLASSES], sum[FEW * CLASSES];
    static uint32_t teacher[SCHOOL * HELD];
    uint64_t seed = 5;
    deep_teaching how = many;
    how.teachers = SCHOOL;
    how.rows_most = HELD;
    how.width = 15;
    for (size_t i = 0; i < SCHOOL * HELD * LONG; i++) x[i] = (float)(splitmix64(&seed) >> 40) * 0x1p-24f;
    for (size_t i = 0; i < FEW * LONG; i++) q[i] = (float)(splitmix64(&seed) >> 40) * 0x1p-24f;
    for (size_t i = 0; i < SCHOOL * HELD; i++) {
        code[i] = (int32_t)(splitmix64(&seed) % CLASSES);
        teacher[i] = (uint32_t)(i / HELD);
    }
    const deep_vectors all = { x, code, SCHOOL * HELD, LONG };
    assert_int_equal(deep_teachers_vote(&how, &all, teacher, q, FEW, votes, NULL), DUSK_OK);
    memset(sum, 0, sizeof sum);
    for (size_t t = 0; t < SCHOOL; t++) {
        const deep_vectors own = { x + t * HELD * LONG, code + t * HELD, HELD, LONG };
        assert_int_equal(deep_teachers_vote(&how, &own, teacher + t * HELD, q, FEW, alone, NULL), DUSK_OK);
        for (size_t i = 0; i < FEW * CLASSES; i++) sum[i] += alone[i];
    }
    assert_memory_equal(votes, sum, sizeof sum);
}

/* One teacher by plain loops in doubles. */
typedef struct plain {
    const float *x[MANY_ROWS];
    double gram[MANY_ROWS][MANY_ROWS], coefficient[MANY_ROWS][CLASSES];
    size_t n;
} plain;

static double kernel(const float *x, const float *y, double width)
{
    double sum = 0;
    for (size_t j = 0; j < WIDTH; j++) sum += ((double)x[j] - (double)y[j]) * ((double)x[j] - (double)y[j]);
    return exp(-sum / (2 * width * width));
}

static void learn(plain *p, const world *a, const deep_teaching *how, uint32_t t)
{
    p->n = 0;
    for (size_t i = 0; i < MANY_ROWS && p->n < how->rows_most; i++) {
        if (a->teacher[i] != t) continue;
        for (size_t c = 0; c < CLASSES; c++)
            p->coefficient[p->n][c] = ((size_t)a->code[i] == c) - 1.0 / CLASSES;
        p->x[p->n++] = a->x + i * WIDTH;
    }
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++)
            p->gram[i][j] = kernel(p->x[i], p->x[j], how->width) + (i == j ? how->ridge : 0);
    for (size_t k = 0; k < p->n; k++) /* Gauss and Jordan */
        for (size_t i = 0; i < p->n; i++) {
            if (i == k) continue;
            const double times = p->gram[i][k] / p->gram[k][k];
            for (size_t j = k; j < p->n; j++) p->gram[i][j] -= times * p->gram[k][j];
            for (size_t c = 0; c < CLASSES; c++) p->coefficient[i][c] -= times * p->coefficient[k][c];
        }
    for (size_t i = 0; i < p->n; i++)
        for (size_t c = 0; c < CLASSES; c++) p->coefficient[i][c] /= p->gram[i][i];
}

/* The class, or -1 where two are too near to be told apart in floats. */
static int say(const plain *p, const float *q, double width)
{
    double score[CLASSES] = { 0 };
    size_t best = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t c = 0; c < CLASSES; c++) score[c] += p->coefficient[i][c] * kernel(p->x[i], q, width);
    for (size_t c = 1; c < CLASSES; c++)
        if (score[c] > score[best]) best = c;
    for (size_t c = 0; c < CLASSES; c++)
        if (c != best && score[best] - score[c] < 1e-3) return -1;
    return (int)best;
}

static void test_one_by_one(void **state)
{
    (void)state;
    static world a;
    static plain p;
    size_t told = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        make_world(&a, seed);
        for (uint32_t t = 0; t < MANY; t++) {
            ask_one(&a, &many, t, a.votes);
            learn(&p, &a, &many, t);
            for (size_t i = 0; i < ASKED; i++) {
                const int want = say(&p, a.q + i * WIDTH, many.width);
                told += want >= 0;
                for (size_t c = 0; want >= 0 && c < CLASSES; c++)
                    assert_int_equal(a.votes[i * CLASSES + c], p.n > 0 && (int)c == want);
            }
        }
    }
    assert_true(told > 3 * 7 * ASKED);
}

/* Votes of all are the sum of what each says alone: whoever is beside it, in whatever place, in however many threads. */
static void test_sum_of_each(void **state)
{
    (void)state;
    static world a;
    int32_t sum[ASKED * CLASSES], one[ASKED * CLASSES];
    for (uint64_t seed = 1; seed <= 6; seed++) {
        make_world(&a, seed);
        memset(sum, 0, sizeof sum);
        for (uint32_t t = 0; t < MANY; t++) {
            ask_one(&a, &many, t, one);
            for (size_t i = 0; i < ASKED * CLASSES; i++) sum[i] += one[i];
        }
        for (size_t threads = 1; threads <= 12; threads += 1 + threads / 3) {
            deep_teaching how = many;
            how.threads = threads;
            ask_all(&a, &how);
            assert_memory_equal(a.votes, sum, sizeof sum);
        }
    }
}

/* Whatever becomes of the rows of one teacher, none at all included, the votes of others stay as they are. */
static void test_others_stay(void **state)
{
    (void)state;
    static const float numbers[] = { NAN, INFINITY, -INFINITY, 3e38f, 1e-40f, 1e19f };
    static world a;
    int32_t others[ASKED * CLASSES], one[ASKED * CLASSES];
    for (uint64_t seed = 0; seed < 36; seed++) {
        const uint32_t t = (uint32_t)(seed % MANY);
        bool in[MANY];
        make_world(&a, 50 + seed / 6);
        for (size_t j = 0; j < MANY; j++) in[j] = j != t;
        ask_some(&a, &many, in, others);
        for (size_t i = 0; i < MANY_ROWS; i++) {
            if (a.teacher[i] != t) continue;
            a.code[i] = (int32_t)(seed % CLASSES);
            for (size_t j = seed % 2; j < WIDTH; j += 1 + seed % 3) a.x[i * WIDTH + j] = numbers[seed % 6];
        }
        ask_one(&a, &many, t, one);
        ask_all(&a, &many);
        for (size_t i = 0; i < ASKED; i++) {
            int all = 0;
            for (size_t c = 0; c < CLASSES; c++) {
                const size_t at = i * CLASSES + c;
                assert_int_equal(a.votes[at], others[at] + one[at]);
                all += one[at];
            }
            assert_true(all == 1 || (all == 0 && t == 3));
        }
    }
}

/* Rows beyond those that a teacher learns from may be anything. */
static void test_further_rows(void **state)
{
    (void)state;
    static world a;
    int32_t before[ASKED * CLASSES];
    size_t held[MANY] = { 0 }, further = 0;
    make_world(&a, 9);
    ask_all(&a, &many);
    memcpy(before, a.votes, sizeof before);
    for (size_t i = 0; i < MANY_ROWS; i++)
        if (held[a.teacher[i]]++ >= many.rows_most) {
            further++;
            a.code[i] = (a.code[i] + 1) % CLASSES;
            a.x[i * WIDTH] += 1;
        }
    ask_all(&a, &many);
    assert_true(further > 5);
    assert_memory_equal(a.votes, before, sizeof before);
}

static void test_no_memory(void **state)
{
    (void)state;
    static world a;
    deep_teaching how = many;
    dusk_status status = DUSK_ERR_MEMORY;
    how.threads = 2;
    make_world(&a, 9);
    const deep_vectors rows = { a.x, a.code, MANY_ROWS, WIDTH };
    const size_t used = dusk_memory_used();
    for (long n = 1; status != DUSK_OK && n < 100; n++) {
        dusk_memory_fail_at(n);
        status = deep_teachers_vote(&how, &rows, a.teacher, a.q, ASKED, a.votes, NULL);
        assert_true(status == DUSK_ERR_MEMORY || status == DUSK_OK);
        assert_int_equal(dusk_memory_used(), used);
    }
    dusk_memory_fail_at(0);
    assert_int_equal(status, DUSK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),        cmocka_unit_test(test_one_row_is_one_teacher),
        cmocka_unit_test(test_deal),         cmocka_unit_test(test_one_by_one),
        cmocka_unit_test(test_sum_of_each),  cmocka_unit_test(test_others_stay),
        cmocka_unit_test(test_further_rows), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
