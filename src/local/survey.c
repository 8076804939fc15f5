/* SPDX-License-Identifier: Apache-2.0 */
/* Surveys: from an epsilon to whole numbers. The epsilon of a survey is computed from these, not taken over from who asked. */
#include <ctype.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "dusk/local_places.h"
#include "local/planar.h"
#include "local/survey.h"
#include "numeric/rounding.h"

void dusk_survey_options_init(dusk_survey_options *options)
{
    *options = (dusk_survey_options){ .size = sizeof *options, .name = "survey", .low = -1, .high = 1 };
}

bool local_name_is_fine(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("-_.", name[i])) return false;
    return length >= 1 && length <= 63;
}

bool local_attributes_are_fine(const dusk_survey *survey)
{
    for (uint32_t i = 0; i < DUSK_ATTRIBUTES_MOST; i++) {
        const char *name = survey->attribute[i];
        if (i >= survey->task.attributes && name[0]) return false;
        if (i >= survey->task.attributes) continue;
        if (!local_name_is_fine(name) || strlen(name) >= DUSK_ATTRIBUTE_NAME) return false;
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(survey->attribute[j], name)) return false;
    }
    return true;
}

/* A hash of all that devices and servers must agree on. */
uint64_t local_survey_id(const dusk_survey *survey)
{
    char text[2048]; /* 16 attributes have less than 800 bytes */
    unsigned char hash[8];
    const dusk_client_task *t = &survey->task;
    int length = dusk_format(text, sizeof text, "dusk survey 1 %s %u %u %u %u %u %llu %llu %llu %llu %a %a",
                             survey->name, t->mechanism, t->domain, t->width, t->rows, t->hashes,
                             (unsigned long long)t->p, (unsigned long long)t->q, (unsigned long long)t->f,
                             (unsigned long long)t->seed, survey->low, survey->high);
    if (t->mechanism == DUSK_PLANAR)
        length += dusk_format(text + length, sizeof text - (size_t)length, " %a %a %a %a", survey->cell,
                              survey->left, survey->bottom, survey->within);
    uint64_t id = 0;
    for (uint32_t i = 0; i < t->attributes; i++)
        length += dusk_format(text + length, sizeof text - (size_t)length, " %s %u", survey->attribute[i],
                              t->sizes[i]);
    crypto_generichash(hash, sizeof hash, (const unsigned char *)text, (unsigned long long)length, NULL, 0);
    for (size_t i = 0; i < sizeof hash; i++) id |= (uint64_t)hash[i] << (8 * i);
    return id;
}

static dusk_status check_options(const dusk_survey_options *o, const local_protocol *protocol,
                                 dusk_error *err)
{
    if (!protocol)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example DUSK_OLH", "a survey needs a randomiser");
    if (!o->name || !local_name_is_fine(o->name))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "letters, digits, \"-\", \"_\" and \".\", 63 at most",
                         "this is no name for a survey");
    if (!(o->epsilon >= 0.001 && o->epsilon <= 40))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common values lie between 0.5 and 8",
                         "epsilon must lie between 0.001 and 40");
    if (o->attributes > 0 && !protocol->several)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take spl, smp or rsfd", "%s is for one attribute",
                         protocol->name);
    if (o->attributes > DUSK_ATTRIBUTES_MOST || (o->attributes > 0 && o->domain > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give the sizes of up to 16 attributes, and no domain",
                         "a survey has a domain, or at most %d attributes", DUSK_ATTRIBUTES_MOST);
    if (protocol->question == DUSK_ASKS_COUNTS && !o->attributes && !protocol->find &&
        !(protocol->hashed && o->domain == 0) && o->domain < 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example a domain of 1024",
                         "%s needs to know how many categories there are, at least two", protocol->name);
    if (o->domain > UINT32_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "hash texts: take cms, hcms or rappor",
                         "a domain has at most 2^32 - 1 categories");
    if (protocol->question != DUSK_ASKS_COUNTS &&
        !(isfinite(o->low) && isfinite(o->high) && o->low < o->high && isfinite(o->high - o->low)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example from 0 to 100",
                         "a range of numbers needs two ends, the lower one first");
    return DUSK_OK;
}

/* One attribute where there is a domain only. */
static dusk_status set_attributes(dusk_survey *survey, const dusk_survey_options *o, dusk_error *err)
{
    survey->task.attributes = o->attributes ? o->attributes : 1;
    for (uint32_t i = 0; i < survey->task.attributes; i++) {
        const char *name = o->attributes ? o->attribute[i] : NULL;
        survey->task.sizes[i] = o->attributes ? o->sizes[i] : (uint32_t)o->domain;
        if (name && strlen(name) < DUSK_ATTRIBUTE_NAME)
            dusk_format(survey->attribute[i], DUSK_ATTRIBUTE_NAME, "%s", name);
        else if (!name)
            dusk_format(survey->attribute[i], DUSK_ATTRIBUTE_NAME, "a%u", i);
    }
    if (!local_attributes_are_fine(survey))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "letters, digits, \"-\", \"_\" and \".\", 31 at most",
                         "attributes need names, each its own");
    if (!client_attributes_are_fine(&survey->task))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "two categories at least, and fewer or smaller attributes",
                         "the attributes must have less than 2^64 values together");
    return DUSK_OK;
}

/* What follows from the whole numbers of the task. */
dusk_status local_survey_complete(dusk_survey *survey, dusk_error *err)
{
    const local_protocol *protocol = local_protocol_of(survey->task.mechanism);
    if (!protocol || dusk_client_check(&survey->task) || !local_name_is_fine(survey->name) ||
        !local_attributes_are_fine(survey) || !local_grid_is_fine(survey))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for a smaller domain or other sizes",
                         "there is no such survey");
    if (protocol->cells(&survey->task) > LOCAL_CELLS_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "take a randomiser with fewer counters, such as hadamard or olh",
                         "%s would need %llu counters, and 2^28 are the most", protocol->name,
                         (unsigned long long)protocol->cells(&survey->task));
    survey->epsilon = protocol->epsilon(&survey->task);
    survey->permanent = protocol->permanent ? protocol->permanent(&survey->task) : INFINITY;
    survey->task.id = local_survey_id(survey);
    return DUSK_OK;
}

dusk_status dusk_survey_init(dusk_survey *out, const dusk_survey_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const local_protocol *protocol = local_protocol_of(options->mechanism);
    dusk_survey survey = { .low = options->low, .high = options->high };
    DUSK_TRY(check_options(options, protocol, err));
    dusk_format(survey.name, sizeof survey.name, "%s", options->name);
    survey.task.mechanism = (uint32_t)options->mechanism;
    survey.task.domain = (uint32_t)options->domain;
    survey.task.seed = options->seed;
    if (protocol->several) DUSK_TRY(set_attributes(&survey, options, err));
    DUSK_TRY(protocol->plan(&survey, options, err));
    DUSK_TRY(local_survey_complete(&survey, err));
    if (!(survey.epsilon <= options->epsilon * (1 + 1e-12)))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_INTERNAL, "", "a survey came out with a larger epsilon"));
    *out = survey;
done:
    return status;
}

uint32_t dusk_survey_cost(const dusk_survey *survey)
{
    const double all = dusk_mul_up(survey->epsilon, dusk_survey_steps(survey));
    return (uint32_t)fmin(ceil(dusk_mul_up(all, 1e6)), UINT32_MAX);
}

double dusk_survey_variance(const dusk_survey *survey, double share)
{
    return local_protocol_of(survey->task.mechanism)->variance(&survey->task, share);
}

double dusk_survey_variance_of(const dusk_survey *survey, uint64_t value, double share)
{
    const local_protocol *protocol = local_protocol_of(survey->task.mechanism);
    if (!protocol->variance_of) return protocol->variance(&survey->task, share);
    return protocol->variance_of(&survey->task, value, share);
}

double dusk_survey_attribute_epsilon(const dusk_survey *survey)
{
    const local_protocol *protocol = local_protocol_of(survey->task.mechanism);
    return protocol->one ? protocol->one(&survey->task) : survey->epsilon;
}

uint64_t dusk_survey_counters(const dusk_survey *survey)
{
    return local_protocol_of(survey->task.mechanism)->cells(&survey->task);
}
