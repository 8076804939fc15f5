/* SPDX-License-Identifier: Apache-2.0 */
/* Private bytes reach the outside only through a mechanism. Under MSan the rows
 * are "undefined" (base/taint.h): a branch or an address that depends on one
 * stops the program, and so does looking at a result that no mechanism has
 * declassified. Every release below must run to its end in a child process;
 * every planted leak must be stopped. This is the technique of secp256k1's
 * constant-time tests, turned to privacy. Not covered: paths that may depend on
 * the data (selection, quantiles, clipping of vectors), and what libraries that
 * are not instrumented do. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/taint.h"
#include "dusk/mechanisms.h"
#include "mechanisms/totals.h"
#include "numeric/fixed_sum.h"
#include "random/tape.h"
#include "requests.h"

enum { ROWS = 1000, COINS = 1 << 18, SKIPPED = 77 };

static double rows[ROWS];
static uint64_t coins[COINS];
static dusk_generator *gen;

/* Coins from a tape: the ciphers' libraries are not instrumented, and MSan
 * would take all that they write for undefined. */
static bool make_generator(void)
{
    uint64_t z = 1;
    for (size_t i = 0; i < COINS; i++) { /* xorshift64* */
        z ^= z >> 12;
        z ^= z << 25;
        z ^= z >> 27;
        coins[i] = z * 0x2545f4914f6cdd1du;
    }
    return dusk_generator_new_tape(&gen, coins, 64 * COINS, NULL) == DUSK_OK;
}

static void must(dusk_status status)
{
    if (status == DUSK_OK) return;
    fprintf(stderr, "a release failed with status %d\n", (int)status);
    _exit(3);
}

static dusk_aggregate request(double delta) { return request_within(-2, 5, DUSK_ADD_REMOVE, 1, delta); }

static void check_answer(const dusk_answer *answer)
{
    DUSK_CHECK_PUBLIC(&answer->value, sizeof answer->value);
    DUSK_CHECK_PUBLIC(&answer->low, sizeof answer->low);
    DUSK_CHECK_PUBLIC(&answer->high, sizeof answer->high);
}

/* --- releases ------------------------------------------------------------------- */

static void sum_release(double delta)
{
    dusk_aggregate how = request(delta);
    dusk_answer answer;
    must(dusk_sum_release(&answer, &how, rows, ROWS, gen, NULL));
    check_answer(&answer);
}

static void sum_with_laplace_noise(void) { sum_release(0); }
static void sum_with_gaussian_noise(void) { sum_release(1e-6); }

static void count(void)
{
    dusk_aggregate how = request(0);
    dusk_answer answer;
    uint64_t n = ROWS;
    DUSK_SECRET(&n, sizeof n);
    must(dusk_count_release(&answer, &how, n, gen, NULL));
    check_answer(&answer);
}

static void counts(void)
{
    dusk_aggregate how = request(0);
    uint64_t exact[50] = { 0 };
    double noisy[50], half_width;
    dusk_statement statement;
    DUSK_SECRET(exact, sizeof exact);
    must(dusk_counts_release(noisy, &half_width, &statement, &how, exact, 50, gen, NULL));
    DUSK_CHECK_PUBLIC(noisy, sizeof noisy);
}

static void mean(void)
{
    dusk_aggregate how = request(0);
    dusk_answer answer;
    must(dusk_mean_release(&answer, &how, rows, ROWS, gen, NULL));
    check_answer(&answer);
}

static void variance(void)
{
    dusk_aggregate how = request(0);
    dusk_answer answer;
    must(dusk_variance_release(&answer, &how, rows, ROWS, gen, NULL));
    check_answer(&answer);
}

/* One number with each law. */
static void one_number(void)
{
    dusk_noise noise[7];
    double out;
    must(dusk_laplace_init(&noise[0], 1, 1, 1, DUSK_GRID_DEFAULT, NULL));
    must(dusk_gaussian_init(&noise[1], 1, 1, 1, 1e-6, DUSK_GRID_DEFAULT, NULL));
    must(dusk_discrete_laplace_init(&noise[2], 1, 1, 1, 0, NULL));
    must(dusk_discrete_gaussian_init(&noise[3], 1, 1, 1, 1e-6, 0, NULL));
    must(dusk_staircase_init(&noise[4], 1, 1, DUSK_GAMMA_ABSOLUTE, DUSK_GRID_DEFAULT, NULL));
    must(dusk_truncated_laplace_init(&noise[5], 1, 1, 1e-6, DUSK_GRID_DEFAULT, NULL));
    must(dusk_sinh_normal_tcdp_init(&noise[6], 1, 0.1, 5, DUSK_GRID_DEFAULT, NULL));
    for (size_t i = 0; i < 7; i++) {
        must(dusk_noise_release(&noise[i], &out, rows[i], gen, NULL));
        DUSK_CHECK_PUBLIC(&out, sizeof out);
    }
}

static void vector(void)
{
    dusk_noise noise;
    double out[ROWS];
    must(dusk_gaussian_init(&noise, ROWS, 1, 1, 1e-6, DUSK_GRID_DEFAULT, NULL));
    must(dusk_noise_release_vector(&noise, out, rows, gen, NULL));
    DUSK_CHECK_PUBLIC(out, sizeof out);
}

static void totals_in_pieces(void)
{
    static int64_t totals[ROWS];
    dusk_noise noise;
    dusk_totals release;
    double out[ROWS];
    must(dusk_gaussian_init(&noise, ROWS, 1, 1, 1e-6, -22, NULL));
    must(dusk_totals_begin(&release, &noise, NULL, gen, NULL));
    DUSK_SECRET(totals, sizeof totals);
    must(dusk_totals_release(&release, out, totals, 700, gen, NULL));
    must(dusk_totals_release(&release, out + 700, totals + 700, ROWS - 700, gen, NULL));
    DUSK_CHECK_PUBLIC(out, sizeof out);
}

/* Two hundred steps of a stream by each method. */
static void streams(void)
{
    for (int method = DUSK_STREAM_TREE; method <= DUSK_STREAM_BANDED; method++) {
        dusk_stream_options options;
        dusk_stream *stream;
        double value;
        dusk_stream_options_init(&options);
        options.method = (dusk_stream_method)method;
        options.neighbours = DUSK_ADD_REMOVE;
        options.lower = -2;
        options.upper = 5;
        options.length = 200;
        options.bands = 10;
        options.epsilon = 1;
        options.delta = 1e-6;
        must(dusk_stream_new(&stream, &options, NULL));
        for (size_t i = 0; i < 200; i++) {
            must(dusk_stream_release(stream, &value, rows[i], gen, NULL));
            DUSK_CHECK_PUBLIC(&value, sizeof value);
        }
        dusk_stream_free(stream);
    }
}

/* Without a branch: what a predicate does is the caller's part. */
static bool is_above(const void *row, void *limit) { return *(const double *)row > *(const double *)limit; }

/* Who holds, who was charged and who is gone is private to the end. */
static void threshold_monitor(void)
{
    dusk_threshold_monitor_options options;
    dusk_threshold_monitor *monitor;
    bool above;
    dusk_threshold_monitor_options_init(&options);
    options.threshold = ROWS / 4;
    options.contributions = 3;
    options.neighbours = DUSK_ADD_REMOVE;
    options.epsilon = 1;
    options.delta = 1e-6;
    must(dusk_threshold_monitor_new(&monitor, &options, rows, ROWS, sizeof *rows, NULL));
    for (double limit = 4; limit > -2; limit -= 0.5) {
        must(dusk_threshold_monitor_release(monitor, &above, is_above, &limit, gen, NULL));
        DUSK_CHECK_PUBLIC(&above, sizeof above);
    }
    dusk_threshold_monitor_free(monitor);
}

/* Counts over a tree, made to agree and whole: what is done to noisy counts may look at them. */
static void tree(double delta)
{
    enum { NODES = 13 };
    const uint32_t parents[NODES] = { 0, 0, 0, 0, 1, 1, 2, 2, 2, 6, 6, 6, 9 };
    dusk_aggregate how = request(delta);
    uint64_t exact[NODES] = { 0 };
    double noisy[NODES];
    dusk_hierarchy *hierarchy;
    must(dusk_hierarchy_new(&hierarchy, &how, parents, NODES, NULL, 0, NULL));
    DUSK_SECRET(exact, sizeof exact);
    must(dusk_hierarchy_release(hierarchy, noisy, exact, gen, NULL));
    DUSK_CHECK_PUBLIC(noisy, sizeof noisy);
    must(dusk_hierarchy_fit(hierarchy, noisy, noisy, NULL));
    must(dusk_hierarchy_whole(hierarchy, noisy, noisy, NULL));
    DUSK_CHECK_PUBLIC(noisy, sizeof noisy);
    dusk_hierarchy_free(hierarchy);
}

static void tree_with_laplace_noise(void) { tree(0); }
static void tree_with_gaussian_noise(void) { tree(1e-6); }

/* --- leaks that must be seen ------------------------------------------------------ */

static const dusk_fixed_clamp clamp = { .lower = -2, .upper = 5, .grid = -20 };

static void exact_sum_is_shown(void)
{
    dusk_int128 sum = dusk_fixed_sum(rows, ROWS, &clamp);
    DUSK_CHECK_PUBLIC(&sum, sizeof sum);
}

static void early_exit(void)
{
    if (dusk_fixed_sum(rows, ROWS, &clamp) > 3) _exit(0);
}

static void table_look_up(void)
{
    static const char text[16] = "0123456789abcdef";
    volatile char c = text[(size_t)dusk_fixed_round(rows[0], &clamp) % 16];
    (void)c;
}

/* --- running them ------------------------------------------------------------------ */

/* Did `f` run to its end? Reports of planted leaks are not shown. */
static bool survives(void (*f)(void), bool quiet)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (quiet && !freopen("/dev/null", "w", stderr)) _exit(3);
        f();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

typedef struct subject {
    const char *name;
    void (*run)(void);
    bool survives;
} subject;

static const subject subjects[] = { { "sum with Laplace noise", sum_with_laplace_noise, true },
                                    { "sum with Gaussian noise", sum_with_gaussian_noise, true },
                                    { "count", count, true },
                                    { "counts", counts, true },
                                    { "mean", mean, true },
                                    { "variance", variance, true },
                                    { "one number", one_number, true },
                                    { "vector", vector, true },
                                    { "totals in pieces", totals_in_pieces, true },
                                    { "streams", streams, true },
                                    { "threshold monitor", threshold_monitor, true },
                                    { "tree with Laplace noise", tree_with_laplace_noise, true },
                                    { "tree with Gaussian noise", tree_with_gaussian_noise, true },
                                    { "the exact sum is shown", exact_sum_is_shown, false },
                                    { "early exit", early_exit, false },
                                    { "table look-up", table_look_up, false } };

int main(void)
{
    int failures = 0;
#ifndef DUSK_TAINT
    puts("skipped: needs a build with -fsanitize=memory");
    return SKIPPED;
#endif
    for (size_t i = 0; i < ROWS; i++) rows[i] = (double)i / 100 - 3;
    if (!make_generator()) return 1;
    DUSK_SECRET(rows, sizeof rows);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        bool right = survives(subjects[i].run, !subjects[i].survives) == subjects[i].survives;
        printf("%s %s\n", right ? "ok    " : "FAILED", subjects[i].name);
        failures += !right;
    }
    dusk_generator_free(gen);
    return failures != 0;
}
