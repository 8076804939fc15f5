/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect simulate --liars: people with known values report, and liars among them, and it is looked at how far these push the estimates, and what defences leave of it. Shares of
 * honest people are the truth. All reports of a run are kept, as a server must that looks for liars. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/collect_simulation.h"

#define RUNS 10    /* where --runs does not say, */
#define SECONDS 8  /* but no more CPU time than that */
#define RATE 0.001 /* of false alarms of detect */
#define BYTES_MOST ((double)(1ull << 32))

enum { NONE, NORMALISE, DETECT, RECOVER, KNOWN, DEFENCES };
static const char *const names[DEFENCES] = { "none", "normalise", "detect", "recover", "known" };

/* Sums over runs. */
typedef struct outcome {
    double gain, squares, mse, found, accused;
} outcome;

typedef struct trial {
    simulation *s;
    dusk_attack attack;
    bool asked[DEFENCES];
    size_t target_count;
    uint64_t place[64], target[64]; /* places among the values, and what devices take for them */
    uint64_t all, runs;
    uint8_t *reports;
    double *counts;
    bool *suspect;
    double bound;
    outcome of[DEFENCES];
} trial;

static dusk_status find_defence(const char *name, bool asked[DEFENCES], dusk_error *err)
{
    bool known = false;
    asked[NONE] = true;
    for (int i = 0; i < DEFENCES; i++) {
        const bool this = !strcmp(name, names[i]) || !strcmp(name, "all");
        asked[i] |= this;
        known |= this;
    }
    if (known) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "none, normalise, detect, recover, known or all",
                     "there is no defence \"%.30s\"", name);
}

dusk_status collect_check_attack(const collect_job *job, dusk_error *err)
{
    static const char *const options[] = { "targets", "attack", "defence" };
    const collect_settings *s = job->settings;
    dusk_status status = DUSK_OK;
    bool asked[DEFENCES] = { false };
    dusk_attack attack;
    for (size_t i = 0; i < sizeof options / sizeof *options && !collect_given(job, "liars"); i++)
        if (collect_given(job, options[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --liars 0.05", "--%s needs --liars",
                             options[i]);
    if (s->attack) DUSK_TRY(dusk_attack_find(&attack, s->attack, err));
    if (s->defence) DUSK_TRY(find_defence(s->defence, asked, err));
done:
    return status;
}

/* ---- One run ------------------------------------------------------------------------------------------------------- */

static dusk_status gather(trial *t, dusk_error *err)
{
    simulation *s = t->s;
    dusk_status status = DUSK_OK;
    const uint32_t size = dusk_report_size(&s->survey.task);
    uint8_t *report = t->reports + s->users * size;
    DUSK_TRY(collect_honest_reports(s, t->reports, err));
    for (uint64_t i = 0; i < s->liars; i++, report += size)
        DUSK_TRY(
            dusk_liar_report(&s->survey, t->attack, t->target, t->target_count, report, &s->entropy, err));
done:
    return status;
}

/* How many there are; values are categories, or texts. */
static const uint64_t *values_of(const simulation *s) { return s->survey.task.domain ? NULL : s->asked; }

/* Counts of all reports but suspects; *kept: how many those are. */
static dusk_status count(const trial *t, const bool *suspect, double *counts, double *kept, dusk_error *err)
{
    const simulation *s = t->s;
    const uint32_t size = dusk_report_size(&s->survey.task);
    dusk_status status = DUSK_OK;
    dusk_tally *tally = NULL;
    DUSK_TRY(dusk_tally_new(&tally, &s->survey, err));
    if (!suspect) dusk_tally_add(tally, t->reports, t->all);
    for (uint64_t i = 0; i < t->all && suspect; i++)
        if (!suspect[i]) dusk_tally_add(tally, t->reports + i * size, 1);
    *kept = (double)dusk_tally_reports(tally);
    if (s->counts)
        DUSK_TRY(dusk_tally_counts(tally, counts, NULL, values_of(s), s->values, err));
    else
        DUSK_TRY(dusk_tally_mean(tally, counts, NULL, err));
done:
    dusk_tally_free(tally);
    return status;
}

/* Estimates of `total` people beside the truth. */
static void compare(trial *t, int defence, const double *counts, double total)
{
    const simulation *s = t->s;
    double gain = 0, mse = 0;
    for (size_t i = 0; i < s->values; i++) {
        const double off = counts[i] / total - (double)s->people[i] / (double)s->users;
        mse += off * off / (double)s->values;
    }
    for (size_t i = 0; i < t->target_count; i++) {
        const uint64_t at = t->place[i];
        gain += counts[at] / total - (double)s->people[at] / (double)s->users;
    }
    t->of[defence].gain += gain;
    t->of[defence].squares += gain * gain;
    t->of[defence].mse += mse;
}

static dusk_status detect(trial *t, double *counts, double *kept, dusk_error *err)
{
    const simulation *s = t->s;
    dusk_status status = DUSK_OK;
    dusk_suspicion found;
    DUSK_TRY(dusk_reports_suspects(&s->survey, t->reports, t->all, values_of(s), s->values, RATE, t->suspect,
                                   &found, err));
    for (uint64_t i = 0; i < t->all; i++)
        *(i < s->users ? &t->of[DETECT].accused : &t->of[DETECT].found) += t->suspect[i];
    DUSK_TRY(count(t, t->suspect, counts, kept, err));
done:
    return status;
}

static dusk_status recover(const trial *t, bool known, double *counts, dusk_error *err)
{
    dusk_recovery_options o;
    dusk_recovery_options_init(&o);
    o.liars = (double)t->s->liars / (double)t->all;
    o.targets = known ? t->place : NULL;
    o.target_count = known ? t->target_count : 0;
    return dusk_counts_recover(counts, t->s->values, (double)t->all, &t->s->survey, &o, err);
}

static dusk_status defend(trial *t, dusk_error *err)
{
    const simulation *s = t->s;
    dusk_status status = DUSK_OK;
    double all;
    DUSK_TRY(count(t, NULL, s->estimate, &all, err));
    for (int d = 0; d < DEFENCES; d++) {
        double total = all;
        if (!t->asked[d]) continue;
        memcpy(t->counts, s->estimate, s->values * sizeof *t->counts);
        if (d == NORMALISE)
            DUSK_TRY(dusk_counts_consistent(t->counts, NULL, s->values, all, DUSK_NORM_SUB, err));
        if (d == DETECT) DUSK_TRY(detect(t, t->counts, &total, err));
        if (d == RECOVER || d == KNOWN) DUSK_TRY(recover(t, d == KNOWN, t->counts, err));
        compare(t, d, t->counts, total > 0 ? total : 1);
    }
done:
    return status;
}

/* The mean, in units of half the range. */
static dusk_status look_at_mean(trial *t, dusk_error *err)
{
    const simulation *s = t->s;
    const double centre = s->survey.low / 2 + s->survey.high / 2,
                 half = s->survey.high / 2 - s->survey.low / 2;
    dusk_status status = DUSK_OK;
    double mean, all, truth = 0;
    DUSK_TRY(count(t, NULL, &mean, &all, err));
    for (size_t i = 0; i < s->values; i++) truth += s->truth[i] * (double)s->people[i] / (double)s->users;
    const double gain = (mean - centre) / half - truth;
    t->of[NONE].gain += gain;
    t->of[NONE].squares += gain * gain;
    t->of[NONE].mse += gain * gain;
done:
    return status;
}

/* ---- What is said ---------------------------------------------------------------------------------------------------- */

static double spread(const trial *t, int d)
{
    const double n = (double)t->runs, mean = t->of[d].gain / n;
    return n > 1 ? sqrt(fmax(t->of[d].squares / n - mean * mean, 0) / (n - 1)) : 0;
}

static void say_text(const trial *t, const char *attack)
{
    const simulation *s = t->s;
    const double n = (double)t->runs;
    char epsilon[DUSK_DECIMAL_SIZE];
    dusk_decimal_up(epsilon, s->survey.epsilon, 6);
    printf("%-17s %s, epsilon %s\n", "randomiser", dusk_randomiser_name(s->survey.task.mechanism), epsilon);
    printf("%-17s %llu of %llu reports, %s", "liars", (unsigned long long)s->liars,
           (unsigned long long)t->all, attack);
    if (s->counts)
        printf(", on %zu %s\n", t->target_count, t->target_count == 1 ? "value" : "values");
    else
        printf(", on the mean\n");
    printf("%-17s %.4g\n", "bound", t->bound);
    printf("%-17s %.3g without liars, by theory\n", "error", collect_theory(s) / (double)s->users);
    for (int d = 0; d < DEFENCES; d++) {
        if (!t->asked[d]) continue;
        printf("%-17s gain %.4g +- %.2g, error %.3g", names[d], t->of[d].gain / n, spread(t, d),
               t->of[d].mse / n);
        if (d == DETECT)
            printf("; suspects: %.4g liars, %.4g honest", t->of[d].found / n, t->of[d].accused / n);
        printf("\n");
    }
}

static void say_json(const collect_job *job, const trial *t, const char *attack)
{
    const simulation *s = t->s;
    const double n = (double)t->runs;
    dusk_json json = { .file = stdout };
    dusk_json_open(&json, '{');
    dusk_json_string_field(&json, "mechanism", dusk_randomiser_name(s->survey.task.mechanism));
    dusk_json_number_field(&json, "domain", s->counts ? (double)s->values : 0);
    dusk_json_number_field(&json, "users", (double)job->settings->users);
    dusk_json_number_field(&json, "users_per_survey", (double)t->all);
    dusk_json_number_field(&json, "surveys", n);
    dusk_json_number_field(&json, "epsilon", job->settings->epsilon);
    dusk_json_number_field(&json, "epsilon_exact", s->survey.epsilon);
    dusk_json_number_field(&json, "liars", (double)s->liars / (double)t->all);
    dusk_json_string_field(&json, "attack", attack);
    dusk_json_number_field(&json, "targets", (double)t->target_count);
    dusk_json_number_field(&json, "bound", t->bound);
    dusk_json_number_field(&json, "mse_honest", collect_theory(s) / (double)s->users);
    dusk_json_key(&json, "defences");
    dusk_json_open(&json, '{');
    for (int d = 0; d < DEFENCES; d++) {
        if (!t->asked[d]) continue;
        dusk_json_key(&json, names[d]);
        dusk_json_open(&json, '{');
        dusk_json_number_field(&json, "gain", t->of[d].gain / n);
        dusk_json_number_field(&json, "gain_error", spread(t, d));
        dusk_json_number_field(&json, "mse", t->of[d].mse / n);
        if (d == DETECT) dusk_json_number_field(&json, "liars_found", t->of[d].found / n);
        if (d == DETECT) dusk_json_number_field(&json, "honest_suspected", t->of[d].accused / n);
        dusk_json_close(&json, '}');
    }
    dusk_json_close(&json, '}');
    dusk_json_close(&json, '}');
    putchar('\n');
}

/* ---- The step --------------------------------------------------------------------------------------------------------- */

/* Targets lie evenly over the values. */
static dusk_status prepare(const collect_job *job, trial *t, dusk_error *err)
{
    const collect_settings *set = job->settings;
    simulation *s = t->s;
    dusk_status status = DUSK_OK;
    double down;
    t->all = s->users + s->liars;
    t->attack = DUSK_ATTACK_MAXIMAL;
    if (set->attack) DUSK_TRY(dusk_attack_find(&t->attack, set->attack, err));
    DUSK_TRY(find_defence(set->defence ? set->defence : "none", t->asked, err));
    if (s->users == 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --liars 0.05", "nobody would be honest"));
    if (!s->counts && (collect_given(job, "targets") || collect_given(job, "defence")))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --targets and --defence away",
                           "targets and defences are of categories, and %s is for numbers", set->mechanism));
    if (s->counts && (uint64_t)set->targets > s->values)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --targets 1",
                           "there are %zu values, and liars push %lld", s->values, (long long)set->targets));
    t->target_count = s->counts ? (size_t)set->targets : 0;
    for (size_t i = 0; i < t->target_count; i++) {
        t->place[i] = (2 * i + 1) * s->values / (2 * t->target_count);
        t->target[i] = s->survey.task.domain ? t->place[i] : s->asked[t->place[i]];
    }
    const double share = (double)s->liars / (double)t->all, half = s->survey.high / 2 - s->survey.low / 2;
    DUSK_TRY(dusk_survey_push(&s->survey, share, s->counts ? (uint32_t)t->target_count : 1, &t->bound, &down,
                              err));
    if (!s->counts) t->bound /= half;
    const size_t size = dusk_report_size(&s->survey.task);
    if ((double)t->all * (double)size > BYTES_MOST)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "take fewer --users",
                           "reports of all people together must be below 4 GiB"));
    DUSK_NEW(t->reports, t->all * size);
    DUSK_NEW(t->suspect, t->all);
    DUSK_NEW(t->counts, s->values);
done:
    return status;
}

dusk_status collect_simulate_liars(const collect_job *job, simulation *s, dusk_error *err)
{
    trial t = { .s = s };
    dusk_status status = DUSK_OK;
    const bool given = collect_given(job, "runs");
    const char *attack = job->settings->attack ? job->settings->attack : "maximal";
    DUSK_TRY(prepare(job, &t, err));
    const uint64_t most = given ? s->most : s->counts ? RUNS : s->least;
    while (t.runs < most && (given || t.runs == 0 || collect_cpu() < SECONDS)) {
        DUSK_TRY(gather(&t, err));
        DUSK_TRY(s->counts ? defend(&t, err) : look_at_mean(&t, err));
        t.runs++;
    }
    if (job->settings->json)
        say_json(job, &t, attack);
    else
        say_text(&t, attack);
done:
    dusk_deallocate(t.reports);
    dusk_deallocate(t.suspect);
    dusk_deallocate(t.counts);
    return status;
}
