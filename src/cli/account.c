/* SPDX-License-Identifier: Apache-2.0 */
/* dusk account: the question and the expression; see account.h. Nothing here is
 * private: events say what was done, never anything about data. */
#include "cli/account.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define TEXT_MAX ((size_t)1 << 28)

bool account_given(const account_job *job, const char *option)
{
    return dusk_options_given(&dusk_account_command, job->parsed, option);
}

/* ---- The question -------------------------------------------------------------- */

static dusk_status fail_usage(dusk_error *err, const char *hint, const char *what)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "%s", what);
}

static dusk_status check_numbers(const account_job *job, dusk_error *err)
{
    const account_settings *settings = job->settings;
    if (account_given(job, "delta") && !(settings->delta >= 0 && settings->delta < 1))
        return fail_usage(err, "for example --delta 1e-6, far below 1 over the number of people",
                          "--delta must be at least 0 and below 1");
    if (account_given(job, "epsilon") && !(settings->epsilon >= 0))
        return fail_usage(err, "for example --epsilon 1", "--epsilon must be at least 0");
    return DUSK_OK;
}

/* Options that would be ignored are refused. */
static dusk_status check_pointless(const account_job *job, dusk_error *err)
{
    static const struct {
        const char *question, *refuses;
    } pairs[] = {
        { "solve", "all curve tradeoff attacker plot points steps" },
        { "curve", "all tradeoff attacker steps" },
        { "tradeoff", "all attacker steps delta epsilon" },
        { "all", "accountant points attacker" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (!account_given(job, pairs[i].question)) continue;
        for (const dusk_option *option = dusk_account_options; option->name; option++)
            if (dusk_options_listed(pairs[i].refuses, option->name) && account_given(job, option->name))
                return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask one question at a time",
                                 "--%s does not go with --%s", option->name, pairs[i].question);
    }
    if (account_given(job, "solve") && job->accountant == DUSK_CLT)
        return fail_usage(err, "leave --accountant out: the best bound is used",
                          "clt is an approximation: no promise can be built on it");
    if (account_given(job, "steps") && !(account_given(job, "all") && account_given(job, "plot")))
        return fail_usage(err, "dusk account 'gaussian(20) * 100' --delta 1e-6 --all --plot steps.svg",
                          "--steps is for the drawing of --all --plot");
    return DUSK_OK;
}

static bool is_name(const char *word)
{
    size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    return n > 0 && n <= 64 && !word[n];
}

static dusk_status check_question(const account_job *job, dusk_error *err)
{
    const account_settings *settings = job->settings;
    bool delta = account_given(job, "delta"), epsilon = account_given(job, "epsilon");
    bool drawn = settings->curve || settings->tradeoff || settings->plot;
    dusk_status status = DUSK_OK;
    DUSK_TRY(check_numbers(job, err));
    DUSK_TRY(check_pointless(job, err));
    if (settings->solve && !is_name(settings->solve))
        return fail_usage(err, "for example --solve sigma, with gaussian(sigma) in the expression",
                          "--solve must be a name: letters and _");
    if (settings->solve && !(delta && epsilon))
        return fail_usage(err,
                          "dusk account --solve sigma --epsilon 1 --delta 1e-6 "
                          "'poisson(0.01, gaussian(sigma)) * 10000'",
                          epsilon ? "--solve needs --delta too: the promise to be reached"
                                  : "--solve needs --epsilon and --delta: the promise to be reached");
    if (!settings->solve && delta && epsilon && !settings->curve)
        return fail_usage(err, "give --delta to ask for epsilon, --epsilon to ask for delta",
                          "--delta and --epsilon together leave nothing to ask");
    if (settings->all && !delta && !epsilon)
        return fail_usage(err, "for example --delta 1e-6 --all", "--all needs --delta or --epsilon");
    if (settings->all && settings->plot && !delta)
        return fail_usage(err, "for example --delta 1e-6 --all --plot steps.svg",
                          "--all --plot draws epsilon over steps and needs --delta");
    if (!delta && !epsilon && !drawn)
        return fail_usage(err,
                          "add --delta 1e-6 to ask for epsilon, --epsilon 1 to ask for delta, or --curve",
                          "say what you want to know: epsilon, delta or a curve");
done:
    return status;
}

/* ---- The expression -------------------------------------------------------------- */

void account_plain(char *out, size_t size, const char *text)
{
    size_t n = 0;
    bool blank = true; /* no blanks in front, and no two in a row */
    for (; *text && n + 1 < size; text++) {
        bool is_blank = (unsigned char)*text <= 0x20 || *text == 0x7f;
        if (is_blank && blank) continue;
        out[n++] = is_blank ? ' ' : *text;
        blank = is_blank;
    }
    while (n && out[n - 1] == ' ') n--;
    out[n] = '\0';
    if (*text && n >= 4) {
        n -= 3;
        while (n && ((unsigned char)out[n] & 0xC0) == 0x80) n--; /* no half characters */
        memcpy(out + n, "...", 4);
    }
}

/* All of a stream into `*text`. */
static dusk_status read_all(FILE *file, char **text, size_t *length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t capacity = 1 << 16, used = 0;
    char *bytes = NULL;
    DUSK_NEW(bytes, capacity);
    for (;;) {
        size_t got = fread(bytes + used, 1, capacity - 1 - used, file);
        used += got;
        if (!got) break;
        if (used + 1 < capacity) continue;
        char *more = capacity < TEXT_MAX ? dusk_allocate(capacity * 2, 1) : NULL;
        if (!more) {
            status = capacity < TEXT_MAX ? dusk_fail_memory(err)
                                         : dusk_fail(err, DUSK_ERR_PARSE, "", "the expression is too long");
            goto done;
        }
        memcpy(more, bytes, used);
        dusk_deallocate(bytes);
        bytes = more;
        capacity *= 2;
    }
    bytes[used] = '\0';
    *length = used;
    *text = bytes;
    bytes = NULL;
done:
    dusk_deallocate(bytes);
    return status;
}

/* `path` NULL or "-": standard input. */
static dusk_status read_file(account_job *job, const char *path, dusk_error *err)
{
    bool standard = !path || !strcmp(path, "-");
    size_t length = 0;
    FILE *file = standard ? stdin : fopen(path, "r");
    if (!file)
        return dusk_fail(err, DUSK_ERR_IO, "give a file that exists and can be read",
                         "cannot open %.150s: %s", path, strerror(errno));
    errno = 0;
    dusk_status status = read_all(file, &job->text, &length, err);
    if (status == DUSK_OK && ferror(file))
        status = dusk_fail(err, DUSK_ERR_IO, "give a file that can be read", "cannot read %.150s: %s",
                           standard ? "standard input" : path, strerror(errno));
    if (!standard) fclose(file);
    if (status == DUSK_OK && strlen(job->text) != length)
        status = dusk_fail(err, DUSK_ERR_PARSE, "give plain text", "byte %zu of the expression is NUL",
                           strlen(job->text) + 1);
    return status;
}

static dusk_status copy_text(account_job *job, const char *text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(job->text, strlen(text) + 1);
    memcpy(job->text, text, strlen(text) + 1);
done:
    return status;
}

static dusk_status check_operands(const account_job *job, dusk_error *err)
{
    const dusk_parsed *parsed = job->parsed;
    const char *file = job->settings->file;
    if (parsed->operand_count > 1)
        return fail_usage(err, "quote it: dusk account 'gaussian(2) * 10' --delta 1e-6",
                          "the expression must be one word for the shell");
    if (parsed->operand_count && file)
        return fail_usage(err, "give the expression or --file, not both", "there are two expressions");
    if (!parsed->operand_count && !file)
        return fail_usage(err, "dusk account 'poisson(0.01, gaussian(1)) * 10000' --delta 1e-6",
                          "say what was done: an expression of events");
    return DUSK_OK;
}

static dusk_status read_expression(account_job *job, dusk_error *err)
{
    const dusk_parsed *parsed = job->parsed;
    const char *file = job->settings->file;
    dusk_status status = DUSK_OK;
    if (file || !strcmp(parsed->operands[0], "-"))
        status = read_file(job, file, err);
    else
        status = copy_text(job, parsed->operands[0], err);
    if (status != DUSK_OK) return status;
    account_plain(job->title, sizeof job->title, job->text);
    if (!job->title[0])
        return dusk_fail(err, DUSK_ERR_PARSE,
                         "for example gaussian(2) * 10; dusk account -h lists the events",
                         "the expression is empty");
    return DUSK_OK;
}

/* ---- The command ----------------------------------------------------------------- */

static dusk_status answer(const account_job *job, dusk_error *err)
{
    const account_settings *settings = job->settings;
    bool asked = account_given(job, "delta") || account_given(job, "epsilon");
    dusk_status status = DUSK_OK;
    if (settings->plot && settings->tradeoff) DUSK_TRY(account_plot_tradeoff(job, err));
    if (settings->plot && settings->all) DUSK_TRY(account_plot_steps(job, err));
    if (settings->plot && !settings->tradeoff && !settings->all) DUSK_TRY(account_plot_curve(job, err));
    if (settings->curve)
        status = account_curve(job, err);
    else if (settings->tradeoff)
        status = account_tradeoff(job, err);
    else if (settings->all)
        status = account_compare(job, err);
    else if (asked)
        status = account_answer(job, err);
    if (status == DUSK_OK) status = dusk_output_flush(err);
    if (status == DUSK_OK && settings->plot) dusk_output_note("drawn", "%s", settings->plot);
done:
    return status;
}

const char *account_replacing(const char *text)
{
    static const char *const names[] = { "shuffle", "without_replacement", "randomized_response", "metric" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(text, names[i])) return names[i];
    return NULL;
}

/* Some events are about replacing by nature: where nothing else is asked for, so is the
 * answer. */
static void choose_relation(account_job *job)
{
    job->neighbours = job->settings->neighbours == 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    if (account_given(job, "neighbours")) return;
    job->replacing = account_replacing(job->text);
    if (job->replacing) job->neighbours = DUSK_REPLACE_ONE;
}

/* Asked for adding and removing all the same. */
static void suggest_relation(const account_job *job, dusk_error *err)
{
    bool replacing = strstr(job->text, "shuffle") || strstr(job->text, "without_replacement") ||
                     strstr(job->text, "metric");
    if (replacing && job->neighbours == DUSK_ADD_REMOVE)
        (void)dusk_fail(
            err, DUSK_ERR_UNSUPPORTED, "ask with --neighbours replace-one",
            "shuffling, sampling without replacement and metric have a price only where a unit is replaced");
}

static dusk_status run(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    account_job job = { .settings = settings, .parsed = parsed };
    dusk_status status = DUSK_OK;
    job.accountant = (dusk_accountant)(job.settings->accountant + 1);
    DUSK_TRY(check_operands(&job, err));
    DUSK_TRY(check_question(&job, err));
    DUSK_TRY(read_expression(&job, err));
    choose_relation(&job);
    if (job.settings->solve) {
        status = account_solve(&job, err);
    } else {
        DUSK_TRY(dusk_composition_new(&job.composition, job.neighbours, err));
        status = dusk_composition_parse(job.composition, job.text, err);
        if (status == DUSK_OK) status = answer(&job, err);
    }
    if (status == DUSK_ERR_PARSE) account_explain(err, job.text, job.settings->file);
    if (status == DUSK_ERR_UNSUPPORTED) suggest_relation(&job, err);
done:
    dusk_composition_free(job.composition);
    dusk_deallocate(job.text);
    return status;
}

const dusk_command dusk_account_command = {
    .name = "dusk account",
    .summary = "what mechanisms, one or thousands, cost in privacy: certified bounds",
    .synopsis = "EXPRESSION --delta D | --epsilon E [options]\n"
                "EXPRESSION --solve NAME --epsilon E --delta D\n"
                "EXPRESSION --curve | --tradeoff | --plot FILE",
    .operand = "Events",
    .noun = "an event",
    .note = "e * n: n times; e + e: one after the other; parentheses group",
    .operands = dusk_account_events,
    .options = dusk_account_options,
    .sections = dusk_account_sections,
    .examples = dusk_account_examples,
    .settings_size = sizeof(account_settings),
    .run = run,
};
