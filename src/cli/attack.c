/* SPDX-License-Identifier: Apache-2.0 */
/* dusk attack: what all its words have in common; see attack.h. */
#include "cli/attack.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/operands.h"

bool attack_given(const attack_job *job, const char *option)
{
    return dusk_options_given(&dusk_attack_command, job->parsed, option);
}

const char *attack_release_name(const attack_job *job)
{
    static const char *const names[] = { "exact", "dusk", "overspent", "kept" };
    return job->settings->release < 0 ? "given" : names[job->settings->release];
}

/* ---- Answers ---------------------------------------------------------------------------------- */

void attack_say(attack_job *job, const char *label, const char *format, ...)
{
    va_list args;
    if (job->settings->json) return;
    fprintf(job->out, "%s: ", label);
    va_start(args, format);
    vfprintf(job->out, format, args);
    va_end(args);
    fputc('\n', job->out);
}

void attack_number(attack_job *job, const char *key, double x)
{
    if (job->settings->json) dusk_json_number_field(&job->json, key, x);
}

dusk_status attack_say_spent(attack_job *job, dusk_error *err)
{
    dusk_account price;
    dusk_status status = DUSK_OK;
    double delta = isnan(job->settings->delta) ? 0 : job->settings->delta;
    if (!job->spent) return DUSK_OK;
    DUSK_TRY(dusk_account_epsilon(&price, job->spent, delta, DUSK_BEST, err));
    if (delta > 0)
        attack_say(job, "spent", "epsilon %s at delta %s by %s", dusk_shown_up(price.bound.upper, 6).text,
                   dusk_shown_up(delta, 6).text, job->event);
    else
        attack_say(job, "spent", "epsilon %s by %s", dusk_shown_up(price.bound.upper, 6).text, job->event);
    if (job->settings->json) dusk_json_string_field(&job->json, "event", job->event);
    attack_number(job, "epsilon", price.bound.upper);
    attack_number(job, "delta", delta);
done:
    return status;
}

dusk_status attack_say_bound(attack_job *job, double prior, double *bound, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *bound = 1;
    if (!job->spent) return DUSK_OK;
    DUSK_TRY(dusk_right_guesses_up(bound, job->spent, prior, err));
    attack_say(job, "bound",
               "no attack on this release is right more than %s %% of the time about one person who has "
               "it with probability %.4g",
               dusk_shown_up(100 * *bound, 4).text, prior);
    attack_number(job, "bound", *bound);
done:
    return status;
}

attack_verdict attack_judge(double share, double baseline, double bound)
{
    double halfway = 0.5 * (1 + baseline);
    return share >= halfway && bound >= halfway ? ATTACK_FALLS : ATTACK_HOLDS;
}

dusk_status attack_conclude(attack_job *job, attack_verdict verdict, const char *why, dusk_error *err)
{
    static const char *const words[] = { "falls", "holds", "open" };
    const attack_settings *s = job->settings;
    attack_say(job, "verdict", "%s: %s", words[verdict], why);
    if (s->json) dusk_json_string_field(&job->json, "verdict", words[verdict]);
    if (s->expect < 0 || s->expect == (int)verdict) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_CHECK, "", "the verdict is \"%s\", and was expected to be \"%s\"",
                     words[verdict], words[s->expect]);
}

/* ---- The command -------------------------------------------------------------------------------- */

static dusk_status check_numbers(const attack_job *job, dusk_error *err)
{
    const attack_settings *s = job->settings;
    if (attack_given(job, "epsilon") && !(s->epsilon > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --epsilon 1", "--epsilon must be above 0");
    if (attack_given(job, "delta") && !(s->delta >= 0 && s->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --delta 1e-6",
                         "--delta must be at least 0 and below 1");
    if (!(s->confidence > 0 && s->confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --confidence 0.95",
                         "--confidence must be above 0 and below 1");
    if (!(s->wrong >= 0 && s->wrong <= 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --wrong 0.1: one answer in ten",
                         "--wrong must be between 0 and 1");
    if (attack_given(job, "prior") && !(s->prior >= 0 && s->prior < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --prior 0.2: one in five has it",
                         "--prior must be at least 0 and below 1");
    if (attack_given(job, "prior") && s->decoder == 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away, or take --decoder squares",
                         "--prior does not go with --decoder absolute");
    if (!(s->false_positives > 0 && s->false_positives < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --false-positives 0.01",
                         "--false-positives must be above 0 and below 1");
    return DUSK_OK;
}

/* Released already, or to be released now: one of the two, and no options of the other. */
static dusk_status check_source(const attack_job *job, dusk_error *err)
{
    bool membership = !strcmp(job->word->name, "membership");
    const char *given = membership ? job->settings->means : job->settings->answers;
    const char *name = membership ? "means" : "answers";
    const char *refused = given ? "column equals people epsilon queries members person trials wrong plot"
                                : "event step truth reference";
    if ((given != NULL) == attack_given(job, "release"))
        return dusk_fail(
            err, DUSK_ERR_ARGUMENT, job->word->example,
            given ? "--%s and --release do not go together: attack what was released, or release now"
                  : "%s needs --%s with what was released, or --release to make a release now",
            given ? name : job->word->name, name);
    for (const dusk_option *option = dusk_attack_options_table; option->name; option++)
        if (dusk_options_listed(refused, option->name) && attack_given(job, option->name))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away", "--%s does not go with --%s",
                             option->name, given ? name : "release");
    if (given && !membership && job->path)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                         "a file of data does not go with --answers");
    return DUSK_OK;
}

dusk_status attack_check_release(const attack_job *job, dusk_error *err)
{
    const attack_settings *s = job->settings;
    if (!job->path)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->word->example, "--release needs a file of data");
    if (s->release == ATTACK_KEPT && strcmp(job->word->name, "averaging") != 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "exact, dusk or overspent",
                         "--release kept is for averaging");
    if (s->release != ATTACK_EXACT && !attack_given(job, "epsilon"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --epsilon 1", "--release %s needs --epsilon",
                         attack_release_name(job));
    if (s->release == ATTACK_EXACT && (attack_given(job, "epsilon") || attack_given(job, "delta")))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "--release dusk has noise",
                         "exact answers have neither --epsilon nor --delta");
    return DUSK_OK;
}

static const struct {
    const char *word;
    attack_function *run;
} functions[] = {
    { "differencing", attack_differencing },
    { "averaging", attack_averaging },
    { "reconstruction", attack_reconstruction },
    { "membership", attack_membership },
    { NULL, NULL },
};

static dusk_status run_word(attack_job *job, dusk_error *err)
{
    for (size_t i = 0; functions[i].word; i++)
        if (!strcmp(functions[i].word, job->word->name)) return functions[i].run(job, err);
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "%s is listed only", job->word->name);
}

/* The attack itself, its answers into memory; shown when there is one, also where it is not what
 * was expected. */
static dusk_status run_and_show(attack_job *job, dusk_error *err)
{
    char *text = NULL;
    size_t size = 0;
    bool whole;
    job->out = open_memstream(&text, &size);
    if (!job->out) return dusk_fail(err, DUSK_ERR_MEMORY, "", "out of memory");
    job->json = (dusk_json){ .file = job->out };
    if (job->settings->json) {
        dusk_json_open(&job->json, '{');
        dusk_json_string_field(&job->json, "attack", job->word->name);
        dusk_json_string_field(&job->json, "release", attack_release_name(job));
    }
    dusk_status status = run_word(job, err);
    if (job->settings->json) {
        dusk_json_close(&job->json, '}');
        fputc('\n', job->out);
    }
    whole = !ferror(job->out);
    if (fclose(job->out) != 0 || !whole) {
        free(text);
        return dusk_fail(err, DUSK_ERR_MEMORY, "", "out of memory");
    }
    if (status == DUSK_OK || status == DUSK_ERR_CHECK) fwrite(text, 1, size, stdout);
    free(text);
    return status;
}

static dusk_status run(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    attack_job job = { .settings = settings, .parsed = parsed };
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_operand_find(&job.word, &dusk_attack_command, parsed, "dusk attack -h", err));
    DUSK_TRY(dusk_operand_check(job.word, &dusk_attack_command, parsed, "json expect", err));
    if (parsed->operand_count > 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job.word->example, "there is more than one file of data");
    job.path = parsed->operand_count > 1 ? parsed->operands[1] : NULL;
    DUSK_TRY(check_numbers(&job, err));
    DUSK_TRY(check_source(&job, err));
    DUSK_TRY(dusk_generator_new(&job.gen, err));
    status = run_and_show(&job, err);
done:
    dusk_generator_free(job.gen);
    dusk_composition_free(job.spent);
    return status;
}

const dusk_command dusk_attack_command = {
    .name = "dusk attack",
    .summary = "what can be read off released numbers: differencing, averaging, reconstruction, membership",
    .synopsis = "ATTACK --answers FILE [options]\n"
                "ATTACK DATA.csv --column C --release exact|dusk|overspent [options]",
    .operand = "Attacks",
    .noun = "an attack",
    .operands = dusk_attack_words,
    .options = dusk_attack_options_table,
    .sections = dusk_attack_sections,
    .examples = dusk_attack_examples,
    .settings_size = sizeof(attack_settings),
    .run = run,
};
