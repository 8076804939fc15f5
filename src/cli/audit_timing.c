/* SPDX-License-Identifier: Apache-2.0 */
/* dusk audit timing: values and the times that they took, from a file or from a program, one
 * draw a line: a value, then a duration in any unit. */
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/audit.h"
#include "cli/input.h"
#include "cli/program_draws.h"
#include "cli/stored_draws.h"

static const char TWO_NUMBERS[] = "two numbers a line: a value and its duration";
enum { DRAWS_DEFAULT = 1 << 18, FIRST_LINES = 1000, LEAST_DRAWS = 64 };

typedef struct timed {
    double *values, *durations;
    size_t n;
} timed;

static dusk_status timed_new(timed *out, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    out->n = n;
    DUSK_NEW(out->values, n);
    DUSK_NEW(out->durations, n);
done:
    return status;
}

static void timed_free(timed *t)
{
    dusk_deallocate(t->values);
    dusk_deallocate(t->durations);
}

/* Values and durations in turn. */
static dusk_status take_turns(timed *out, const double *numbers, size_t n, const char *name, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (n % 2 != 0)
        return dusk_fail(err, DUSK_ERR_PARSE, TWO_NUMBERS, "%.200s: the last value has no duration", name);
    DUSK_TRY(timed_new(out, n / 2, err));
    for (size_t i = 0; i < n; i++) (i % 2 ? out->durations : out->values)[i / 2] = numbers[i];
done:
    return status;
}

static dusk_status read_file(timed *out, const char *path, dusk_error *err)
{
    double *numbers = NULL;
    size_t n = 0;
    dusk_status status = draws_read(&numbers, &n, path, TWO_NUMBERS, err);
    if (status == DUSK_OK) status = take_turns(out, numbers, n, path, err);
    if (status == DUSK_OK && out->n < LEAST_DRAWS)
        status =
            dusk_fail(err, DUSK_ERR_PARSE, "give some hundred thousand",
                      "%.200s: %zu draws are too few, at least %d are needed", path, out->n, LEAST_DRAWS);
    dusk_numbers_free(numbers, n);
    return status;
}

/* A program is run with the input of --inputs, or with 0. */
static dusk_status run_program(timed *out, const audit_job *job, dusk_error *err)
{
    const char *word = job->settings->inputs ? job->settings->inputs : "0";
    const double place = 0;
    size_t n = job->settings->draws ? (size_t)job->settings->draws : DRAWS_DEFAULT;
    program_request request = {
        .command = job->parsed->program, .inputs = &word, .input_length = 1, .first = FIRST_LINES
    };
    program_draws *draws = NULL;
    dusk_sampler sampler;
    double *numbers = NULL;
    dusk_status status = DUSK_OK;
    DUSK_TRY(program_draws_new(&draws, &request, err));
    DUSK_TRY(program_draws_look(draws, &place, err));
    DUSK_TRY(program_draws_settle(draws, &sampler, err));
    if (sampler.output_length != 2) {
        status =
            dusk_fail(err, DUSK_ERR_PARSE, TWO_NUMBERS,
                      "the program prints %zu things a line instead of two numbers", sampler.output_length);
        goto done;
    }
    DUSK_NEW(numbers, 2 * n);
    DUSK_TRY(sampler.draw(sampler.context, numbers, n, &place, err));
    program_draws_rest(draws);
    DUSK_TRY(draws_are_numbers(numbers, 2 * n, "what the program prints", TWO_NUMBERS, err));
    DUSK_TRY(take_turns(out, numbers, 2 * n, "what the program prints", err));
done:
    program_draws_free(draws);
    dusk_deallocate(numbers);
    return status;
}

static void print_text(const dusk_timing_report *r)
{
    printf("correlation %.4f (%s) | p %.2g | %s", r->correlation, r->question, r->p,
           dusk_verdict_name(r->verdict));
    if (r->verdict != DUSK_VIOLATION && r->detectable < 1) printf(", could have seen %.3f", r->detectable);
    printf(" | %llu draws\n", (unsigned long long)r->draws);
}

static void print_json(const dusk_timing_report *r)
{
    dusk_json json = { .file = stdout };
    dusk_json_open(&json, '{');
    dusk_json_number_field(&json, "correlation", r->correlation);
    dusk_json_string_field(&json, "question", r->question);
    dusk_json_number_field(&json, "p", r->p);
    dusk_json_number_field(&json, "p_sure", r->p_sure);
    dusk_json_string_field(&json, "verdict", dusk_verdict_name(r->verdict));
    dusk_json_number_field(&json, "detectable", r->detectable);
    dusk_json_number_field(&json, "draws", (double)r->draws);
    dusk_json_close(&json, '}');
    printf("\n");
}

static dusk_status conclude(const audit_job *job, const dusk_timing_report *r, dusk_error *err)
{
    if (r->verdict == DUSK_VIOLATION)
        return dusk_fail(
            err, DUSK_ERR_CHECK, "",
            "the time of a draw tells its value: rank correlation %.4f, a chance of at most %.1e "
            "without a dependence",
            r->correlation, r->p_sure);
    if (r->verdict == DUSK_INCONCLUSIVE && job->settings->strict)
        return dusk_fail(
            err, DUSK_ERR_CHECK, "give some hundred thousand draws",
            "inconclusive: there are too few draws, so that a correlation might not have been seen");
    return DUSK_OK;
}

dusk_status audit_timing(audit_job *job, dusk_error *err)
{
    timed t = { .n = 0 };
    dusk_timing_report report;
    dusk_status status = DUSK_OK;
    bool file = job->parsed->operand_count == 2;
    if (file == (job->parsed->program != NULL) || (!file && job->parsed->operand_count != 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk audit timing times.txt",
                         "say which program prints values and durations, after --, or give a file of them");
    DUSK_TRY(file ? read_file(&t, job->parsed->operands[1], err) : run_program(&t, job, err));
    if (draws_are_sorted(t.values, t.n)) {
        status = dusk_fail(err, DUSK_ERR_PARSE, "give the draws in the order in which they were made",
                           "the draws were sorted by value, so that they are no longer independent");
        goto done;
    }
    DUSK_TRY(dusk_audit_timing(&report, t.values, t.durations, t.n, job->settings->alarm, err));
    (job->settings->json ? print_json : print_text)(&report);
    DUSK_TRY(dusk_output_flush(err));
    status = conclude(job, &report, err);
done:
    timed_free(&t);
    return status;
}
