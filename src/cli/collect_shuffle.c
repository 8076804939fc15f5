/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect shuffle: the records of an epoch in random order, and what that promises. The file is whole or not there, so that a batch leaves once; who runs it again has
 * records with other nonces, and must not give both to a server. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/new_file.h"
#include "cli/collect_places.h"

#define BLOCK ((size_t)1 << 20)

dusk_status collect_read_all(const char *path, uint8_t **out, size_t *length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint8_t *bytes = NULL;
    size_t used = 0, room = 0;
    int file = -1;
    ssize_t n = 1;
    *out = NULL;
    DUSK_TRY(collect_open_input(path, &file, err));
    while (n != 0) {
        if (used == room) {
            uint8_t *larger = dusk_larger(bytes, used, room ? 2 * room : BLOCK, 1);
            if (!larger) DUSK_TRY(dusk_fail_memory(err));
            bytes = larger;
            room = room ? 2 * room : BLOCK;
        }
        n = read(file, bytes + used, room - used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            DUSK_TRY(dusk_fail(err, DUSK_ERR_IO, "check the name and the rights", "cannot read %.150s: %s",
                               path, strerror(errno)));
        used += (size_t)n;
    }
    *out = bytes;
    *length = used;
    bytes = NULL;
done:
    if (bytes) dusk_wipe(bytes, used);
    dusk_deallocate(bytes);
    if (file >= 0) (void)close(file);
    return status;
}

/* A whole input: the shuffler holds all of it anyway. */
static dusk_status take_input(dusk_shuffler *shuffler, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint8_t *bytes = NULL;
    size_t n = 0;
    DUSK_TRY(collect_read_all(path, &bytes, &n, err));
    status = dusk_shuffler_take(shuffler, bytes, n, err);
done:
    if (bytes) dusk_wipe(bytes, n);
    dusk_deallocate(bytes);
    return status;
}

static dusk_status write_some(void *context, const uint8_t *bytes, size_t n, dusk_error *err)
{
    return dusk_new_file_write(context, bytes, n, err);
}

static void say_dropped(const dusk_shuffler *shuffler)
{
    uint64_t kinds[DUSK_TAKEN_KINDS];
    dusk_shuffler_kinds(shuffler, kinds);
    for (unsigned k = 1; k < DUSK_TAKEN_KINDS; k++)
        if (kinds[k])
            dusk_output_note("dropped", "%llu %s: %s", (unsigned long long)kinds[k], dusk_taken_name(k),
                             dusk_taken_about(k));
}

static dusk_status say(const collect_job *job, const dusk_survey *survey, const dusk_statement *promise,
                       const dusk_shuffler *shuffler, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char text[16384], local[DUSK_DECIMAL_SIZE];
    uint64_t kinds[DUSK_TAKEN_KINDS];
    dusk_json json = { .file = stdout };
    dusk_shuffler_kinds(shuffler, kinds);
    const uint64_t left = dusk_shuffler_left(shuffler);
    const bool hidden = collect_given(job, "threshold-epsilon"); /* then what was dropped says too much */
    const bool buds = collect_given(job, "buds");
    const uint64_t batches = buds ? (uint64_t)job->settings->buds : 1;
    const double claim = dusk_buds_claim(batches, left / batches, 1);
    if (job->settings->json) {
        DUSK_TRY(dusk_statement_json(promise, text, sizeof text, err));
        dusk_json_open(&json, '{');
        dusk_json_number_field(&json, "reports", (double)left);
        dusk_json_number_field(&json, "epsilon_report", survey->epsilon);
        dusk_json_number_field(&json, "epsilon_shuffled", promise->epsilon);
        dusk_json_number_field(&json, "delta", promise->delta);
        if (buds) dusk_json_number_field(&json, "buds_claim", claim);
        if (!hidden) {
            dusk_json_key(&json, "dropped");
            dusk_json_open(&json, '{');
            for (unsigned k = 1; k < DUSK_TAKEN_KINDS; k++)
                dusk_json_number_field(&json, dusk_taken_name(k), (double)kinds[k]);
            dusk_json_close(&json, '}');
        }
        dusk_json_key(&json, "promise");
        dusk_json_raw(&json, text);
        dusk_json_close(&json, '}');
        putchar('\n');
        goto done;
    }
    DUSK_TRY(dusk_statement_format(promise, text, sizeof text, err));
    dusk_decimal_up(local, survey->epsilon, 6);
    dusk_output_note("reports", "%llu, in random order", (unsigned long long)left);
    if (!hidden) say_dropped(shuffler);
    dusk_output_note("a report", "epsilon %s by itself, whoever sees it", local);
    dusk_output_note("promise", "%s", text);
    if (buds)
        dusk_output_note(
            "BUDS", "claims epsilon %s of %llu such batches by one shuffler: no worst-case proof, no promise",
            dusk_shown_up(claim, 6).text, (unsigned long long)batches);
done:
    return status;
}

dusk_status collect_shuffle(const collect_job *job, dusk_error *err)
{
    const collect_settings *s = job->settings;
    dusk_status status = DUSK_OK;
    dusk_survey survey;
    dusk_statement promise;
    dusk_shuffler *shuffler = NULL;
    dusk_generator *gen = NULL;
    dusk_new_file *file = NULL;
    DUSK_TRY(collect_read_task(job, &survey, err));
    if (collect_is_places(&survey)) /* refused, and before anything is read */
        DUSK_TRY(dusk_shuffled_statement(&promise, &survey, 1, s->liars, s->delta, err));
    const bool hidden = collect_given(job, "threshold-epsilon");
    if (hidden && collect_given(job, "liars"))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --liars or --threshold-epsilon away",
                           "how many report cannot be hidden from liars, who know who else is there"));
    DUSK_TRY(dusk_generator_new(&gen, err));
    DUSK_TRY(dusk_shuffler_new(&shuffler, &survey, (uint64_t)s->epoch, (uint64_t)s->threshold, err));
    if (hidden) {
        DUSK_TRY(dusk_shuffler_hide_number(shuffler, s->threshold_epsilon, s->delta, err));
        DUSK_TRY(dusk_hidden_statement(&promise, &survey, (uint64_t)s->threshold, s->threshold_epsilon,
                                       s->delta, err));
    }
    DUSK_TRY(dusk_new_file_open(&file, s->out, "records", err));
    for (size_t i = 0; i < job->input_count; i++) DUSK_TRY(take_input(shuffler, job->inputs[i], err));
    if (job->input_count == 0) DUSK_TRY(take_input(shuffler, "-", err));
    const uint64_t reports = dusk_shuffler_reports(shuffler);
    if (reports < (uint64_t)s->threshold && !hidden) say_dropped(shuffler); /* why they are so few */
    if (reports > 0 && !hidden)
        DUSK_TRY(dusk_shuffled_statement(&promise, &survey, reports, s->liars, s->delta, err));
    DUSK_TRY(dusk_shuffler_release(shuffler, gen, write_some, file, err));
    DUSK_TRY(dusk_new_file_put(file, err));
    status = say(job, &survey, &promise, shuffler, err);
done:
    dusk_new_file_close(file);
    dusk_shuffler_free(shuffler);
    dusk_generator_free(gen);
    return status;
}
