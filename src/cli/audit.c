/* SPDX-License-Identifier: Apache-2.0 */
/* dusk audit: what all its words have in common; see audit.h. */
#include "cli/audit.h"

#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "cli/operands.h"

bool audit_given(const audit_job *job, const char *option)
{
    return dusk_options_given(&dusk_audit_command, job->parsed, option);
}

double audit_cpu(void)
{
    static const int who[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
    double seconds = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        if (getrusage(who[i], &usage) != 0) continue;
        seconds += (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec;
        seconds += 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return seconds;
}

static const struct {
    const char *word;
    audit_function *run;
} functions[] = {
    { "exec", audit_exec },     { "bits", audit_bits },   { "timing", audit_timing },
    { "scores", audit_scores }, { "suite", audit_suite }, { NULL, NULL },
};

static dusk_status run(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    audit_job job = { .settings = settings, .parsed = parsed };
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_operand_find(&job.word, &dusk_audit_command, parsed, "dusk audit -h", err));
    DUSK_TRY(dusk_operand_check(job.word, &dusk_audit_command, parsed, "json", err));
    for (size_t i = 0; functions[i].word; i++)
        if (!strcmp(functions[i].word, job.word->name)) return functions[i].run(&job, err);
    status = dusk_fail(err, DUSK_ERR_INTERNAL, "", "%s is listed only", job.word->name);
done:
    return status;
}

const dusk_command dusk_audit_command = {
    .name = "dusk audit",
    .summary = "what an attacker can show of a mechanism, a model or Dusk itself: lower bounds of epsilon",
    .synopsis = "exec --epsilon E [--delta D] --inputs A,B [options] -- COMMAND...\n"
                "suite --epsilon E [options]\n"
                "scores FILE.csv [--epsilon E] [--delta D] [options]\n"
                "bits --epsilon E [--delta D] --inputs A,B [options] -- COMMAND... | FILE FILE\n"
                "timing [options] -- COMMAND... | FILE",
    .operand = "Audits",
    .noun = "a kind of audit",
    .operands = dusk_audit_words,
    .options = dusk_audit_options_table,
    .sections = dusk_audit_sections,
    .examples = dusk_audit_examples,
    .runs_program = true,
    .settings_size = sizeof(audit_settings),
    .run = run,
};
