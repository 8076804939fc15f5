/* SPDX-License-Identifier: Apache-2.0 */
/* dusk audit exec: any program that prints draws, held against what is claimed of it. The
 * program is run on neighbouring inputs (program_draws.h); everything else is
 * dusk_audit_run's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/account.h"
#include "cli/audit.h"
#include "cli/audit_exec.h"
#include "cli/input.h"

#define FIRST_LINES 1000     /* to ask for when a program is first started    */
#define LOOKED_AT 4          /* pairs whose draws are looked at beforehand    */
#define PAIRS_MAX 1000       /* of --pairs                                    */
#define DRAWS_MOST (1 << 20) /* a side without --draws: seconds in Python        */
#define ONE_DRAW_DRAWS 2000  /* without --draws: a start takes long           */

/* ---- The question -------------------------------------------------------------------- */

static dusk_status fail_usage(dusk_error *err, const char *hint, const char *what)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "%s", what);
}

static dusk_status check_claim(const audit_job *job, dusk_error *err)
{
    const audit_settings *settings = job->settings;
    if (audit_given(job, "epsilon") == audit_given(job, "event"))
        return fail_usage(err, "--epsilon 1, with --delta 1e-6 if there is one; or --event 'gaussian(2)'",
                          settings->event ? "--epsilon and --event are two claims: give one of them"
                                          : "say what is claimed: --epsilon or --event");
    if (audit_given(job, "epsilon") && !(settings->epsilon >= 0))
        return fail_usage(err, "for example --epsilon 1", "--epsilon must be at least 0");
    if (!(settings->delta >= 0 && settings->delta < 1))
        return fail_usage(err, "for example --delta 1e-6", "--delta must be at least 0 and below 1");
    if (!(settings->confidence > 0 && settings->confidence < 1))
        return fail_usage(err, "for example --confidence 0.95", "--confidence must be between 0 and 1");
    if (!(settings->alarm >= 1e-100 && settings->alarm < 1))
        return fail_usage(err, "for example --alarm 1e-6", "--alarm must be between 1e-100 and 1");
    if (!(settings->worth > 0)) return fail_usage(err, "for example --worth 0.25", "--worth must be above 0");
    return DUSK_OK;
}

static dusk_status check_inputs(const audit_job *job, dusk_error *err)
{
    int ways = audit_given(job, "inputs") + audit_given(job, "pairs") + audit_given(job, "queries");
    if (!job->parsed->program)
        return fail_usage(err, "dusk audit exec --epsilon 1 --inputs 5,6 -- python3 noisy.py",
                          job->parsed->operand_count > 1 ? "put -- before the program"
                                                         : "say which program to run, after --");
    if (job->parsed->operand_count > 1)
        return fail_usage(err, "dusk audit exec --epsilon 1 --inputs 5,6 -- python3 noisy.py",
                          "there are words too many before --");
    if (ways != 1)
        return fail_usage(err, "--inputs 5,6 for two neighbouring inputs, --pairs FILE, or --queries 10",
                          ways ? "--inputs, --pairs and --queries are three ways to say one thing: give one"
                               : "say which inputs to compare: --inputs, --pairs or --queries");
    if (!audit_given(job, "queries") && (audit_given(job, "moves") || audit_given(job, "search")))
        return fail_usage(err, "for example --queries 10 --moves all --search",
                          "--moves and --search are about --queries");
    return DUSK_OK;
}

/* ---- The claim ------------------------------------------------------------------------- */

/* The claim as a composition: the event, or what (epsilon, delta) says. */
static dusk_status make_claim(exec_audit *audit, dusk_error *err)
{
    const audit_settings *settings = audit->job->settings;
    dusk_status status = DUSK_OK;
    dusk_event event;
    if (settings->event) {
        dusk_neighbours neighbours = account_replacing(settings->event) ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        DUSK_TRY(dusk_composition_new(&audit->claim, neighbours, err));
        status = dusk_composition_parse(audit->claim, settings->event, err);
        if (status == DUSK_ERR_PARSE) account_explain(err, settings->event, NULL);
        return status;
    }
    DUSK_TRY(dusk_composition_new(&audit->claim, DUSK_ADD_REMOVE, err));
    if (settings->delta > 0)
        DUSK_TRY(dusk_event_approx(&event, settings->epsilon, settings->delta, err));
    else
        DUSK_TRY(dusk_event_pure(&event, settings->epsilon, err));
    status = dusk_composition_add(audit->claim, &event, 1, err);
done:
    return status;
}

dusk_status exec_claim_at(const exec_audit *audit, double delta, double *epsilon, dusk_error *err)
{
    dusk_account found;
    dusk_status status = dusk_account_epsilon(&found, audit->claim, delta, DUSK_BEST, err);
    if (status == DUSK_OK) *epsilon = found.bound.upper;
    return status;
}

static dusk_status set_options(exec_audit *audit, dusk_error *err)
{
    const audit_settings *settings = audit->job->settings;
    dusk_audit_options *options = &audit->options;
    double epsilon = 0;
    dusk_status status = DUSK_OK;
    dusk_audit_options_init(options);
    DUSK_TRY(make_claim(audit, err));
    if (settings->event) {
        DUSK_TRY(exec_claim_at(audit, settings->delta, &epsilon, err));
        if (!isfinite(epsilon))
            return fail_usage(err, "add --delta 1e-6: where epsilon is printed",
                              "the event has no finite epsilon at this delta");
        options->event = audit->claim;
    }
    options->epsilon = settings->event ? epsilon : settings->epsilon;
    options->delta = settings->delta;
    options->confidence = settings->confidence;
    options->alarm = settings->alarm;
    options->worth = settings->worth;
    options->draws = (uint64_t)settings->draws;
    if (!options->draws) options->draws = settings->one_draw ? ONE_DRAW_DRAWS : DRAWS_MOST;
    if (settings->search) options->search = settings->moves == 0 ? DUSK_ONE_MOVES : DUSK_ALL_MOVE;
done:
    return status;
}

/* ---- The inputs ------------------------------------------------------------------------ */

/* One more pair of words. `a` is `length` bytes long. */
static dusk_status add_words(exec_audit *audit, const char *a, size_t length, const char *b, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *copy[2] = { NULL, NULL };
    size_t n = audit->word_count, sizes[2] = { length, strlen(b) };
    const char *from[2] = { a, b };
    if (sizes[0] == sizes[1] && !memcmp(a, b, length))
        return dusk_fail(err, DUSK_ERR_PARSE, "give two inputs that differ as neighbours do, like 5,6",
                         "both inputs of a pair are '%.60s'", b);
    for (int i = 0; i < 2; i++) {
        DUSK_NEW(copy[i], sizes[i] + 1);
        memcpy(copy[i], from[i], sizes[i]);
    }
    if (audit->word_room < n + 2) {
        size_t room = audit->word_room ? 2 * audit->word_room : 16;
        void *larger = dusk_larger(audit->words, n, room, sizeof *audit->words);
        if (!larger) {
            status = dusk_fail_memory(err);
            goto done;
        }
        audit->words = larger;
        audit->word_room = room;
    }
    for (int i = 0; i < 2; i++) {
        audit->words[n + (size_t)i] = copy[i];
        copy[i] = NULL;
    }
    audit->word_count = n + 2;
done:
    dusk_deallocate(copy[0]);
    dusk_deallocate(copy[1]);
    return status;
}

__attribute__((format(printf, 2, 0))) static dusk_status fail_pairs(dusk_error *err, const char *what,
                                                                    size_t number)
{
    return dusk_fail(err, DUSK_ERR_PARSE, "one pair a line, a tab between its two inputs", what, number);
}

static dusk_status read_pairs(exec_audit *audit, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK, closed;
    dusk_input input = { .file = NULL };
    char *line = NULL;
    size_t room = 0, number = 0;
    bool any = true;
    DUSK_TRY(dusk_input_open(&input, path, NULL, DUSK_INPUT_NAMED, err));
    for (;;) {
        DUSK_TRY(dusk_input_whole(&input, &line, &room, &any, err));
        if (!any) break;
        number++;
        line[strcspn(line, "\r")] = '\0';
        const char *tab = strchr(line, '\t');
        if (!tab) DUSK_TRY(fail_pairs(err, "there is no tab in pair %zu of the file", number));
        if (number > PAIRS_MAX) DUSK_TRY(fail_pairs(err, "there are %zu pairs or more in the file", number));
        DUSK_TRY(add_words(audit, line, (size_t)(tab - line), tab + 1, err));
    }
    if (number == 0) status = fail_pairs(err, "there are %zu pairs in the file", number);
done:
    closed = dusk_input_close(&input, err);
    dusk_deallocate(line);
    return status == DUSK_OK ? closed : status;
}

/* Inputs that are words stand for their numbers in the list. */
static dusk_status pair_words(exec_audit *audit, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t n = audit->word_count / 2;
    DUSK_NEW(audit->numbers, 2 * n);
    DUSK_NEW(audit->own_pairs, n);
    for (size_t i = 0; i < 2 * n; i++) audit->numbers[i] = (double)i;
    for (size_t i = 0; i < n; i++)
        audit->own_pairs[i] = (dusk_input_pair){ { &audit->numbers[2 * i], &audit->numbers[2 * i + 1] }, "" };
    audit->pairs = audit->own_pairs;
    audit->pair_count = n;
done:
    return status;
}

static dusk_status make_pairs(exec_audit *audit, dusk_error *err)
{
    const audit_settings *settings = audit->job->settings;
    dusk_status status = DUSK_OK;
    if (settings->queries > 0) {
        dusk_distance distance = settings->moves == 0 ? DUSK_ONE_MOVES : DUSK_ALL_MOVE;
        DUSK_TRY(dusk_input_pairs_new(&audit->standard, (size_t)settings->queries, distance, err));
        audit->pairs = audit->standard->list;
        audit->pair_count = audit->standard->count;
        return DUSK_OK;
    }
    if (settings->inputs) {
        const char *comma = strchr(settings->inputs, ',');
        if (!comma)
            return fail_usage(err, "for example --inputs 5,6: the words before and after the first comma",
                              "--inputs must be two inputs with a comma between them");
        DUSK_TRY(add_words(audit, settings->inputs, (size_t)(comma - settings->inputs), comma + 1, err));
    } else {
        DUSK_TRY(read_pairs(audit, settings->pairs, err));
    }
    status = pair_words(audit, err);
done:
    return status;
}

/* ---- The run ----------------------------------------------------------------------------- */

static dusk_status open_program(exec_audit *audit, dusk_error *err)
{
    const audit_settings *settings = audit->job->settings;
    dusk_status status = DUSK_OK;
    uint64_t few = audit->options.draws;
    program_request request = { .command = audit->job->parsed->program,
                                .inputs = (const char *const *)audit->words,
                                .input_length = settings->queries > 0 ? (size_t)settings->queries : 1,
                                .first = few && few < FIRST_LINES ? few : FIRST_LINES,
                                .one_draw = settings->one_draw };
    DUSK_TRY(program_draws_new(&audit->draws, &request, err));
    for (size_t i = 0; i < audit->pair_count && i < LOOKED_AT; i++)
        for (int side = 0; side < 2; side++)
            DUSK_TRY(program_draws_look(audit->draws, audit->pairs[i].input[side], err));
    status = program_draws_settle(audit->draws, &audit->sampler, err);
done:
    return status;
}

static void close_audit(exec_audit *audit)
{
    program_draws_free(audit->draws);
    for (size_t i = 0; i < audit->word_count; i++) dusk_deallocate(audit->words[i]);
    dusk_deallocate(audit->words);
    dusk_deallocate(audit->numbers);
    dusk_deallocate(audit->own_pairs);
    dusk_input_pairs_free(audit->standard);
    dusk_composition_free(audit->claim);
    exec_curve_free(audit);
}

/* The last step counts on P and then on Q: those are the inputs that the search ended with. */
static void keep_varied(exec_audit *audit)
{
    for (size_t side = 0; side < 2; side++) {
        const char *input = program_draws_recent(audit->draws, 1 - side);
        snprintf(audit->varied[side], sizeof audit->varied[side], "%s", input ? input : "");
    }
}

dusk_status audit_exec(audit_job *job, dusk_error *err)
{
    exec_audit audit = { .job = job };
    dusk_status status = DUSK_OK;
    DUSK_TRY(check_claim(job, err));
    DUSK_TRY(check_inputs(job, err));
    DUSK_TRY(exec_curve_plan(&audit, err));
    DUSK_TRY(set_options(&audit, err));
    DUSK_TRY(make_pairs(&audit, err));
    DUSK_TRY(open_program(&audit, err));
    DUSK_TRY(
        dusk_audit_run(&audit.report, &audit.sampler, audit.pairs, audit.pair_count, &audit.options, err));
    keep_varied(&audit);
    DUSK_TRY(exec_curve_measure(&audit, err));
    program_draws_rest(audit.draws);
    exec_print(&audit);
    DUSK_TRY(exec_curve_plot(&audit, err));
    DUSK_TRY(dusk_output_flush(err));
    DUSK_TRY(exec_renyi_conclude(&audit, err));
    status = audit_conclude(job, &audit.report, err);
done:
    close_audit(&audit);
    return status;
}
