/* SPDX-License-Identifier: Apache-2.0 */
/* States of dusk collect estimate: those of one epoch are shards, and no record of theirs may count twice; those of several epochs add up. */
#include "base/error.h"
#include "cli/collect_estimate.h"

typedef struct states {
    dusk_collector *of_epoch[DUSK_OPTION_LIST_MAX];
    dusk_tally *alone[DUSK_OPTION_LIST_MAX]; /* without nonces */
    size_t epochs, tallies;
} states;

static void states_free(states *s)
{
    for (size_t i = 0; i < s->epochs; i++) dusk_collector_free(s->of_epoch[i]);
    for (size_t i = 0; i < s->tallies; i++) dusk_tally_free(s->alone[i]);
}

static dusk_status add_shard(states *s, dusk_collector *shard, const char *path, dusk_error *err)
{
    for (size_t i = 0; i < s->epochs; i++) {
        bool added;
        uint64_t twice;
        if (dusk_collector_epoch(s->of_epoch[i]) != dusk_collector_epoch(shard)) continue;
        const dusk_status status = dusk_collector_merge(s->of_epoch[i], shard, &added, &twice, err);
        dusk_collector_free(shard);
        if (status == DUSK_OK && !added)
            dusk_output_note("state", "all reports of %s are in another state", path);
        return status;
    }
    s->of_epoch[s->epochs++] = shard;
    return DUSK_OK;
}

static dusk_status read_state(states *s, const char *path, dusk_error *err)
{
    dusk_status status;
    dusk_collector *shard = NULL;
    status = dusk_collector_read(&shard, path, 1, err);
    if (status == DUSK_OK) return add_shard(s, shard, path, err);
    if (status != DUSK_ERR_ARGUMENT) return status;
    status = dusk_tally_read(&s->alone[s->tallies], path, err);
    s->tallies += status == DUSK_OK;
    return status;
}

/* One tally of everything. */
static dusk_status add_up(const states *s, dusk_tally *tally, uint64_t all[DUSK_TAKEN_KINDS], dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t kinds[DUSK_TAKEN_KINDS];
    for (size_t i = 0; i < s->epochs; i++) {
        DUSK_TRY(dusk_tally_merge(tally, dusk_collector_tally(s->of_epoch[i]), err));
        dusk_collector_kinds(s->of_epoch[i], kinds);
        for (unsigned k = 0; k < DUSK_TAKEN_KINDS; k++) all[k] += kinds[k];
    }
    for (size_t i = 0; i < s->tallies; i++) {
        DUSK_TRY(dusk_tally_merge(tally, s->alone[i], err));
        all[DUSK_TAKEN] += dusk_tally_reports(s->alone[i]);
        all[DUSK_DROPPED_INVALID] += dusk_tally_dropped(s->alone[i]);
    }
done:
    return status;
}

dusk_status collect_states_read(const collect_job *job, dusk_tally **tally, uint64_t kinds[DUSK_TAKEN_KINDS],
                                dusk_error *err)
{
    const dusk_option_list *list = &job->settings->state;
    dusk_status status = DUSK_OK;
    dusk_survey task;
    states s = { .epochs = 0 };
    if (job->settings->task) DUSK_TRY(collect_read_task(job, &task, err));
    for (size_t i = 0; i < list->count; i++) DUSK_TRY(read_state(&s, list->word[i], err));
    const dusk_survey *survey =
        dusk_tally_survey(s.epochs ? dusk_collector_tally(s.of_epoch[0]) : s.alone[0]);
    DUSK_TRY(dusk_tally_new(tally, survey, err));
    DUSK_TRY(add_up(&s, *tally, kinds, err));
    if (job->settings->task && task.task.id != survey->task.id)
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "give the task that the records were made with",
                           "%.150s is of another survey", list->word[0]);
done:
    states_free(&s);
    return status;
}
