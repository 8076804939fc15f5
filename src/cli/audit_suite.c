/* SPDX-License-Identifier: Apache-2.0 */
/* dusk audit suite: the standard subjects, right and broken, the samplers of noise as
 * doubles, and every mechanism of Dusk; one line each, and whether it was sorted as it
 * should be. See audit.h. */
#include "cli/audit_suite.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define NAMES_MAX 64 /* words of --only */
#define WORD_SIZE 64

static const char *part_name(dusk_suite_part part)
{
    switch (part) {
    case DUSK_SUITE_STANDARD: return "standard";
    case DUSK_SUITE_FLOATS: return "floats";
    case DUSK_SUITE_DUSK: return "dusk";
    }
    return "?";
}

/* ---- Which ones ------------------------------------------------------------------- */

static dusk_status refuse_word(const char *word, dusk_error *err)
{
    char hint[200];
    dusk_text text;
    dusk_suggestion suggestion;
    dusk_suggestion_init(&suggestion, word);
    for (size_t i = 0; i < dusk_suite_size(); i++) dusk_suggestion_offer(&suggestion, dusk_suite_at(i)->name);
    dusk_text_init(&text, hint, sizeof hint);
    if (suggestion.best)
        dusk_text_add(&text, "did you mean %s?", suggestion.best);
    else
        dusk_text_add(&text, "dusk audit suite --list names them all; * stands for anything: 'svt*'");
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "no subject is called %.60s", word);
}

/* Mark in `wanted` what one word of --only names. */
static dusk_status want_word(bool *wanted, const char *word, dusk_error *err)
{
    bool any = false;
    for (size_t i = 0; i < dusk_suite_size(); i++)
        if (!fnmatch(word, dusk_suite_at(i)->name, 0)) any = wanted[i] = true;
    return any ? DUSK_OK : refuse_word(word, err);
}

static dusk_status want_words(bool *wanted, const char *words, dusk_error *err)
{
    for (const char *at = words; at;) {
        char word[WORD_SIZE];
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (length == 0 || length >= sizeof word)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --only svt1,svt3,'dusk.*'",
                             "--only must be names of subjects, commas between them");
        memcpy(word, at, length);
        word[length] = '\0';
        dusk_status status = want_word(wanted, word, err);
        if (status != DUSK_OK) return status;
        at = comma ? comma + 1 : NULL;
    }
    return DUSK_OK;
}

static dusk_status choose(suite_run *run, bool *wanted, dusk_error *err)
{
    const audit_settings *settings = run->job->settings;
    size_t n = 0;
    if (settings->only) {
        dusk_status status = want_words(wanted, settings->only, err);
        if (status != DUSK_OK) return status;
    }
    for (size_t i = 0; i < dusk_suite_size(); i++) {
        bool in_part = settings->part < 0 || (int)dusk_suite_at(i)->part == settings->part + 1;
        if ((settings->only && !wanted[i]) || !in_part) continue;
        run->list[n++].subject = i;
    }
    run->count = n;
    if (n == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave one of the two out",
                         "none of the subjects of --only is in that --part");
    return DUSK_OK;
}

/* ---- One line each ---------------------------------------------------------------- */

static bool is_right(const suite_line *line) { return line->result.report.verdict == line->result.expected; }

/* A right one of which too little could be seen is no mistake of the auditor. */
static bool is_undecided(const suite_line *line)
{
    return line->result.expected == DUSK_PASS && line->result.report.verdict == DUSK_INCONCLUSIVE;
}

static void put_exact(char text[16], double exact)
{
    if (isnan(exact))
        snprintf(text, 16, "-");
    else if (isinf(exact))
        snprintf(text, 16, "inf");
    else
        snprintf(text, 16, "%.3f", exact);
}

static void print_line(const suite_run *run, const suite_line *line)
{
    const dusk_audit_report *report = &line->result.report;
    char exact[16], draws[DUSK_DECIMAL_SIZE], claimed[DUSK_DECIMAL_SIZE], measured[DUSK_DECIMAL_SIZE],
        seen[DUSK_DECIMAL_SIZE], percent[DUSK_DECIMAL_SIZE];
    dusk_decimal_percent(percent, run->job->settings->confidence);
    put_exact(exact, line->result.exact);
    dusk_format_up(claimed, sizeof claimed, report->claimed, 3);
    dusk_format_up(seen, sizeof seen, report->detectable, 3);
    audit_put_down(measured, report->epsilon, 3);
    audit_put_draws(draws, report->draws);
    printf("%-*s  claimed %s | measured >= %6s (%s %%) | exact %6s | %-12s | %s draws | %5.1f s", run->width,
           dusk_suite_at(line->subject)->name, claimed, measured, percent, exact,
           dusk_verdict_name(report->verdict), draws, line->cpu_s);
    if (report->delta > 0) printf(" | delta %s", dusk_shown_up(report->delta, 6).text);
    if (report->density == DUSK_DENSITY_TRUSTED) printf(" | by its density");
    if (report->verdict == DUSK_INCONCLUSIVE) printf(" | could have caught %s", seen);
    if (!is_right(line) && !is_undecided(line))
        printf(" | EXPECTED %s", dusk_verdict_name(line->result.expected));
    putchar('\n');
}

static const char *density_name(dusk_density_use density)
{
    switch (density) {
    case DUSK_DENSITY_UNUSED: return "unused";
    case DUSK_DENSITY_SCORE: return "score";
    case DUSK_DENSITY_TRUSTED: return "trusted";
    }
    return "?";
}

static void json_line(const suite_line *line)
{
    const dusk_suite_subject *subject = dusk_suite_at(line->subject);
    const dusk_audit_report *report = &line->result.report;
    dusk_json json = { .file = stdout };
    dusk_json_open(&json, '{');
    dusk_json_string_field(&json, "subject", subject->name);
    audit_json_report(&json, report, line->result.exact, line->cpu_s);
    dusk_json_bool_field(&json, "exact_infinite", isinf(line->result.exact));
    dusk_json_string_field(&json, "expected", dusk_verdict_name(line->result.expected));
    dusk_json_string_field(&json, "part", part_name(subject->part));
    dusk_json_string_field(&json, "density", density_name(report->density));
    dusk_json_string_field(&json, "summary", subject->summary);
    dusk_json_close(&json, '}');
    putchar('\n');
}

static dusk_status audit_all(suite_run *run, dusk_error *err)
{
    const audit_settings *settings = run->job->settings;
    dusk_generator *gen = NULL;
    dusk_audit_options options;
    dusk_progress progress;
    dusk_status status = DUSK_OK;

    DUSK_TRY(dusk_generator_new(&gen, err));
    dusk_audit_options_init(&options);
    options.confidence = settings->confidence;
    options.alarm = settings->alarm;
    options.draws = (uint64_t)settings->draws;
    dusk_progress_start(&progress, run->count, 0);
    for (size_t i = 0; i < run->count; i++) {
        suite_line *line = &run->list[i];
        double before = audit_cpu();
        dusk_progress_count(&progress, i);
        status = dusk_suite_audit(&line->result, line->subject, settings->epsilon, &options, gen, err);
        line->cpu_s = audit_cpu() - before;
        dusk_progress_end(&progress);
        if (status != DUSK_OK) break;
        if (settings->json)
            json_line(line);
        else
            print_line(run, line);
        status = dusk_output_flush(err); /* minutes before the end of it all */
        if (status != DUSK_OK) break;
    }
done:
    dusk_generator_free(gen);
    return status;
}

/* ---- What came of it -------------------------------------------------------------- */

static void print_parts(const suite_run *run)
{
    const char *between = "";
    for (int part = DUSK_SUITE_STANDARD; part <= DUSK_SUITE_DUSK; part++) {
        double seconds = 0;
        size_t n = 0;
        for (size_t i = 0; i < run->count; i++) {
            if ((int)dusk_suite_at(run->list[i].subject)->part != part) continue;
            seconds += run->list[i].cpu_s;
            n++;
        }
        if (n == 0) continue;
        printf("%s%zu %s in %.1f CPU s", between, n, part_name((dusk_suite_part)part), seconds);
        between = ", ";
    }
    putchar('\n');
}

/* The least of measured / exact where that is finite, and the claim was the auditor's to miss. */
static const suite_line *least_sharp(const suite_run *run)
{
    const suite_line *least = NULL;
    for (size_t i = 0; i < run->count; i++) {
        const suite_line *line = &run->list[i];
        if (!(isfinite(line->result.exact) && line->result.exact > 0)) continue;
        if (!least || line->result.report.epsilon / line->result.exact <
                          least->result.report.epsilon / least->result.exact)
            least = line;
    }
    return least;
}

static void print_summary(const suite_run *run)
{
    const suite_line *least = least_sharp(run);
    size_t right = 0, undecided = 0;
    for (size_t i = 0; i < run->count; i++) {
        right += is_right(&run->list[i]);
        undecided += is_undecided(&run->list[i]);
    }
    printf("\nsorted right    %zu of %zu", right, run->count);
    if (undecided) printf(", %zu inconclusive", undecided);
    if (least)
        printf("\nleast sharp     %.3f of what is exact (%s)",
               least->result.report.epsilon / least->result.exact, dusk_suite_at(least->subject)->name);
    printf("\nparts           ");
    print_parts(run);
}

/* The names of what is not as expected. */
static dusk_status conclude(const suite_run *run, dusk_error *err)
{
    char names[200];
    dusk_text text;
    size_t wrong = 0, listed = 0;
    dusk_text_init(&text, names, sizeof names);
    for (size_t i = 0; i < run->count; i++) {
        const suite_line *line = &run->list[i];
        if (is_right(line) || (is_undecided(line) && !run->job->settings->strict)) continue;
        wrong++;
        const char *name = dusk_suite_at(line->subject)->name;
        if (text.length + strlen(name) + 3 > sizeof names) continue;
        dusk_text_add(&text, "%s%s", listed++ ? ", " : "", name);
    }
    if (wrong == 0) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_CHECK, "", "%zu of %zu verdicts are not as expected: %s%s", wrong,
                     run->count, names, wrong > listed ? ", ..." : "");
}

static dusk_status list_subjects(void)
{
    int width = 0;
    for (size_t i = 0; i < dusk_suite_size(); i++) {
        int length = (int)strlen(dusk_suite_at(i)->name);
        if (length > width) width = length;
    }
    for (size_t i = 0; i < dusk_suite_size(); i++) {
        const dusk_suite_subject *subject = dusk_suite_at(i);
        printf("%-*s  %-8s  %s\n", width, subject->name, part_name(subject->part), subject->summary);
    }
    return DUSK_OK;
}

dusk_status audit_suite(audit_job *job, dusk_error *err)
{
    suite_run run = { .job = job };
    bool *wanted = NULL;
    dusk_status status = DUSK_OK;

    if (job->settings->list) return list_subjects();
    if (!audit_given(job, "epsilon"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example dusk audit suite --epsilon 0.7",
                         "suite needs --epsilon, or --list");
    DUSK_NEW(wanted, dusk_suite_size());
    DUSK_NEW(run.list, dusk_suite_size());
    DUSK_TRY(choose(&run, wanted, err));
    for (size_t i = 0; i < run.count; i++) {
        int length = (int)strlen(dusk_suite_at(run.list[i].subject)->name);
        if (length > run.width) run.width = length;
    }
    DUSK_TRY(audit_all(&run, err));
    if (!job->settings->json) print_summary(&run);
    if (job->settings->plot) DUSK_TRY(suite_plot(&run, err));
    DUSK_TRY(conclude(&run, err));
done:
    dusk_deallocate(wanted);
    dusk_deallocate(run.list);
    return status;
}
