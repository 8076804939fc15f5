/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: descriptions of surveys. The bytes as they are, and as the numbers of a survey, which is read as it was written when there is such
 * a survey. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/protocol.h"
#include "local/survey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void again(const dusk_survey *survey)
{
    char text[2048], twice[2048];
    dusk_survey read;
    dusk_error err;
    if (dusk_survey_format(survey, text, sizeof text, &err) != DUSK_OK) abort();
    if (dusk_survey_parse(&read, text, strlen(text), &err) != DUSK_OK) {
        fprintf(stderr, "%s: %s\n", err.message, text);
        abort();
    }
    if (dusk_survey_format(&read, twice, sizeof twice, &err) != DUSK_OK || strcmp(text, twice) != 0) abort();
    if (memcmp(&read.task, &survey->task, sizeof read.task) != 0) abort();
    (void)dusk_survey_cost(survey);
    (void)dusk_survey_variance(survey, 0.5);
}

/* A task's fields, two bytes of them as the exponent of a power of 2 now and then, so that sizes of all kinds come up. */
static uint32_t size_of(const uint8_t *from)
{
    const uint32_t x = (uint32_t)client_get(from, 4);
    return x % 5 == 0 ? (uint32_t)1 << (x >> 8) % 32 : x >> (x >> 8) % 32;
}

/* Attributes, with weights that belong together more often than bytes would, and a domain that does. */
static void several(dusk_client_task *task, const uint8_t *from)
{
    if (from[0] % 3 == 0) return;
    task->attributes = from[0] / 3 % (DUSK_ATTRIBUTES_MOST + 2);
    for (uint32_t i = 0; i < DUSK_ATTRIBUTES_MOST; i++)
        if (i < task->attributes || from[1] == 7) task->sizes[i] = from[2 + i % 8] % 40u + (from[1] > 5);
    if (from[1] % 2) return;
    task->q = 1 + (client_get(from + 2, 4) & 0x1fffffff);
    task->p = ((uint64_t)1 << 30) - task->q;
    task->hashes = 1 + from[1] / 2 % 2;
    task->domain = 0;
    for (uint32_t i = 0; i < task->attributes && i < DUSK_ATTRIBUTES_MOST; i++)
        if (task->hashes == 1)
            task->domain += task->sizes[i];
        else
            for (uint32_t j = 0; j < i; j++) task->domain += task->sizes[i] * task->sizes[j];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dusk_survey survey;
    if (dusk_survey_parse(&survey, (const char *)data, size, NULL) == DUSK_OK) again(&survey);
    if (size < 64) return 0;
    memset(&survey, 0, sizeof survey);
    survey.task = (dusk_client_task){ .seed = client_get(data, 8),
                                      .p = client_get(data + 8, 8),
                                      .q = data[63] & 1 ? client_get(data + 16, 8) : 0,
                                      .f = data[63] & 2 ? client_get(data + 24, 8) : 0,
                                      .mechanism = data[62] % 32,
                                      .domain = size_of(data + 32),
                                      .width = size_of(data + 36),
                                      .rows = size_of(data + 40),
                                      .hashes = data[44] % 40 };
    several(&survey.task, data + 45);
    if (survey.task.mechanism == DUSK_PLANAR) survey.task.domain = survey.task.width * survey.task.rows;
    survey.low = (double)(int64_t)client_get(data + 45, 8);
    survey.high = (double)(int64_t)client_get(data + 53, 8);
    if (!(survey.low < survey.high)) survey.high = survey.low + 1e300;
    memcpy(survey.name, "fuzz", 5);
    if (local_survey_complete(&survey, NULL) == DUSK_OK) again(&survey);
    return 0;
}
