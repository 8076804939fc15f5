/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of devices as subjects of the suite (dusk/local_client.h); see self.h. Worlds are two categories, or both ends of a range; domains are small, so that the worst report is not rare. */
#include <string.h>

#include "audit/self.h"
#include "base/error.h"
#include "dusk/local.h"
#include "dusk/local_strings.h"

typedef struct report_state {
    dusk_survey survey;
    uint64_t value[2];
} report_state;

static dusk_status begin_report(report_state *s, dusk_randomiser mechanism, double epsilon, dusk_error *err)
{
    dusk_survey_options options;
    dusk_survey_options_init(&options);
    options.mechanism = mechanism;
    options.epsilon = epsilon;
    if (mechanism == DUSK_SPL || mechanism == DUSK_SMP || mechanism == DUSK_RSFD) {
        options.attributes = 2; /* both differ */
        options.sizes[0] = 2;
        options.sizes[1] = 3;
        s->value[1] = 3;
    } else if (dusk_randomiser_question(mechanism) == DUSK_ASKS_COUNTS) {
        options.domain = 4;
        options.rows = mechanism == DUSK_CMS || mechanism == DUSK_HCMS || mechanism == DUSK_RAPPOR ||
                       dusk_randomiser_finds(mechanism);
        options.width = options.rows ? 4 : mechanism == DUSK_DBITFLIP ? 2 : 0;
        options.hashes = mechanism == DUSK_RAPPOR;
        s->value[1] = 1;
    } else if (mechanism == DUSK_PLANAR) { /* two cells in the middle of a grid, one step apart */
        options.width = options.rows = 4;
        s->value[0] = 5;
        s->value[1] = 6;
    } else {
        s->value[1] = UINT32_MAX;
    }
    return dusk_survey_init(&s->survey, &options, err);
}

/* A report of up to six bytes is a number. */
static dusk_status release_reports(void *state, double *out, size_t n, int world, dusk_generator *gen,
                                   dusk_error *err)
{
    const report_state *s = state;
    const uint32_t size = dusk_report_size(&s->survey.task);
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    uint8_t report[8];
    if (size > 6) return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a report is too long to be audited");
    for (size_t i = 0; i < n; i++) {
        if (dusk_client_report(&s->survey.task, report, s->value[world], &entropy) != DUSK_CLIENT_OK)
            return dusk_fail(err, DUSK_ERR_ENTROPY, "", "there were no coins");
        out[i] = 0;
        for (uint32_t b = size; b-- > 0;) out[i] = 256 * out[i] + report[b];
    }
    return DUSK_OK;
}

#define REPORT(short, long)                                                                                  \
    static dusk_status begin_##short(void *state, double *epsilon, dusk_error *err)                          \
    {                                                                                                        \
        return begin_report(state, long, *epsilon, err);                                                     \
    }                                                                                                        \
    static const self_mechanism short = { .output_length = 1,                                                \
                                          .pair_count = 1,                                                   \
                                          .names = { "one value or another" },                               \
                                          .state = sizeof(report_state),                                     \
                                          .begin = begin_##short,                                            \
                                          .many = release_reports,                                           \
                                          .exact = audit_self_tight };                                       \
    SELF_OPEN(short)

REPORT(grr, DUSK_GRR)
REPORT(sue, DUSK_SUE)
REPORT(oue, DUSK_OUE)
REPORT(olh, DUSK_OLH)
REPORT(ss, DUSK_SS)
REPORT(hadamard, DUSK_HADAMARD)
REPORT(hr, DUSK_HR)
REPORT(pgr, DUSK_PGR)
REPORT(cms, DUSK_CMS)
REPORT(hcms, DUSK_HCMS)
REPORT(rappor, DUSK_RAPPOR)
REPORT(dbitflip, DUSK_DBITFLIP)
REPORT(onebit, DUSK_ONEBIT)
REPORT(duchi, DUSK_DUCHI)
REPORT(piecewise, DUSK_PIECEWISE)
REPORT(hybrid, DUSK_HYBRID)
REPORT(squarewave, DUSK_SQUAREWAVE)
REPORT(tree, DUSK_TREE)
REPORT(spl, DUSK_SPL)
REPORT(smp, DUSK_SMP)
REPORT(rsfd, DUSK_RSFD)
REPORT(pem, DUSK_PEM)
REPORT(treehist, DUSK_TREEHIST)
REPORT(sfp, DUSK_SFP)
REPORT(planar, DUSK_PLANAR)

const audit_subject audit_self_reports[] = {
    SELF_ROW("dusk.collect.grr", grr, "a report of a device by grr"),
    SELF_ROW("dusk.collect.sue", sue, "a report of a device by sue"),
    SELF_ROW("dusk.collect.oue", oue, "a report of a device by oue"),
    SELF_ROW("dusk.collect.olh", olh, "a report of a device by olh"),
    SELF_ROW("dusk.collect.ss", ss, "a report of a device by ss"),
    SELF_ROW("dusk.collect.hadamard", hadamard, "a report of a device by hadamard"),
    SELF_ROW("dusk.collect.hr", hr, "a report of a device by hr"),
    SELF_ROW("dusk.collect.pgr", pgr, "a report of a device by pgr"),
    SELF_ROW("dusk.collect.cms", cms, "a report of a device by cms"),
    SELF_ROW("dusk.collect.hcms", hcms, "a report of a device by hcms"),
    SELF_ROW("dusk.collect.rappor", rappor, "a report of a device by rappor"),
    SELF_ROW("dusk.collect.dbitflip", dbitflip, "a report of a device by dbitflip"),
    SELF_ROW("dusk.collect.onebit", onebit, "a report of a device by onebit"),
    SELF_ROW("dusk.collect.duchi", duchi, "a report of a device by duchi"),
    SELF_ROW("dusk.collect.piecewise", piecewise, "a report of a device by piecewise"),
    SELF_ROW("dusk.collect.hybrid", hybrid, "a report of a device by hybrid"),
    SELF_ROW("dusk.collect.squarewave", squarewave, "a report of a device by squarewave"),
    SELF_ROW("dusk.collect.tree", tree, "a report of a device by tree"),
    SELF_ROW("dusk.collect.spl", spl, "a report of a device by spl"),
    SELF_ROW("dusk.collect.smp", smp, "a report of a device by smp"),
    SELF_ROW("dusk.collect.rsfd", rsfd, "a report of a device by rsfd"),
    SELF_ROW("dusk.collect.pem", pem, "a report of a device by pem"),
    SELF_ROW("dusk.collect.treehist", treehist, "a report of a device by treehist"),
    SELF_ROW("dusk.collect.sfp", sfp, "a report of a device by sfp"),
    SELF_ROW("dusk.collect.planar", planar, "a report of a device by planar"),
    { .says = { .name = NULL } },
};
