/* SPDX-License-Identifier: Apache-2.0 */
/* A batch of reports in random order. The reports of an epoch are kept without anything that came with them, and leave once. Proof: shuffler.proof.md. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/local_shuffle.h"
#include "dusk/mechanisms_numbers.h"
#include "local/nonces.h"
#include "local/record.h"
#include "local/tally.h"
#include "local/valid.h"
#include "numeric/rounding.h"
#include "random/sampling.h"

#define BLOCK ((size_t)1 << 18) /* bytes that are written at a time, about */
#define BATCH 256               /* records whose nonces are looked up at a time */

struct dusk_shuffler {
    dusk_survey survey;
    uint64_t epoch, threshold, kind[DUSK_TAKEN_KINDS];
    uint32_t size; /* of a report */
    local_nonces *nonces;
    dusk_tally *check; /* knows reports that no device makes; NULL: they can be told without */
    size_t waiting;    /* records of an input, whose bytes are there as long as they wait */
    uint64_t nonce[BATCH];
    const uint8_t *report[BATCH];
    uint8_t *reports;
    size_t count, room, left; /* reports, and how many of them left */
    bool released, hidden;    /* how many there are is hidden by `noise` */
    dusk_noise noise;
};

dusk_status dusk_shuffler_new(dusk_shuffler **out, const dusk_survey *survey, uint64_t epoch,
                              uint64_t threshold, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_shuffler *s = NULL;
    *out = NULL;
    if (threshold < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 1000", "a threshold is at least 1");
    DUSK_NEW(s, 1);
    s->survey = *survey;
    s->epoch = epoch;
    s->threshold = threshold;
    s->size = dusk_report_size(&survey->task);
    DUSK_TRY(local_nonces_new(&s->nonces, err));
    if (!local_validity_is_known(&survey->task)) DUSK_TRY(dusk_tally_new(&s->check, survey, err));
    *out = s;
    s = NULL;
done:
    dusk_shuffler_free(s);
    return status;
}

static void forget(dusk_shuffler *s)
{
    if (s->reports) dusk_wipe(s->reports, s->room * s->size);
    dusk_deallocate(s->reports);
    dusk_tally_free(s->check);
    local_nonces_free(s->nonces);
    s->reports = NULL;
    s->check = NULL;
    s->nonces = NULL;
    s->count = s->room = 0;
}

void dusk_shuffler_free(dusk_shuffler *shuffler)
{
    if (shuffler) forget(shuffler);
    dusk_deallocate(shuffler);
}

void dusk_shuffler_kinds(const dusk_shuffler *shuffler, uint64_t kinds[DUSK_TAKEN_KINDS])
{
    memcpy(kinds, shuffler->kind, sizeof shuffler->kind);
}

uint64_t dusk_shuffler_reports(const dusk_shuffler *shuffler) { return shuffler->kind[DUSK_TAKEN]; }

uint64_t dusk_shuffler_left(const dusk_shuffler *shuffler) { return shuffler->left; }

/* The noise of the number: never beyond `shape`, for half of delta. */
static dusk_status number_noise(dusk_noise *out, double epsilon, double delta, dusk_error *err)
{
    if (!(delta > 0 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 1e-6", "delta must be above 0 and below 1");
    return dusk_truncated_laplace_init(out, 1, epsilon, delta / 2, 0, err);
}

dusk_status dusk_shuffler_hide_number(dusk_shuffler *s, double epsilon, double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (s->released)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say it before the release", "the batch was released");
    DUSK_TRY(number_noise(&s->noise, epsilon, delta, err));
    s->hidden = true;
done:
    return status;
}

/* --- in ------------------------------------------------------------------------------------------------------------------ */

static dusk_status keep(dusk_shuffler *s, const uint8_t *report, dusk_error *err)
{
    if (s->count == s->room) {
        const size_t room = s->room ? 2 * s->room : 64;
        uint8_t *larger = dusk_larger(s->reports, s->count, room, s->size);
        if (!larger) return dusk_fail_memory(err);
        s->reports = larger;
        s->room = room;
    }
    memcpy(s->reports + s->count++ * s->size, report, s->size);
    return DUSK_OK;
}

static bool is_valid(dusk_shuffler *s, const uint8_t *report)
{
    if (!s->check) return local_report_is_valid(&s->survey.task, report);
    const uint64_t before = dusk_tally_dropped(s->check);
    dusk_tally_add(s->check, report, 1);
    return dusk_tally_dropped(s->check) == before;
}

/* The records that wait. */
static dusk_status settle(dusk_shuffler *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool fresh[BATCH];
    const size_t n = s->waiting;
    s->waiting = 0;
    DUSK_TRY(local_nonces_add_all(s->nonces, s->nonce, n, fresh, err));
    for (size_t i = 0; i < n; i++) {
        dusk_taken kind = DUSK_TAKEN;
        if (!DUSK_MUTATE(SHUFFLER_TAKES_REPLAYS, fresh[i], true))
            kind = DUSK_DROPPED_REPLAYED;
        else if (!is_valid(s, s->report[i]))
            kind = DUSK_DROPPED_INVALID;
        if (kind == DUSK_TAKEN) DUSK_TRY(keep(s, s->report[i], err));
        s->kind[kind]++;
    }
done:
    return status;
}

static dusk_status take_frame(dusk_shuffler *s, const uint8_t *bytes, size_t n, dusk_error *err)
{
    local_record record;
    const dusk_taken kind = local_record_read(&record, bytes, n, &s->survey.task, s->epoch, s->size);
    if (kind != DUSK_TAKEN) {
        s->kind[kind]++;
        return DUSK_OK;
    }
    s->nonce[s->waiting] = record.nonce;
    s->report[s->waiting++] = record.report;
    return s->waiting == BATCH ? settle(s, err) : DUSK_OK;
}

dusk_status dusk_shuffler_take(dusk_shuffler *s, const uint8_t *bytes, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (s->released)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take another shuffler for further reports",
                         "the batch was released");
    while (n > 0) {
        size_t head = 0;
        uint64_t length = 0;
        const local_frame frame = local_frame_read(bytes, n, &head, &length);
        if (frame != LOCAL_FRAME_WHOLE || length > n - head) {
            const bool large = frame == LOCAL_FRAME_WHOLE && length > LOCAL_RECORD_MOST;
            s->kind[frame == LOCAL_FRAME_NONE ? DUSK_DROPPED_UNFRAMED
                    : large                   ? DUSK_DROPPED_OVERSIZED
                                              : DUSK_DROPPED_TRUNCATED]++;
            break;
        }
        if (length > LOCAL_RECORD_MOST)
            s->kind[DUSK_DROPPED_OVERSIZED]++;
        else
            DUSK_TRY(take_frame(s, bytes + head, (size_t)length, err));
        bytes += head + (size_t)length;
        n -= head + (size_t)length;
    }
    status = settle(s, err);
done:
    s->waiting = 0;
    return status;
}

/* --- out ------------------------------------------------------------------------------------------------------------------ */

/* The first s->left of the reports by `order`, each as a new record. */
DUSK_PROVEN(write_all)
static dusk_status write_all(const dusk_shuffler *s, const size_t *order, dusk_entropy *entropy,
                             dusk_shuffler_write *write, void *context, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint8_t *block = NULL;
    size_t used = 0;
    DUSK_NEW(block, BLOCK + LOCAL_RECORD_MOST);
    for (size_t i = 0; i < s->left; i++) {
        const size_t from = DUSK_MUTATE(SHUFFLER_KEEPS_ORDER, order[i], i);
        const uint32_t n =
            dusk_client_record(&s->survey.task, s->epoch, block + used, s->reports + from * s->size, entropy);
        if (n == 0) DUSK_TRY(dusk_fail(err, DUSK_ERR_ENTROPY, "", "the random source failed"));
        used += n;
        if (used < BLOCK) continue;
        DUSK_TRY(write(context, block, used, err));
        used = 0;
    }
    if (used > 0) DUSK_TRY(write(context, block, used, err));
done:
    dusk_deallocate(block);
    return status;
}

/* How many reports leave, 0 for none: all of them; or as many as a noisy number says, less the most that noise adds, so that there are as many. */
DUSK_PROVEN(number_to_leave)
static dusk_status number_to_leave(const dusk_shuffler *s, dusk_generator *gen, size_t *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double number = (double)s->count;
    if (s->hidden) {
        DUSK_TRY(dusk_noise_release(&s->noise, &number, (double)s->count, gen, err));
        number = floor(DUSK_MUTATE(SHUFFLER_SHOWS_THE_NUMBER, number - s->noise.shape, (double)s->count));
    }
    *out = DUSK_MUTATE(SHUFFLER_IGNORES_THRESHOLD, number < (double)s->threshold, false)
               ? 0
               : (size_t)fmax(number, 0);
done:
    return status;
}

DUSK_PROVEN(dusk_shuffler_release)
dusk_status dusk_shuffler_release(dusk_shuffler *s, dusk_generator *gen, dusk_shuffler_write *write,
                                  void *context, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_generator_entropy coins;
    dusk_entropy entropy = dusk_entropy_of(&coins, gen);
    size_t *order = NULL, left = 0;
    if (s->released)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "a batch is released once", "the batch was released");
    DUSK_NEW(order, s->count);
    s->released = s->hidden;
    DUSK_TRY(number_to_leave(s, gen, &left, err));
    if (left == 0 && s->hidden)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "take a new batch: asking again would cost as much again",
                           "there are too few reports, or chance made it seem so"));
    if (left == 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "wait for more",
                           "there are %zu reports, and a batch needs %llu", s->count,
                           (unsigned long long)s->threshold));
    s->released = true;
    s->left = left;
    DUSK_TRY(dusk_shuffle(gen, order, s->count, err));
    DUSK_TRY(write_all(s, order, &entropy, write, context, err));
done:
    if (s->released) forget(s);
    dusk_deallocate(order);
    return status;
}

/* --- what it promises ------------------------------------------------------------------------------------------------------ */

/* Randomized response that tells the truth no less often than any lie: the event is about that. */
static bool is_response(const dusk_client_task *task)
{
    return task->mechanism == DUSK_GRR &&
           (dusk_uint128)task->p * (task->domain - 1) >= ((dusk_uint128)1 << 64) - task->p;
}

/* The person is one of those who count: of the others `liars` do not. */
DUSK_PROVEN(dusk_shuffled_statement)
dusk_status dusk_shuffled_statement(dusk_statement *out, const dusk_survey *survey, uint64_t reports,
                                    double liars, double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    dusk_statement statement;
    if (!(liars >= 0 && liars < 1) || reports < 1 || reports > (uint64_t)1 << 53)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example a share of 0.05",
                         "a batch has a report at least, and a share of liars from 0 to below 1");
    if (survey->task.mechanism == DUSK_PLANAR)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "give the records to aggregate as they are",
                         "places are hidden by distance, and of that shuffling promises nothing more");
    const double lost = ceil(dusk_mul_up((double)(reports - 1), DUSK_MUTATE(SHUFFLE_COUNTS_LIARS, liars, 0)));
    const uint64_t honest = reports - (uint64_t)fmin(lost, (double)(reports - 1));
    if (honest < 2)
        DUSK_TRY(dusk_event_pure(&event, survey->epsilon, err));
    else if (is_response(&survey->task))
        DUSK_TRY(dusk_event_shuffle_response(&event, honest, survey->task.domain, survey->epsilon, err));
    else
        DUSK_TRY(dusk_event_shuffle(&event, honest, survey->epsilon, err));
    DUSK_TRY(dusk_statement_init(&statement, &event, delta, DUSK_REPLACE_ONE, "report", err));
    DUSK_TRY(dusk_statement_assume(&statement, "a person reports once", err));
    DUSK_TRY(dusk_statement_assume(&statement,
                                   "the shuffler forgets where reports came from and in which order", err));
    DUSK_TRY(dusk_statement_assume(
        &statement, "all reports that are counted in the event are honest and not told to anybody", err));
    *out = statement;
done:
    return status;
}

/* The number, and then a batch that is as large as the threshold at least. */
DUSK_PROVEN(dusk_hidden_statement)
dusk_status dusk_hidden_statement(dusk_statement *out, const dusk_survey *survey, uint64_t threshold,
                                  double epsilon, double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event number, batch, both;
    dusk_statement shuffled, statement;
    dusk_noise noise;
    DUSK_TRY(number_noise(&noise, epsilon, delta, err));
    DUSK_TRY(dusk_shuffled_statement(&shuffled, survey, threshold, 0, delta / 2, err));
    DUSK_TRY(dusk_noise_event(&noise, &number, err));
    DUSK_TRY(dusk_event_approx(&batch, shuffled.epsilon, shuffled.delta, err));
    DUSK_TRY(dusk_event_add(&both, &number, &batch, err));
    DUSK_TRY(dusk_statement_init(&statement, &both, delta, DUSK_ADD_REMOVE, "report", err));
    DUSK_TRY(dusk_statement_assume(&statement, "a person reports once, or not at all", err));
    DUSK_TRY(dusk_statement_assume(
        &statement, "the shuffler forgets where reports came from, in which order, and which it threw away",
        err));
    DUSK_TRY(dusk_statement_assume(&statement, "all reports are honest and not told to anybody", err));
    *out = statement;
done:
    return status;
}

double dusk_buds_claim(uint64_t batches, uint64_t rows, uint32_t shufflers)
{
    if (batches < 1 || rows < 2 || shufflers < 1) return NAN;
    return fmax(log((double)batches) - shufflers * log((double)(rows - 1)), 0);
}
