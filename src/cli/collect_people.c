/* SPDX-License-Identifier: Apache-2.0 */
/* People with several attributes, for simulate: of a file, or made up. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/collect.h"
#include "cli/input.h"

static uint64_t common_factor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* One attribute of all people, by Zipf's law: categories in order are dealt out in steps that come to everybody once, and differ by attribute, so that attributes are nearly independent. */
static void deal(uint64_t *person, uint64_t users, uint32_t attribute, uint32_t size, uint64_t radix,
                 double zipf)
{
    const double turn = 0.6180339887498949 * attribute;
    uint64_t step = 1 + (uint64_t)((turn - floor(turn)) * (double)users), k = 0;
    double all = 0, sum = 0;
    while (common_factor(step, users) != 1) step++;
    for (uint32_t x = 0; x < size; x++) all += pow((double)x + 1, -zipf);
    for (uint32_t x = 0; x < size; x++) {
        sum += pow((double)x + 1, -zipf);
        const uint64_t until = x + 1 == size ? users : (uint64_t)floor((double)users * (sum / all) + 0.5);
        for (; k < until; k++) person[k * step % users] += radix * x;
    }
}

/* A line a person; where there are fewer lines they are taken again. */
static dusk_status read_people(uint64_t *person, uint64_t users, const dusk_survey *survey, const char *path,
                               dusk_error *err)
{
    const collect_values none = { .count = 0 };
    dusk_status status = DUSK_OK;
    dusk_input input;
    uint64_t n = 0;
    char line[512];
    bool known = true;
    DUSK_TRY(dusk_input_open(&input, path, NULL, DUSK_INPUT_NAMED, err));
    while (n < users && known && dusk_input_value(&input, line, sizeof line))
        person[n++] = collect_attributes_value(&none, survey, line, &known);
    DUSK_TRY(dusk_input_close(&input, err));
    if (n == 0 || !known)
        return dusk_fail(err, DUSK_ERR_PARSE, "a category number of each attribute, such as 3,0,17",
                         "%.150s: line %llu has no such categories", path, (unsigned long long)(n ? n : 1));
    for (uint64_t i = n; i < users; i++) person[i] = person[i - n];
done:
    return status;
}

/* How many people are in each cell. */
static void count_cells(uint64_t *people, const uint64_t *person, uint64_t users, const dusk_survey *survey)
{
    const dusk_client_task *task = &survey->task;
    const bool pairs = task->hashes == 2;
    for (uint32_t a = 0; a < task->attributes; a++)
        for (uint32_t b = pairs ? a + 1 : a; b < (pairs ? task->attributes : a + 1); b++) {
            const uint64_t base =
                dusk_survey_cell(survey, (uint32_t[2]){ a, b }, (uint32_t[2]){ 0, 0 }, task->hashes);
            for (uint64_t i = 0; i < users; i++) {
                uint32_t category[DUSK_ATTRIBUTES_MOST];
                dusk_client_unpack(task, person[i], category);
                people[base + category[a] + (pairs ? (uint64_t)task->sizes[a] * category[b] : 0)]++;
            }
        }
}

dusk_status collect_people(uint64_t *person, uint64_t *people, uint64_t users, const dusk_survey *survey,
                           const collect_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t radix = 1;
    if (job->settings->data) {
        DUSK_TRY(read_people(person, users, survey, job->settings->data, err));
    } else {
        for (uint32_t a = 0; a < survey->task.attributes; a++) {
            deal(person, users, a, survey->task.sizes[a], radix, job->settings->zipf);
            radix *= survey->task.sizes[a];
        }
    }
    count_cells(people, person, users, survey);
done:
    return status;
}
