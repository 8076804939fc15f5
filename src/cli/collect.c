/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect: what its words have in common; see collect.h. */
#include "cli/collect_places.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cli/operands.h"

#define TASK_MOST 65536

bool collect_given(const collect_job *job, const char *option)
{
    return dusk_options_given(&dusk_collect_command, job->parsed, option);
}

dusk_status collect_one_input(const collect_job *job, const char **path, dusk_error *err)
{
    if (job->input_count > 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->word->example, "%s reads one file", job->word->name);
    *path = job->input_count ? job->inputs[0] : NULL;
    return DUSK_OK;
}

/* ---- Surveys -------------------------------------------------------------------------------------- */

void collect_survey_options(const collect_job *job, dusk_randomiser mechanism, dusk_survey_options *options)
{
    const collect_settings *s = job->settings;
    dusk_survey_options_init(options);
    if (s->name) options->name = s->name;
    options->mechanism = mechanism;
    options->epsilon = s->epsilon;
    options->domain = collect_given(job, "domain") ? (uint64_t)s->domain : 0;
    if (collect_given(job, "low")) options->low = s->low;
    if (collect_given(job, "high")) options->high = s->high;
    options->width = (uint32_t)s->width;
    options->rows = (uint32_t)s->rows;
    options->hashes = (uint32_t)s->hashes;
    options->seed = (uint64_t)s->seed;
    collect_attributes_set(&job->attributes, options);
    if (job->attributes.count) options->hashes = (uint32_t)s->order;
    if (collect_given(job, "permanent")) options->permanent = s->permanent;
    if (!dusk_randomiser_finds(mechanism)) return;
    options->domain = (uint64_t)s->length;
    options->hashes = (uint32_t)s->step;
}

dusk_status collect_read_survey(const char *path, dusk_survey *out, dusk_error *err)
{
    char text[TASK_MOST];
    FILE *file = fopen(path, "rb");
    errno = 0;
    const size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    const int why = file && !ferror(file) ? 0 : errno ? errno : EIO;
    if (file) (void)fclose(file);
    if (!file || why)
        return dusk_fail(err, DUSK_ERR_IO, "make one with dusk collect plan --out", "cannot read %.150s: %s",
                         path, strerror(file ? why : ENOENT));
    return dusk_survey_parse(out, text, length, err);
}

dusk_status collect_read_task(const collect_job *job, dusk_survey *out, dusk_error *err)
{
    return collect_read_survey(job->settings->task, out, err);
}

dusk_status collect_promise(const dusk_survey *survey, dusk_statement *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    const bool places = collect_is_places(survey);
    char fact[120];
    DUSK_TRY(dusk_survey_event(&event, survey, err));
    DUSK_TRY(dusk_statement_init(out, &event, 0, DUSK_REPLACE_ONE, places ? "location" : "report", err));
    DUSK_TRY(dusk_statement_assume(out, "a person reports once", err));
    snprintf(fact, sizeof fact, "a place is exchanged for one at most %.6g away", survey->within);
    if (places) DUSK_TRY(dusk_statement_assume(out, fact, err));
done:
    return status;
}

uint64_t collect_steps(const dusk_survey *survey, double x)
{
    const double top = 4294967295.0, half = survey->high / 2 - survey->low / 2;
    const double part = isnan(x) ? 0.5 : (x / 2 - survey->low / 2) / half;
    return (uint64_t)floor(fmin(fmax(part, 0), 1) * top + 0.5);
}

double collect_reach(double confidence)
{
    double low = 0, high = 40;
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) > 1 - confidence)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- The command -------------------------------------------------------------------------------------- */

static dusk_status check_numbers(const collect_job *job, dusk_error *err)
{
    const collect_settings *s = job->settings;
    if (collect_given(job, "epsilon") && !(s->epsilon > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --epsilon 1", "--epsilon must be above 0");
    if (!(s->confidence > 0 && s->confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --confidence 0.95",
                         "--confidence must be above 0 and below 1");
    if (!(s->checkpoint >= 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --checkpoint 10",
                         "--checkpoint must not be below 0");
    if (!(s->liars >= 0 && s->liars < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --liars 0.05",
                         "--liars is a share, from 0 to below 1");
    if (collect_given(job, "discoveries") && !(s->discoveries > 0 && s->discoveries < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --discoveries 0.05",
                         "--discoveries is a rate, above 0 and below 1");
    if (collect_given(job, "threshold-epsilon") && !(s->threshold_epsilon > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --threshold-epsilon 1",
                         "--threshold-epsilon must be above 0");
    if (!(s->delta > 0 && s->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --delta 1e-6",
                         "--delta must be above 0 and below 1");
    if (!(s->rate > 0 && s->rate < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --rate 0.05",
                         "--rate must be above 0 and below 1");
    if (!(s->zipf >= 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --zipf 1.1", "--zipf must not be below 0");
    if (collect_given(job, "low") != collect_given(job, "high"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --low 0 --high 100",
                         "--low and --high go together");
    if (!collect_given(job, "grid") &&
        (collect_given(job, "cell") || collect_given(job, "corner") || collect_given(job, "within")))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --grid 50x40 --cell 100 --within 500",
                         "--cell, --corner and --within are for places, with --grid");
    return DUSK_OK;
}

static const struct {
    const char *word;
    collect_function *run;
} functions[] = {
    { "shuffle", collect_shuffle },     { "plan", collect_plan },
    { "encode", collect_encode },       { "aggregate", collect_aggregate },
    { "estimate", collect_estimate },   { "simulate", collect_simulate },
    { "associate", collect_associate }, { NULL, NULL },
};

static dusk_status run(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    collect_job job = { .settings = settings, .parsed = parsed };
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_operand_find(&job.word, &dusk_collect_command, parsed, "dusk collect -h", err));
    DUSK_TRY(dusk_operand_check(job.word, &dusk_collect_command, parsed, "", err));
    job.inputs = (const char *const *)parsed->operands + 1;
    job.input_count = parsed->operand_count - 1;
    DUSK_TRY(check_numbers(&job, err));
    DUSK_TRY(collect_attributes_read(&job.attributes, job.settings->attributes, err));
    for (size_t i = 0; functions[i].word; i++)
        if (!strcmp(functions[i].word, job.word->name)) return functions[i].run(&job, err);
    status = dusk_fail(err, DUSK_ERR_INTERNAL, "", "%s is listed only", job.word->name);
done:
    return status;
}

const dusk_command dusk_collect_command = {
    .name = "dusk collect",
    .summary = "surveys whose reports are private before they leave a device",
    .synopsis = "plan --domain D --users N --epsilon E [--out TASK.json]\n"
                "encode --task TASK.json [options] [FILE]\n"
                "shuffle --task TASK.json --out FILE [RECORDS ...]\n"
                "aggregate --task TASK.json --state FILE [RECORDS ...]\n"
                "estimate --state FILE [options]\n"
                "associate --task TASK.json --with TASK.json RECORDS RECORDS\n"
                "simulate --mechanism M --domain D --users N --epsilon E [options]",
    .operand = "Steps",
    .noun = "a step",
    .operands = dusk_collect_words,
    .options = dusk_collect_options_table,
    .sections = dusk_collect_sections,
    .examples = dusk_collect_examples,
    .settings_size = sizeof(collect_settings),
    .run = run,
};
