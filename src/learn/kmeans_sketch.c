/* SPDX-License-Identifier: Apache-2.0 */
/* k-means begins with a sketch [Schellekens, Chatalic, Houssiau, de Montjoye, Jacques & Gribonval 2019; Chatalic et al. 2021]: rows
 * become phases of public waves, and what is released is the sum of their (cos, sin), once. Phases are whole numbers modulo a power of two, and
 * (cos, sin) are read from a table of whole numbers: a row adds the same wherever it lies. Waves have all lengths, since which of
 * them would fit the groups is not public. Decoding: sketch_decode.c. Proof: kmeans_sketch.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/kmeans_start.h"
#include "learn/normals.h"
#include "learn/sketch.h"

enum { TABLE = 1024, WAVES_LEAST = 64, WAVES_MOST = 2048 };
#define PER_TABLE (1 << 20) /* of a turn of 2^30, in a cell of the table */

/* --- waves --------------------------------------------------------------------------------------------------- */

/* Gaussian noise grows with the root of their number, which many of them average away; K-norm noise with the number itself. */
size_t learn_sketch_waves(size_t k, size_t width, bool pure)
{
    double waves = (pure ? 2.0 : 4.0) * (double)k * ((double)width + 2);
    return (size_t)fmin(fmax(waves, WAVES_LEAST), WAVES_MOST);
}

/* A direction that is even over the sphere, times `length`: radians over half of the box. */
static void draw_turn(double *out, size_t width, double length, uint64_t *seed)
{
    double square = 0;
    for (size_t i = 0; i < width; i++) {
        double radius = sqrt(-2 * log(learn_part_of(learn_points_coin(seed))));
        out[i] = radius * cos(2 * M_PI * learn_points_uniform(seed));
        square += out[i] * out[i];
    }
    for (size_t i = 0; i < width; i++) out[i] *= square > 0 ? length / sqrt(square) : 0;
}

/* Wave w in whole numbers, and what it is in radians after rounding. */
DUSK_PROVEN(set_wave)
static void set_wave(learn_sketch *s, size_t w, const double *turn)
{
    for (size_t i = 0; i < s->width; i++) {
        double whole = rint(turn[i] / s->half[i] * (LEARN_SKETCH_TURN / (2 * M_PI)));
        whole = fmin(fmax(whole, -0x1p28), 0x1p28);
        s->wave[w * s->width + i] = whole;
        s->turn[w * s->width + i] = whole * s->half[i] * (2 * M_PI / LEARN_SKETCH_TURN);
        s->square[w] += s->turn[w * s->width + i] * s->turn[w * s->width + i];
    }
    s->fastest = fmax(s->fastest, sqrt(s->square[w]));
}

dusk_status learn_sketch_init(learn_sketch *out, size_t waves, const learn_groups *groups, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = groups->width;
    const double most = 6 * pow((double)groups->k, 1 / (double)d);
    learn_sketch s = { .waves = waves, .width = d };
    double *turn = NULL;
    uint64_t seed = 2019;

    *out = (learn_sketch){ .waves = 0 };
    DUSK_NEW(turn, d);
    DUSK_NEW(s.wave, waves * d);
    DUSK_NEW(s.turn, waves * d);
    DUSK_NEW(s.square, waves);
    DUSK_NEW(s.low, d);
    DUSK_NEW(s.high, d);
    DUSK_NEW(s.half, d);
    for (size_t i = 0; i < d; i++) {
        s.half[i] = fmax((groups->high[i] - groups->low[i]) / 2, 16);
        s.low[i] = groups->low[i] / s.half[i];
        s.high[i] = groups->high[i] / s.half[i];
    }
    for (size_t w = 0; w < waves; w++) {
        draw_turn(turn, d, pow(most, ((double)w + 0.5) / (double)waves), &seed);
        set_wave(&s, w, turn);
    }
    *out = s;
    s = (learn_sketch){ .waves = 0 };
done:
    dusk_deallocate(turn);
    learn_sketch_clear(&s);
    return status;
}

void learn_sketch_clear(learn_sketch *s)
{
    dusk_deallocate(s->wave);
    dusk_deallocate(s->turn);
    dusk_deallocate(s->square);
    dusk_deallocate(s->low);
    dusk_deallocate(s->high);
    dusk_deallocate(s->half);
    *s = (learn_sketch){ .waves = 0 };
}

/* --- plan ---------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(learn_plan_sketch)
dusk_status learn_plan_sketch(learn_job *job, learn_sketch_noise *out, size_t k, double share,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = job->features.width, waves = learn_sketch_waves(k, d, job->budget.delta == 0);
    const double steps = ceil(LEARN_SKETCH_SIZE * sqrt((double)waves) * (1 + 0x1p-50));
    if (d > LEARN_SKETCH_WIDTH || k > LEARN_SKETCH_GROUPS)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use method=hash",
                         "a sketch is for at most %d columns and %d groups; there are %zu and %zu",
                         LEARN_SKETCH_WIDTH, LEARN_SKETCH_GROUPS, d, k);
    out->waves = waves;
    DUSK_TRY(learn_budget_noise(&job->budget, &out->noise, (uint32_t)(2 * waves),
                                DUSK_MUTATE(SKETCH_HAS_ONE_WAVE, steps, LEARN_SKETCH_SIZE), 0, share, 1,
                                err));
    learn_say(job, "a sketch of %zu waves, a row being at most 1 in each, with noise of deviation %.4g",
              waves, out->noise.deviation / LEARN_SKETCH_SIZE);
done:
    return status;
}

/* --- rows ---------------------------------------------------------------------------------------------------- */

/* Cell i: (cos, sin) of the middle of the i-th part of a turn, whole and no longer than SIZE. */
DUSK_PROVEN(make_table)
static void make_table(double *table)
{
    const double size = DUSK_MUTATE(SKETCH_TABLE_IS_LONG, 1, 1.5) * LEARN_SKETCH_SIZE;
    for (size_t i = 0; i < TABLE; i++) {
        double angle = 2 * M_PI * ((double)i + 0.5) / TABLE, *cell = table + 2 * i;
        cell[0] = trunc(size * cos(angle));
        cell[1] = trunc(size * sin(angle));
        while (cell[0] * cell[0] + cell[1] * cell[1] > size * size) {
            cell[0] = trunc(cell[0] * (1 - 0x1p-9));
            cell[1] = trunc(cell[1] * (1 - 0x1p-9));
        }
    }
}

/* A row's phases are whole numbers below 2^53, exact; what a wave gets of it is a cell of the table. */
DUSK_PROVEN(add_rows)
static void add_rows(tensor_sum *sum, const learn_sketch *s, const tensor_block *block, const double *table,
                     double *phases, double *values)
{
    const size_t m = s->waves;
    tensor_block_multiply(block, phases, s->wave, m);
    for (size_t i = 0; i < block->rows; i++) {
        const double *phase = phases + i * m;
        for (size_t w = 0; w < m; w++) {
            uint64_t turn = (uint64_t)(int64_t)phase[w] % (uint64_t)LEARN_SKETCH_TURN;
            const double *cell = table + 2 * (turn / PER_TABLE);
            values[2 * w] = cell[0];
            values[2 * w + 1] = cell[1];
        }
        tensor_sum_add(sum, 0, values, 2 * m, LEARN_SKETCH_SIZE);
    }
}

static dusk_status release_sums(const learn_sketch *s, const learn_noise *noise, double *out,
                                const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    tensor_block block = { 0 };
    tensor_sum sum = { 0 };
    double *table = NULL, *phases = NULL, *values = NULL;
    size_t room = 0;

    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    room = block.room;
    DUSK_NEW(table, 2 * TABLE);
    DUSK_NEW(phases, room * s->waves);
    DUSK_NEW(values, 2 * s->waves);
    DUSK_TRY(tensor_sum_init(&sum, 2 * s->waves, err));
    make_table(table);
    while (tensor_block_next(&block)) add_rows(&sum, s, &block, table, phases, values);
    DUSK_TRY(learn_noise_release(noise, out, tensor_sum_totals(&sum), gen, err));
    for (size_t i = 0; i < 2 * s->waves; i++) out[i] /= LEARN_SKETCH_SIZE;
done:
    tensor_block_close(&block);
    tensor_sum_clear(&sum);
    if (phases) dusk_wipe(phases, room * s->waves * sizeof *phases);
    if (values) dusk_wipe(values, 2 * s->waves * sizeof *values);
    dusk_deallocate(table);
    dusk_deallocate(phases);
    dusk_deallocate(values);
    return status;
}

DUSK_PROVEN(learn_start_sketch)
dusk_status learn_start_sketch(learn_groups *groups, const learn_sketch_noise *noise,
                               const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_sketch sketch = { .waves = 0 };
    double *sums = NULL;
    DUSK_NEW(sums, 2 * noise->waves);
    DUSK_TRY(learn_sketch_init(&sketch, noise->waves, groups, err));
    DUSK_TRY(release_sums(&sketch, &noise->noise, sums, matrix, gen, err));
    DUSK_TRY(learn_sketch_decode(groups, &sketch, sums, err));
done:
    learn_sketch_clear(&sketch);
    dusk_deallocate(sums);
    return status;
}
