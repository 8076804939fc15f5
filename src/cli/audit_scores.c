/* SPDX-License-Identifier: Apache-2.0 */
/* dusk audit scores: a model from scores of canaries; see audit_scores.h. */
#include "cli/audit_scores.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"

/* The names of --lira in the order of its choices. */
static void lira_of(dusk_lira_options *out, int choice)
{
    dusk_lira_options_init(out);
    out->offline = choice == 1 || choice == 3;
    out->global_variance = choice == 2 || choice == 3;
    out->relative = choice == 4;
}

/* --- what is asked ------------------------------------------------------------------------ */

static dusk_status read_guesses(dusk_score_options *options, const char *text, dusk_error *err)
{
    double numbers[2];
    size_t n = dusk_parse_list(text, ',', numbers, 2);
    bool whole = n == 2;
    for (size_t i = 0; i < n; i++)
        whole = whole && numbers[i] >= 0 && numbers[i] < 1e15 && numbers[i] == floor(numbers[i]);
    if (!whole)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --guesses 100,0",
                         "--guesses must have the form MEMBERS,OTHERS, two whole numbers");
    options->rule = DUSK_CHOICE_FIXED;
    options->positives = (uint64_t)numbers[0];
    options->negatives = (uint64_t)numbers[1];
    return DUSK_OK;
}

/* Options that would be ignored are refused. */
static dusk_status check_pointless(const audit_job *job, dusk_error *err)
{
    bool runs = job->settings->runs;
    if (runs && (audit_given(job, "guesses") || audit_given(job, "split")))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --runs out, or give --threshold",
                         "--guesses and --split are for canaries of one run");
    if (runs && audit_given(job, "coins"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave one of them out",
                         "--coins is about canaries of one run, --runs about runs of their own");
    if (runs && audit_given(job, "lira"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --runs out: they are canaries of one run",
                         "the scores of --lira are all of the one model that is audited");
    if (!runs && audit_given(job, "threshold"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --runs where each score is of a run of its own",
                         "--threshold is for scores of many runs");
    if (audit_given(job, "guesses") && audit_given(job, "split"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave one of them out",
                         "--guesses says what to count, --split has it chosen");
    if (audit_given(job, "epsilon") && audit_given(job, "event"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave one of them out",
                         "--epsilon and --event are two claims");
    if (runs && audit_given(job, "event"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --epsilon and --delta",
                         "--event is for canaries of one run");
    return DUSK_OK;
}

static dusk_status read_options(dusk_score_options *out, const audit_job *job, dusk_error *err)
{
    const audit_settings *s = job->settings;
    dusk_score_options_init(out);
    out->epsilon = audit_given(job, "epsilon") ? s->epsilon : NAN;
    out->delta = s->delta;
    out->confidence = s->confidence;
    out->alarm = s->alarm;
    out->many_runs = s->runs;
    out->fair_coins = s->coins;
    out->assume_gaussian = s->assume_gaussian;
    if (s->split) out->rule = DUSK_CHOICE_SPLIT;
    if (audit_given(job, "threshold")) {
        out->rule = DUSK_CHOICE_FIXED;
        out->threshold = s->threshold;
    }
    return s->guesses ? read_guesses(out, s->guesses, err) : DUSK_OK;
}

static dusk_status read_event(dusk_composition **out, const char *text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (!text) return DUSK_OK;
    DUSK_TRY(dusk_composition_new(out, DUSK_ADD_REMOVE, err));
    DUSK_TRY(dusk_composition_parse(*out, text, err));
done:
    return status;
}

/* --- what is said --------------------------------------------------------------------------- */

static const char *assumption(unsigned assumes)
{
    static const char *const words[] = { "", " if Gaussian", " if independent",
                                         " if Gaussian and independent" };
    return words[assumes & 3];
}

static void print_choice(FILE *file, const dusk_score_bound *b)
{
    if (b->rule == DUSK_CHOICE_LIST)
        fprintf(file, " | best of %zu, error shared", b->choices);
    else
        fputs(b->rule == DUSK_CHOICE_SPLIT ? " | chosen on the other half" : " | as given", file);
}

static void print_bound(FILE *file, const dusk_score_bound *b)
{
    char epsilon[DUSK_DECIMAL_SIZE], mu[DUSK_DECIMAL_SIZE];
    dusk_decimal_down(epsilon, b->epsilon, 4);
    dusk_decimal_down(mu, b->mu, 4);
    fprintf(file, "%-16s |", dusk_score_method_name(b->method));
    if (b->method == DUSK_ONE_RUN_EVENT)
        fputs(b->refutes ? " the event is refuted" : " the event is not refuted", file);
    if (!isnan(b->mu)) fprintf(file, " mu >= %s%s", mu, assumption(b->assumes & DUSK_ASSUMES_INDEPENDENT));
    if (!isnan(b->mu) && isfinite(b->epsilon)) fputc(',', file);
    if (isfinite(b->epsilon)) fprintf(file, " epsilon >= %s%s", epsilon, assumption(b->assumes));
    if (!isnan(b->threshold)) {
        fprintf(file, " | score %s %.6g: %.0f of %.0f members, %.0f of %.0f others",
                b->below ? "<" : ">=", b->threshold, (double)b->hits[0], (double)b->trials[0],
                (double)b->hits[1], (double)b->trials[1]);
    } else {
        fprintf(file, " | %.0f right of %.0f guesses (%.0f in, %.0f out)", (double)b->correct,
                (double)b->guesses, (double)b->positives, (double)b->negatives);
    }
    print_choice(file, b);
    fputc('\n', file);
}

/* Exactly, or next to it: their number may have been fixed. */
static bool is_half(const dusk_score_report *report)
{
    return report->members <= report->others + 1 && report->others <= report->members + 1;
}

static void print_verdict(FILE *file, const dusk_score_report *report, const audit_settings *s)
{
    char claimed[DUSK_DECIMAL_SIZE], delta[DUSK_DECIMAL_SIZE], epsilon[DUSK_DECIMAL_SIZE];
    char most[DUSK_DECIMAL_SIZE], percent[DUSK_DECIMAL_SIZE];
    dusk_decimal_percent(percent, s->confidence);
    dusk_decimal_up(claimed, report->claimed, 5);
    dusk_decimal(delta, report->delta);
    dusk_decimal_down(epsilon, report->epsilon, 4);
    dusk_decimal_down(most, report->detectable, 4);
    if (report->verdict) fprintf(file, "claimed %s", claimed);
    if (report->verdict && report->delta > 0) fprintf(file, " at delta %s", delta);
    fprintf(file, "%smeasured >= %s (%s %%%s)", report->verdict ? " | " : "", epsilon, percent,
            s->coins && is_half(report) ? ", coins as declared" : "");
    if (!report->verdict && report->delta > 0) fprintf(file, " at delta %s", delta);
    if (report->verdict) fprintf(file, " | %s", dusk_verdict_name(report->verdict));
    if (report->verdict == DUSK_INCONCLUSIVE)
        fprintf(file, ": at 1 - %g a perfect attack would show %s", s->alarm, most);
    else if (report->verdict == DUSK_PASS && report->epsilon > report->claimed)
        fprintf(file, ": above the claim at %s %%, but not at 1 - %g", percent, s->alarm);
    fputc('\n', file);
}

static dusk_status print_attack(FILE *file, const dusk_scores *scores, double confidence, dusk_error *err)
{
    static const double rates[] = { 0.01, 0.001 };
    dusk_attack_figures figures;
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_scores_figures(&figures, scores, err));
    fprintf(file, "%-16s | AUC %.4f | accuracy %.4f | advantage %.4f, at the best threshold\n", "attack",
            figures.area, figures.accuracy, figures.advantage);
    fprintf(file, "%-16s | median %.2f bits, largest %.2f, of members among the others\n", "exposure",
            figures.exposure_median, figures.exposure_largest);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        dusk_tpr t;
        DUSK_TRY(dusk_scores_tpr(&t, scores, rates[i], confidence, 1, err));
        fprintf(
            file,
            "TPR at %g %% FPR%s | %.2f %% | held out %.2f %% (%.2f to %.2f) at FPR %.2f %% (%.2f to %.2f)\n",
            100 * rates[i], rates[i] > 0.005 ? "  " : "", 100 * t.whole, 100 * t.tpr, 100 * t.tpr_down,
            100 * t.tpr_up, 100 * t.fpr, 100 * t.fpr_down, 100 * t.fpr_up);
    }
done:
    return status;
}

static dusk_status print_text(const dusk_score_report *report, const dusk_scores *scores,
                              const audit_settings *s, dusk_error *err)
{
    printf("%zu scores of %s: %zu members, %zu others\n", report->members + report->others,
           s->runs ? "as many runs" : "one run", report->members, report->others);
    print_verdict(stdout, report, s);
    for (size_t i = 0; i < report->count; i++) print_bound(stdout, &report->bound[i]);
    return print_attack(stdout, scores, s->confidence, err);
}

/* --- JSON --------------------------------------------------------------------------------------- */

static void json_bound(dusk_json *json, const dusk_score_bound *b)
{
    dusk_json_open(json, '{');
    dusk_json_string_field(json, "method", dusk_score_method_name(b->method));
    dusk_json_number_field(json, "epsilon", b->epsilon);
    dusk_json_number_field(json, "epsilon_sure", b->epsilon_sure);
    dusk_json_number_field(json, "mu", b->mu);
    dusk_json_bool_field(json, "if_gaussian", b->assumes & DUSK_ASSUMES_GAUSSIAN);
    dusk_json_bool_field(json, "if_independent", b->assumes & DUSK_ASSUMES_INDEPENDENT);
    dusk_json_bool_field(json, "decides", b->decides);
    dusk_json_bool_field(json, "refutes", b->refutes);
    dusk_json_bool_field(json, "could_refute", b->could);
    dusk_json_number_field(json, "choices", (double)b->choices);
    dusk_json_number_field(json, "canaries", (double)b->canaries);
    if (isnan(b->threshold)) {
        dusk_json_number_field(json, "guessed_in", (double)b->positives);
        dusk_json_number_field(json, "guessed_out", (double)b->negatives);
        dusk_json_number_field(json, "correct", (double)b->correct);
    } else {
        dusk_json_number_field(json, "threshold", b->threshold);
        dusk_json_bool_field(json, "below", b->below);
        dusk_json_number_field(json, "member_hits", (double)b->hits[0]);
        dusk_json_number_field(json, "members", (double)b->trials[0]);
        dusk_json_number_field(json, "other_hits", (double)b->hits[1]);
        dusk_json_number_field(json, "others", (double)b->trials[1]);
    }
    dusk_json_close(json, '}');
}

static dusk_status json_attack(dusk_json *json, const dusk_scores *scores, double confidence, dusk_error *err)
{
    static const double rates[] = { 0.01, 0.001 };
    dusk_attack_figures figures;
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_scores_figures(&figures, scores, err));
    dusk_json_number_field(json, "auc", figures.area);
    dusk_json_number_field(json, "accuracy", figures.accuracy);
    dusk_json_number_field(json, "advantage", figures.advantage);
    dusk_json_number_field(json, "exposure_median", figures.exposure_median);
    dusk_json_number_field(json, "exposure_largest", figures.exposure_largest);
    dusk_json_key(json, "tpr");
    dusk_json_open(json, '[');
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        dusk_tpr t;
        DUSK_TRY(dusk_scores_tpr(&t, scores, rates[i], confidence, 1, err));
        dusk_json_open(json, '{');
        dusk_json_number_field(json, "at_fpr", rates[i]);
        dusk_json_number_field(json, "tpr", t.whole);
        dusk_json_number_field(json, "held_out_tpr", t.tpr);
        dusk_json_number_field(json, "held_out_tpr_down", t.tpr_down);
        dusk_json_number_field(json, "held_out_tpr_up", t.tpr_up);
        dusk_json_number_field(json, "held_out_fpr", t.fpr);
        dusk_json_close(json, '}');
    }
    dusk_json_close(json, ']');
done:
    return status;
}

static dusk_status print_json(const dusk_score_report *report, const dusk_scores *scores,
                              const audit_settings *s, double cpu_s, dusk_error *err)
{
    dusk_json json = { .file = stdout };
    dusk_json_open(&json, '{');
    dusk_json_number_field(&json, "claimed", report->claimed);
    dusk_json_number_field(&json, "delta", report->delta);
    dusk_json_number_field(&json, "measured", report->epsilon);
    dusk_json_number_field(&json, "measured_sure", report->epsilon_sure);
    dusk_json_key(&json, "verdict");
    if (report->verdict)
        dusk_json_string(&json, dusk_verdict_name(report->verdict));
    else
        dusk_json_null(&json);
    dusk_json_number_field(&json, "detectable", report->detectable);
    dusk_json_number_field(&json, "members", (double)report->members);
    dusk_json_number_field(&json, "others", (double)report->others);
    dusk_json_bool_field(&json, "runs", s->runs);
    if (s->coins) dusk_json_bool_field(&json, "coins_declared", true);
    dusk_json_key(&json, "bounds");
    dusk_json_open(&json, '[');
    for (size_t i = 0; i < report->count; i++) json_bound(&json, &report->bound[i]);
    dusk_json_close(&json, ']');
    dusk_status status = json_attack(&json, scores, s->confidence, err);
    dusk_json_number_field(&json, "cpu_s", cpu_s);
    dusk_json_close(&json, '}');
    fputc('\n', stdout);
    return status;
}

/* --- the word ------------------------------------------------------------------------------------- */

/* Of the bounds that show it, the largest. */
static dusk_status fail_violation(const dusk_score_report *report, dusk_error *err)
{
    char text[DUSK_DECIMAL_SIZE];
    const dusk_score_bound *best = NULL;
    for (size_t i = 0; i < report->count; i++) {
        const dusk_score_bound *b = &report->bound[i];
        if (b->decides && b->refutes && (!best || !(best->epsilon_sure >= b->epsilon_sure))) best = b;
    }
    if (best->method == DUSK_ONE_RUN_EVENT)
        return dusk_fail(err, DUSK_ERR_CHECK, "", "the claim does not hold: the event is refuted");
    dusk_decimal_down(text, best->epsilon_sure, 4);
    return dusk_fail(err, DUSK_ERR_CHECK, "", "the claim does not hold: epsilon is at least %s (%s%s)", text,
                     dusk_score_method_name(best->method), assumption(best->assumes));
}

static dusk_status conclude(const audit_settings *s, const dusk_score_report *report, dusk_error *err)
{
    char text[DUSK_DECIMAL_SIZE];
    if (report->verdict == DUSK_VIOLATION) return fail_violation(report, err);
    if (report->verdict == DUSK_INCONCLUSIVE && s->strict) {
        dusk_decimal_down(text, report->detectable, 4);
        return dusk_fail(err, DUSK_ERR_CHECK, "score more canaries, or more runs",
                         "inconclusive: at 1 - %g a perfect attack on so many scores would show %s", s->alarm,
                         text);
    }
    return DUSK_OK;
}

/* One run cannot accuse a claim that may fail outright with a chance of delta. */
static void note_delta(const audit_settings *s, const dusk_score_report *report)
{
    if (report->verdict == DUSK_INCONCLUSIVE && report->detectable == 0 && !s->event && s->delta >= s->alarm)
        dusk_output_note("note",
                         "a mechanism with this delta may give everything away with that chance; one run "
                         "can only show more at an --alarm above it");
}

/* Half are members: see dusk_scores_audit. */
static void note_half(const audit_settings *s, const dusk_score_report *report)
{
    if (s->runs || !is_half(report)) return;
    if (s->coins)
        dusk_output_note("note",
                         "half are members: the lines \"one run\" hold because you say that fair coins "
                         "put them in (--coins), and not for a fixed number of members");
    else
        dusk_output_note("note",
                         "half are members: the lines \"one run\" are at a smaller error, at which they "
                         "hold for a fixed number of members, too");
}

static dusk_status check_operands(const audit_job *job, dusk_error *err)
{
    if (job->parsed->operand_count == 2) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk audit scores scores.csv --epsilon 1 --delta 1e-5",
                     job->parsed->operand_count < 2 ? "say which file has the scores"
                                                    : "one file of scores at a time");
}

static dusk_status check_kinds(const dusk_scores *scores, const char *path, dusk_error *err)
{
    if (dusk_scores_members(scores) && dusk_scores_others(scores)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_PARSE, "score both members and others",
                     "%.100s has scores of one kind only", path);
}

dusk_status audit_scores(audit_job *job, dusk_error *err)
{
    const audit_settings *s = job->settings;
    audit_score_table table = { .n = 0 };
    audit_score_request request = { .columns = s->columns, .runs = s->runs, .lira = s->lira >= 0 };
    dusk_score_options options;
    dusk_score_report report;
    dusk_scores *scores = NULL;
    dusk_composition *event = NULL;
    dusk_status status = DUSK_OK;
    double start = audit_cpu();
    DUSK_TRY(check_operands(job, err));
    DUSK_TRY(check_pointless(job, err));
    DUSK_TRY(read_options(&options, job, err));
    DUSK_TRY(read_event(&event, s->event, err));
    options.event = event;
    request.path = job->parsed->operands[1];
    lira_of(&request.lira_options, s->lira);
    DUSK_TRY(audit_score_read(&table, &request, err));
    DUSK_TRY(dusk_scores_new(&scores, table.score, table.member, table.n, err));
    DUSK_TRY(check_kinds(scores, request.path, err));
    status = dusk_scores_audit(&report, scores, &options, err);
    if (status == DUSK_ERR_UNSUPPORTED && !event) /* it is the file, not the request */
        err->status = status = DUSK_ERR_PARSE;
    if (status != DUSK_OK) goto done;
    if (s->plot) DUSK_TRY(audit_score_plot(s->plot, request.path, scores, report.claimed, s->delta, err));
    if (s->json)
        DUSK_TRY(print_json(&report, scores, s, audit_cpu() - start, err));
    else
        DUSK_TRY(print_text(&report, scores, s, err));
    DUSK_TRY(dusk_output_flush(err));
    if (s->plot) dusk_output_note("drawn", "%s", s->plot);
    if (table.unscored)
        dusk_output_note("note", "%zu examples have too few models and no score", table.unscored);
    note_delta(s, &report);
    note_half(s, &report);
    status = conclude(s, &report, err);
done:
    audit_score_table_free(&table);
    dusk_scores_free(scores);
    dusk_composition_free(event);
    return status;
}
