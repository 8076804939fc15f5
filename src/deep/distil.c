/* SPDX-License-Identifier: Apache-2.0 */
/* Students; see distil.h. */
#include "deep/distil.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deep/moments.h"
#include "deep/net_learner.h"
#include "deep/student.h"
#include "deep/teachers.h"

enum { LOT = 64, EPOCHS_USUAL = 20, EPOCHS_LINEAR = 30, REVIEW_ROWS = 1000, REVIEWS = 3, ANSWERS_LEAST = 2 };
#define LEARNED_MOST 0x1p28 /* numbers of copies that the student learns from */
#define RATE_USUAL 0.003
#define RATE_LINEAR 0.02 /* of one layer on numbers that others make, such as scatter */
#define REVIEW_RIDGE 0.1
#define REVIEW_WIDTH 0.5 /* squared, in mean squared distances */

void deep_distil_clear(deep_distil *d)
{
    deep_net_clear(&d->net);
    deep_net_clear(&d->front);
    deep_net_clear(&d->rest);
}

dusk_status deep_distil_plan(learn_job *job, deep_distil *d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(learn_plan_features(job, false, err));
    if (learn_choice(job, "range") == 1) deep_scale_to_unit(job);
    d->classes = job->label_field->values;
    DUSK_TRY(deep_net_parse(&d->net, learn_text(job, "net"), job->features.width, d->classes, err));
    DUSK_TRY(deep_check_tokens(&d->net, false, "train net, which has range=raw", err));
    DUSK_TRY(learn_model_room((double)d->net.parameters, err));
    DUSK_TRY(deep_refuse_standard(&d->net, err));
    if (d->net.parameters == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "end it with output", "the network has nothing to learn");
    DUSK_TRY(deep_front_split(&d->net, &d->front, &d->rest, err));
    d->components = (size_t)learn_setting(job, "components");
    d->epochs = (size_t)learn_setting(job, "epochs");
    d->moves = learn_choice(job, "moves") == 1 && deep_is_picture(d->net.in);
    d->rate = learn_setting(job, "learning_rate");
    const bool linear = d->front.layers > 0 && d->rest.layers == 1;
    if (d->epochs == 0) d->epochs = linear && !d->moves ? EPOCHS_LINEAR : EPOCHS_USUAL;
    if (d->rate == 0) d->rate = linear ? RATE_LINEAR : RATE_USUAL;
    d->threads = (size_t)learn_setting(job, "threads");
    d->rounds = 1;
    if (job->open_rows->rows == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a file that has rows", "there are no public rows");
    learn_say(job, "answers are about %zu public rows%s, from which the network learns", job->open_rows->rows,
              d->moves ? ", pictures that stay what they are when they are moved a little" : "");
done:
    return status;
}

void deep_distil_say(learn_job *job, const deep_distil *d, size_t answers)
{
    if (answers < ANSWERS_LEAST * d->classes)
        learn_say(job,
                  "so few answers hardly tell %zu classes apart; a larger epsilon, or more rows, give more",
                  d->classes);
}

/* --- public rows --------------------------------------------------------------------------------------------------------- */

void deep_public_clear(deep_public *open)
{
    dusk_deallocate(open->through);
    dusk_deallocate(open->x);
    dusk_deallocate(open->question);
    dusk_deallocate(open->asked);
    deep_map_clear(&open->map);
    deep_graph_clear(&open->graph);
    for (size_t k = 0; k < DEEP_MOVES; k++) deep_rows_clear(&open->copy[k]);
    *open = (deep_public){ .rows = 0 };
}

/* Vectors of rows that went through the layers: `through`, or a copy. */
static dusk_status map_all(const deep_public *open, const deep_rows *copy, float *to, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    float *from = NULL, *room = NULL;
    tensor_gemm_work work = { .room = NULL };
    const size_t p = open->map.from;
    DUSK_NEW(from, LOT * p);
    DUSK_NEW(room, LOT * p);
    DUSK_TRY(tensor_gemm_open(&work, err));
    for (size_t first = 0, n; first < open->rows; first += n) {
        n = open->rows - first < LOT ? open->rows - first : LOT;
        for (size_t i = 0; copy && i < n; i++) deep_rows_take(copy, first + i, from + i * p);
        deep_map_vectors(&open->map, copy ? from : open->through + first * p, n, to + first * open->map.width,
                         room, &work);
    }
done:
    tensor_gemm_close(&work);
    dusk_deallocate(from);
    dusk_deallocate(room);
    return status;
}

static dusk_status map_moved(deep_public *open, const deep_distil *d, const deep_rows *rows, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_rows moved = { .rows = 0 };
    const double most = LEARNED_MOST / ((double)open->rows * (double)open->map.from);
    for (size_t k = 0; k < open->copies; k++) {
        DUSK_TRY(deep_rows_move(&moved, rows, d->net.in, k, err));
        DUSK_TRY(deep_front_run(&d->front, &moved, d->threads, err));
        DUSK_TRY(map_all(open, &moved, open->x + (1 + k) * open->rows * open->map.width, err));
        if ((double)(k + 1) <= most) {
            open->copy[open->learned++] = moved;
            moved = (deep_rows){ .rows = 0 };
        }
        deep_rows_clear(&moved);
    }
    DUSK_TRY(deep_map_shorten(&open->map, open->x, open->rows, open->copies, err));
done:
    deep_rows_clear(&moved);
    return status;
}

dusk_status deep_public_make(deep_public *out, const learn_job *job, const deep_distil *d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_public open = { .rows = job->open_rows->rows, .copies = d->moves ? DEEP_MOVES : 0 };
    deep_rows rows = { .rows = 0 };
    *out = (deep_public){ .rows = 0 };
    if (open.rows > DEEP_OPEN_MOST) open.rows = DEEP_OPEN_MOST;
    const dusk_frame frame = { job->open_rows->fields, open.rows, job->open_rows->column };
    DUSK_TRY(deep_rows_make_all(&rows, &job->features, &frame, err));
    DUSK_NEW(open.through, open.rows * deep_size(d->front.out) + 1);
    DUSK_TRY(deep_rows_through(&d->front, &rows, open.through, d->threads, err));
    DUSK_TRY(deep_map_make(&open.map, &d->front, open.through, open.rows, d->components, err));
    DUSK_NEW(open.x, (1 + open.copies) * open.rows * open.map.width + 1);
    DUSK_NEW(open.question, d->questions + 1);
    DUSK_NEW(open.asked, d->questions * open.map.width + 1);
    DUSK_TRY(map_all(&open, NULL, open.x, err));
    if (open.copies > 0) DUSK_TRY(map_moved(&open, d, &rows, err));
    const deep_open vectors = { open.x, open.rows, open.map.width };
    DUSK_TRY(deep_choose_questions(open.question, d->questions, &vectors, d->threads, err));
    for (size_t q = 0; q < d->questions; q++)
        memcpy(open.asked + q * open.map.width, open.x + open.question[q] * open.map.width,
               open.map.width * sizeof *open.x);
    DUSK_TRY(deep_graph_make(&open.graph, &vectors, open.copies, d->threads, err));
    *out = open;
    open = (deep_public){ .rows = 0 };
done:
    deep_rows_clear(&rows);
    deep_public_clear(&open);
    return status;
}

/* --- private rows --------------------------------------------------------------------------------------------------------- */

void deep_private_clear(float *x, int32_t *code, size_t *place, size_t count, size_t width)
{
    if (x) dusk_wipe(x, count * width * sizeof *x);
    if (code) dusk_wipe(code, count * sizeof *code);
    if (place) dusk_wipe(place, count * sizeof *place);
    dusk_deallocate(x);
    dusk_deallocate(code);
    dusk_deallocate(place);
}

dusk_status deep_private_make(const learn_job *job, const deep_public *open, const dusk_frame *frame,
                              size_t threads, float **x, int32_t **code, size_t **place, size_t *count,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_rows rows = { .rows = 0 };
    *x = NULL;
    *code = NULL;
    *place = NULL;
    *count = 0;
    DUSK_TRY(deep_rows_make(&rows, &job->features, frame, err));
    DUSK_NEW(*x, rows.rows * open->map.width + 1);
    DUSK_NEW(*place, rows.rows + 1);
    for (size_t r = 0, i = 0; r < frame->rows && i < rows.rows; r++)
        if (learn_row_labelled(job->label_field, &frame->column[job->label], r)) (*place)[i++] = r;
    DUSK_TRY(deep_map_rows(&open->map, &rows, *x, threads, err));
    *code = rows.code;
    *count = rows.rows;
    rows.code = NULL;
done:
    deep_rows_clear(&rows);
    return status;
}

/* --- answers and the student ------------------------------------------------------------------------------------------- */

static dusk_status ask(learn_job *job, const deep_distil *d, const deep_public *open, int32_t *answer,
                       float *score, deep_answer give, void *context, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *put = NULL;
    DUSK_NEW(put, 2 * d->questions + 1);
    for (size_t i = 0; i < open->rows; i++) answer[i] = -1;
    for (size_t q = 0; q < d->questions; q++) {
        const size_t row = open->question[q];
        const bool later = q >= d->questions / d->rounds && d->rounds > 1; /* the student knows something */
        if (later && q % (d->questions / d->rounds) == 0)
            DUSK_TRY(deep_graph_spread(&open->graph, answer, d->classes, score, err));
        DUSK_TRY(give(context, q, later ? score + row * d->classes : NULL, &answer[row], gen, err));
        put[2 * q] = (double)row;
        put[2 * q + 1] = (double)answer[row];
        learn_progress(job, 0.5 + 0.2 * (double)q / (double)d->questions);
    }
    DUSK_TRY(learn_model_put(job->model, "answers", d->questions, 2, put, err));
done:
    dusk_deallocate(put);
    return status;
}

/* The class that most of the flow to a row is of; what was answered about the row itself is only a part of it. */
static void take_labels(int32_t *label, const float *score, size_t rows, size_t k)
{
    for (size_t i = 0; i < rows; i++) {
        size_t best = 0;
        for (size_t c = 1; c < k; c++)
            if (score[i * k + c] > score[i * k + best]) best = c;
        label[i] = score[i * k + best] > 0 ? (int32_t)best : -1;
    }
}

/* Labels that flowed along the graph are reviewed: classifiers learn from parts of the rows, and what most of them say of a row is its label. Where rows are few
 * this would only repeat what was said; and moved copies do more. */
static dusk_status review(const deep_distil *d, const deep_public *open, int32_t *label, dusk_generator *gen,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = d->classes, n = open->rows, w = open->map.width;
    const deep_open all = { open->x, n, w };
    deep_teaching how = { .teachers = n / REVIEW_ROWS,
                          .classes = k,
                          .rows_most = 2 * REVIEW_ROWS,
                          .ridge = REVIEW_RIDGE,
                          .threads = d->threads };
    uint32_t *part = NULL;
    int32_t *votes = NULL;
    float *score = NULL;
    if (how.teachers < 3 || open->copies > 0) return DUSK_OK;
    for (size_t i = 0; i < n; i++)
        if (label[i] < 0) return DUSK_OK;
    how.width = sqrt(REVIEW_WIDTH * deep_open_spread(&all));
    DUSK_NEW(part, n);
    DUSK_NEW(votes, n * k);
    DUSK_NEW(score, n * k);
    for (int turn = 0; turn < REVIEWS && how.width > 0; turn++) {
        const deep_vectors rows = { open->x, label, n, w };
        DUSK_TRY(deep_deal(part, n, how.teachers, gen, err));
        DUSK_TRY(deep_teachers_vote(&how, &rows, part, open->x, n, votes, err));
        for (size_t i = 0; i < n * k; i++) score[i] = (float)votes[i];
        take_labels(label, score, n, k);
    }
done:
    dusk_deallocate(part);
    dusk_deallocate(votes);
    dusk_deallocate(score);
    return status;
}

dusk_status deep_distil_run(learn_job *job, const deep_distil *d, const deep_public *open, deep_answer give,
                            void *context, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_student student = { .net = &d->rest,
                                   .rate = d->rate,
                                   .epochs = d->epochs,
                                   .lot = LOT,
                                   .copy = open->copy,
                                   .copies = open->learned };
    int32_t *label = NULL;
    float *score = NULL, *parameters = NULL;
    DUSK_NEW(label, open->rows + 1);
    DUSK_NEW(score, open->rows * d->classes + 1);
    DUSK_NEW(parameters, d->net.parameters);
    DUSK_TRY(ask(job, d, open, label, score, give, context, gen, err));
    DUSK_TRY(deep_graph_spread(&open->graph, label, d->classes, score, err));
    take_labels(label, score, open->rows, d->classes);
    learn_progress(job, 0.75);
    DUSK_TRY(review(d, open, label, gen, err));
    DUSK_TRY(deep_net_start(&d->net, parameters, gen, err));
    DUSK_TRY(deep_student_train(&student, open->through, label, open->rows, parameters, gen, err));
    DUSK_TRY(deep_put_parameters(job, parameters, d->net.parameters, err));
done:
    dusk_deallocate(label);
    dusk_deallocate(score);
    dusk_deallocate(parameters);
    return status;
}
