/* SPDX-License-Identifier: Apache-2.0 */
/* dusk audit bits: the doubles that a program prints, or two files of them, bit by bit. The
 * inputs are the values that noise was added to; everything else is dusk_audit_bits's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/audit.h"
#include "cli/program_draws.h"
#include "cli/stored_draws.h"

enum { FIRST_LINES = 1000, LOOKED_AT = 1000 };

typedef struct bits_audit {
    const audit_job *job;
    double values[2];
    char words[2][64]; /* of --inputs, as the program gets them */
    const char *word[2];
    dusk_input_pair pair;
    dusk_audit_options options;
    stored_draws stored;
    program_draws *program;
    dusk_sampler sampler, words_sampler;
    dusk_audit_report report;
    double seen[LOOKED_AT]; /* the first outputs */
    size_t seen_count;
} bits_audit;

/* ---- The question ------------------------------------------------------------------------ */

static dusk_status fail_usage(dusk_error *err, const char *hint, const char *what)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "%s", what);
}

static dusk_status read_inputs(bits_audit *audit, dusk_error *err)
{
    const char *text = audit->job->settings->inputs, *comma = strchr(text, ',');
    if (!comma || dusk_parse_list(text, ',', audit->values, 2) != 2 ||
        (size_t)(comma - text) >= sizeof audit->words[0] || strlen(comma + 1) >= sizeof audit->words[1])
        return fail_usage(err, "for example --inputs 0,1",
                          "--inputs must be two numbers: the values that noise is added to");
    memcpy(audit->words[0], text, (size_t)(comma - text));
    memcpy(audit->words[1], comma + 1, strlen(comma + 1));
    for (int side = 0; side < 2; side++) audit->word[side] = audit->words[side];
    audit->pair = (dusk_input_pair){ .input = { &audit->values[0], &audit->values[1] }, .name = "" };
    return DUSK_OK;
}

static void read_options(bits_audit *audit)
{
    const audit_settings *settings = audit->job->settings;
    dusk_audit_options_init(&audit->options);
    audit->options.epsilon = settings->epsilon;
    audit->options.delta = settings->delta;
    audit->options.confidence = settings->confidence;
    audit->options.alarm = settings->alarm;
    audit->options.draws = (uint64_t)settings->draws;
}

/* ---- Draws --------------------------------------------------------------------------------- */

/* Of files: a third for the choice of the set, as dusk_audit_bits takes it, the rest counts. */
static dusk_status open_files(bits_audit *audit, dusk_error *err)
{
    const dusk_parsed *parsed = audit->job->parsed;
    dusk_status status = stored_draws_read(&audit->stored, &parsed->operands[1], err);
    if (status != DUSK_OK) return status;
    size_t n = audit->stored.n[0] < audit->stored.n[1] ? audit->stored.n[0] : audit->stored.n[1];
    uint64_t chosen = dusk_audit_bits_selection(n), third = (n + 2) / 3;
    uint64_t draws = n - (chosen < third ? chosen : third);
    if (draws < 16)
        return dusk_fail(err, DUSK_ERR_PARSE, "give some millions of them",
                         "%zu draws a side are too few to audit", n);
    if (audit->options.draws == 0 || audit->options.draws > draws) audit->options.draws = draws;
    audit->sampler = stored_draws_sampler(&audit->stored, &audit->pair);
    return DUSK_OK;
}

/* Programs get the words of --inputs; a sampler of theirs knows them by their numbers. */
static dusk_status draw_words(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    static const double places[2] = { 0, 1 };
    bits_audit *audit = context;
    const dusk_sampler *words = &audit->words_sampler;
    dusk_status status =
        words->draw(words->context, out, n, &places[input == audit->pair.input[1] ? 1 : 0], err);
    for (size_t i = 0; status == DUSK_OK && i < n && audit->seen_count < LOOKED_AT; i++)
        audit->seen[audit->seen_count++] = out[i * words->output_length];
    return status;
}

static dusk_status open_program(bits_audit *audit, dusk_error *err)
{
    static const double places[2] = { 0, 1 };
    program_request request = {
        .command = audit->job->parsed->program, .inputs = audit->word, .input_length = 1, .first = FIRST_LINES
    };
    dusk_status status = DUSK_OK;
    DUSK_TRY(program_draws_new(&audit->program, &request, err));
    for (int side = 0; side < 2; side++) DUSK_TRY(program_draws_look(audit->program, &places[side], err));
    DUSK_TRY(program_draws_settle(audit->program, &audit->words_sampler, err));
    audit->sampler = audit->words_sampler;
    audit->sampler.context = audit;
    audit->sampler.draw = draw_words;
done:
    return status;
}

/* ---- The answer ------------------------------------------------------------------------------ */

static bool are_decimals(const bits_audit *audit)
{
    size_t n = audit->stored.n[0] < LOOKED_AT ? audit->stored.n[0] : LOOKED_AT;
    if (audit->program) return draws_are_decimals(audit->seen, audit->seen_count);
    return draws_are_decimals(audit->stored.values[0], n);
}

static void print_text(const bits_audit *audit)
{
    const dusk_audit_report *r = &audit->report;
    const char *unit = strstr(r->family, "pair") && r->trials[0] < audit->options.draws ? " pairs" : "";
    audit_print_report(stdout, r, audit->options.confidence, NAN, audit_cpu());
    printf("\n%s: %s\n", r->family, r->event);
    for (int i = 0; i < 2; i++) {
        int side = r->swapped ? 1 - i : i;
        printf("%s%llu of %llu%s with %c = %s", i ? ", " : "", (unsigned long long)r->hits[i],
               (unsigned long long)r->trials[i], unit, side ? 'B' : 'A', audit->words[side]);
    }
    printf("\n");
}

static void print_json(const bits_audit *audit)
{
    dusk_json json = { .file = stdout };
    dusk_json_open(&json, '{');
    audit_json_report(&json, &audit->report, NAN, audit_cpu());
    dusk_json_bool_field(&json, "decimals", are_decimals(audit));
    dusk_json_close(&json, '}');
    printf("\n");
}

dusk_status audit_bits(audit_job *job, dusk_error *err)
{
    bits_audit audit = { .job = job };
    const audit_settings *settings = job->settings;
    dusk_status status = DUSK_OK;
    bool files = job->parsed->operand_count == 3;
    if (files == (job->parsed->program != NULL) || (!files && job->parsed->operand_count != 1))
        return fail_usage(err, "dusk audit bits --epsilon 1 --inputs 0,1 -- python3 noisy.py",
                          "say which program prints the draws, after --, or give two files of them");
    if (settings->scale < 0) return fail_usage(err, "for example --scale 1.5", "--scale must be positive");
    DUSK_TRY(read_inputs(&audit, err));
    read_options(&audit);
    DUSK_TRY(files ? open_files(&audit, err) : open_program(&audit, err));
    DUSK_TRY(dusk_audit_bits(&audit.report, &audit.sampler, &audit.pair,
                             isnan(settings->scale) ? 0 : settings->scale, &audit.options, err));
    if (audit.program) program_draws_rest(audit.program);
    (settings->json ? print_json : print_text)(&audit);
    DUSK_TRY(dusk_output_flush(err));
    if (are_decimals(&audit) && !settings->json)
        dusk_output_note("note", "the outputs are decimals of at most 15 digits, and audited as such; to see "
                                 "the bits of doubles print %%.17g, repr() or hexadecimal numbers");
    status = audit_conclude(job, &audit.report, err);
done:
    program_draws_free(audit.program);
    stored_draws_free(&audit.stored);
    return status;
}
