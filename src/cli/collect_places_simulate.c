/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect simulate --mechanism planar: people at known places report, and the server estimates where they are. The error is the squared distance of a report from the truth, from centre to centre of
 * cells, beside what theory says; and how far the shares of cells are from the true ones, beside those of reports as they came. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/collect_places.h"
#include "cli/input.h"

#define BATCH 8192

typedef struct simulation {
    dusk_survey survey;
    size_t cells;
    uint64_t users, runs;
    double *people, *squares, *shares;
    uint8_t *batch;
    size_t used;
    dusk_generator *gen;
    dusk_generator_entropy context;
    dusk_entropy entropy;
    dusk_tally *tally;
    uint64_t *seen;                 /* reports of each cell, of the run */
    double sum, fourths, distances; /* of squared distances, of their squares, of distances */
    double encode, add, estimating; /* CPU seconds */
    double apart, plain;            /* total variation of shares, and of reports, summed over runs */
} simulation;

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- People ------------------------------------------------------------------------------------------------- */

static dusk_status read_people(simulation *s, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_input input;
    char line[512];
    uint64_t cell, n = 0;
    DUSK_TRY(dusk_input_open(&input, path, NULL, DUSK_INPUT_NAMED, err));
    while (dusk_input_value(&input, line, sizeof line)) {
        (void)collect_place(&s->survey, line, &cell);
        s->people[cell]++;
        n++;
    }
    DUSK_TRY(dusk_input_close(&input, err));
    if (n == 0)
        return dusk_fail(err, DUSK_ERR_PARSE, "one place a line, x and y", "%.150s has no places", path);
done:
    return status;
}

/* Weights into whole people, all of them; sums are rounded. */
static void apportion(simulation *s)
{
    double all = 0, sum = 0, before = 0;
    for (size_t i = 0; i < s->cells; i++) all += s->people[i];
    for (size_t i = 0; i < s->cells; i++) {
        sum += s->people[i];
        const double until =
            i + 1 == s->cells ? (double)s->users : floor((double)s->users * (sum / all) + 0.5);
        s->people[i] = until - before;
        before = until;
    }
}

/* ---- One survey ----------------------------------------------------------------------------------------------- */

static void look(simulation *s, uint64_t truth, const uint8_t *report, uint32_t size)
{
    const uint32_t columns = s->survey.task.width;
    uint64_t at = 0;
    for (uint32_t b = size; b-- > 0;) at = at << 8 | report[b];
    const double x = (double)(at % columns) - (double)(truth % columns);
    const double y = (double)(at / columns) - (double)(truth / columns);
    const double square = (x * x + y * y) * s->survey.cell * s->survey.cell;
    s->seen[at]++;
    s->sum += square;
    s->fourths += square * square;
    s->distances += sqrt(square);
}

static dusk_status report_all(simulation *s, dusk_error *err)
{
    const uint32_t size = dusk_report_size(&s->survey.task);
    for (size_t i = 0; i < s->cells; i++)
        for (uint64_t left = (uint64_t)s->people[i]; left > 0;) {
            const size_t n = left < BATCH ? (size_t)left : BATCH;
            double clock = cpu();
            for (size_t k = 0; k < n; k++)
                if (dusk_client_report(&s->survey.task, s->batch + k * size, i, &s->entropy) !=
                    DUSK_CLIENT_OK)
                    return dusk_fail(err, DUSK_ERR_ENTROPY, "", "the random source failed");
            s->encode += cpu() - clock;
            clock = cpu();
            dusk_tally_add(s->tally, s->batch, n);
            s->add += cpu() - clock;
            for (size_t k = 0; k < n; k++) look(s, i, s->batch + k * size, size);
            left -= n;
        }
    return DUSK_OK;
}

static dusk_status run_once(simulation *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double n = (double)s->users;
    memset(s->seen, 0, s->cells * sizeof *s->seen);
    DUSK_TRY(dusk_tally_new(&s->tally, &s->survey, err));
    DUSK_TRY(report_all(s, err));
    const double clock = cpu();
    DUSK_TRY(dusk_tally_shares(s->tally, s->shares, s->cells, err));
    s->estimating += cpu() - clock;
    for (size_t i = 0; i < s->cells; i++) {
        s->apart += fabs(s->shares[i] - s->people[i] / n) / 2;
        s->plain += fabs((double)s->seen[i] / n - s->people[i] / n) / 2;
    }
done:
    dusk_tally_free(s->tally);
    s->tally = NULL;
    return status;
}

/* ---- What is said ---------------------------------------------------------------------------------------------- */

static void say(const collect_job *job, const simulation *s)
{
    const double n = (double)s->users * (double)s->runs, mse = s->sum / n, runs = (double)s->runs;
    const double error = sqrt(fmax(s->fourths / n - mse * mse, 0) / n);
    double theory = 0;
    char epsilon[DUSK_DECIMAL_SIZE], step[DUSK_DECIMAL_SIZE];
    dusk_json json = { .file = stdout };
    for (size_t i = 0; i < s->cells; i++) theory += s->squares[i] * s->people[i] / (double)s->users;
    if (!job->settings->json) {
        dusk_decimal_up(epsilon, collect_within_epsilon(&s->survey), 6);
        dusk_decimal_up(step, s->survey.epsilon, 6);
        printf("%-17s planar, epsilon %s within %.6g (%s a step)\n", "randomiser", epsilon, s->survey.within,
               step);
        printf("%-17s %.4g +- %.2g (theory %.4g), squared\n", "distance", mse, error, theory);
        printf("%-17s %.4g on average\n", "", s->distances / n);
        printf("%-17s %.4g of people are in other cells by the shares, %.4g by reports as they came\n",
               "shares", s->apart / runs, s->plain / runs);
        printf("%-17s %u\n", "bytes per report", dusk_report_size(&s->survey.task));
        printf("%-17s %.4g ns a report\n", "device", 1e9 * s->encode / n);
        printf("%-17s %.4g ns a report, and %.4g ms for the shares\n", "server", 1e9 * s->add / n,
               1e3 * s->estimating / runs);
        return;
    }
    dusk_json_open(&json, '{');
    dusk_json_string_field(&json, "mechanism", "planar");
    dusk_json_number_field(&json, "domain", (double)s->cells);
    dusk_json_number_field(&json, "users", (double)s->users);
    dusk_json_number_field(&json, "surveys", runs);
    dusk_json_number_field(&json, "epsilon", job->settings->epsilon);
    dusk_json_number_field(&json, "within", s->survey.within);
    dusk_json_number_field(&json, "epsilon_exact", collect_within_epsilon(&s->survey));
    dusk_json_number_field(&json, "epsilon_step", s->survey.epsilon);
    dusk_json_number_field(&json, "mse", mse);
    dusk_json_number_field(&json, "mse_error", error);
    dusk_json_number_field(&json, "theory", theory);
    dusk_json_number_field(&json, "distance", s->distances / n);
    dusk_json_number_field(&json, "apart", s->apart / runs);
    dusk_json_number_field(&json, "apart_reports", s->plain / runs);
    dusk_json_number_field(&json, "bytes_per_report", dusk_report_size(&s->survey.task));
    dusk_json_number_field(&json, "encode_ns", 1e9 * s->encode / n);
    dusk_json_number_field(&json, "aggregate_ns", 1e9 * s->add / n);
    dusk_json_number_field(&json, "estimate_ms", 1e3 * s->estimating / runs);
    dusk_json_close(&json, '}');
    putchar('\n');
}

/* ---- The step --------------------------------------------------------------------------------------------------- */

static dusk_status prepare(const collect_job *job, simulation *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_survey_options options;
    collect_survey_options(job, DUSK_PLANAR, &options);
    DUSK_TRY(collect_grid_options(job, &options, err));
    DUSK_TRY(dusk_survey_init(&s->survey, &options, err));
    s->cells = s->survey.task.domain;
    s->users = (uint64_t)job->settings->users;
    s->runs = collect_given(job, "runs") ? (uint64_t)job->settings->runs : 1;
    DUSK_NEW(s->people, s->cells);
    DUSK_NEW(s->squares, s->cells);
    DUSK_NEW(s->shares, s->cells);
    DUSK_NEW(s->seen, s->cells);
    DUSK_NEW(s->batch, BATCH * dusk_report_size(&s->survey.task));
    DUSK_TRY(dusk_survey_distances(&s->survey, s->squares, err));
    for (size_t i = 0; i < s->cells; i++) s->people[i] = job->settings->data ? 0 : 1; /* evenly */
    if (job->settings->data) DUSK_TRY(read_people(s, job->settings->data, err));
    apportion(s);
    DUSK_TRY(dusk_generator_new(&s->gen, err));
    s->entropy = dusk_entropy_of(&s->context, s->gen);
done:
    return status;
}

dusk_status collect_simulate_places(const collect_job *job, dusk_error *err)
{
    simulation s = { .runs = 0 };
    dusk_status status = DUSK_OK;
    dusk_progress progress;
    DUSK_TRY(prepare(job, &s, err));
    dusk_progress_start(&progress, s.runs, 0);
    for (uint64_t run = 0; run < s.runs && status == DUSK_OK; run++) {
        status = run_once(&s, err);
        dusk_progress_count(&progress, run + 1);
    }
    dusk_progress_end(&progress);
    if (status == DUSK_OK) say(job, &s);
done:
    dusk_generator_free(s.gen);
    dusk_deallocate(s.people);
    dusk_deallocate(s.squares);
    dusk_deallocate(s.shares);
    dusk_deallocate(s.seen);
    dusk_deallocate(s.batch);
    return status;
}
