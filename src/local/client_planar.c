/* SPDX-License-Identifier: Apache-2.0 */
/* A place on a device: planar Laplace noise on the cells of a grid [Andres, Bordenabe, Chatzikokolakis & Palamidessi 2013]. The noise is a point z of the lattice with probability in
 * proportion to alpha^length(z), where alpha = p / 2^64 and the length is the Euclidean one rounded up: whole numbers only, so that the law is exact.
 *
 * A length k is drawn as the heads before the second tail, in proportion to (k + 1) alpha^k; then one of 12 (k + 1) ways, of which each point of this length has one. A way that leads to no point: everything is drawn
 * again. Cells beyond the grid count as the nearest one of it, after the noise. Proof: client_planar.proof.md. */
#include "base/mutant.h"
#include "local/client.h"

#define LENGTH_MOST ((uint32_t)1 << 24) /* no fair coins come so far: see the proof */
#define ROUNDS_MOST 4096                /* of which each ends it with a chance of at least 1 in 12 */

/* Bit by bit, from the highest that it can have. */
DUSK_PROVEN(client_root)
uint32_t client_root(uint64_t x)
{
    uint64_t root = 0, bit = 1;
    while (bit * bit <= x >> 2) bit <<= 1;
    for (; bit > 0; bit >>= 1) root |= (root | bit) * (root | bit) <= x ? bit : 0;
    return (uint32_t)root;
}

/* About as many coins at once as a length takes; p is public. */
static unsigned lanes_for(uint64_t p)
{
    const uint64_t tail = 0 - p;
    unsigned lanes = 4;
    while (lanes < 64 && (tail >> 6) * lanes < (uint64_t)1 << 59) lanes *= 2;
    return lanes;
}

/* Heads before the second tail. */
static int draw_length(dusk_entropy *entropy, uint64_t p, uint32_t *length)
{
    const unsigned lanes = lanes_for(p);
    uint32_t heads = 0, tails = DUSK_MUTATE(PLANAR_ONE_TAIL, 0, 1), head;
    uint64_t coins;
    unsigned i;
    while (tails < 2) {
        if (heads > LENGTH_MOST || client_coins(entropy, &coins, p, lanes)) return DUSK_CLIENT_NO_ENTROPY;
        for (i = 0; i < lanes && tails < 2; i++) {
            head = (uint32_t)(coins >> i & 1);
            heads += head;
            tails += 1 - head;
        }
    }
    *length = heads;
    return 0;
}

/* The point of length k that a way below 12 (k + 1) stands for; 0: none. |short side| <= long side; where they are equal there is one way, and not two. */
DUSK_PROVEN(client_point_of)
int client_point_of(uint32_t k, uint32_t way, int64_t *x, int64_t *y)
{
    const int64_t outer = DUSK_MUTATE(PLANAR_LENGTH_ROUNDED_DOWN, (int64_t)k, (int64_t)k + 1),
                  inner = outer - 1;
    const uint32_t negative = way & 1, swapped = way >> 1 & 1, second = way >> 2 & 1;
    const int64_t half = client_root((uint64_t)(outer * outer / 2)), side = (int64_t)(way >> 3) - half;
    const int64_t width = side < 0 ? -side : side;
    int64_t along = 0;
    if (side > half) return 0;
    if (outer > 0) along = (int64_t)client_root((uint64_t)(inner * inner - side * side)) + 1;
    if (along < width) along = width;
    along += second;
    if (side * side + along * along > outer * outer || (negative && along == 0) ||
        (DUSK_MUTATE(PLANAR_DIAGONAL_TWICE, swapped, 0) && along == width))
        return 0;
    *x = swapped ? (negative ? -along : along) : side;
    *y = swapped ? side : (negative ? -along : along);
    return 1;
}

static int draw_noise(dusk_entropy *entropy, uint64_t p, int64_t *x, int64_t *y)
{
    uint32_t length, way, round, ways;
    for (round = 0; round < ROUNDS_MOST; round++) {
        if (draw_length(entropy, p, &length)) return DUSK_CLIENT_NO_ENTROPY;
        ways = DUSK_MUTATE(PLANAR_KEEPS_ALL_LENGTHS, 12 * (length + 1),
                           8 * (2 * client_root((uint64_t)length * length / 2) + 1));
        if (client_below(entropy, &way, ways)) return DUSK_CLIENT_NO_ENTROPY;
        if (client_point_of(length, way, x, y)) return 0;
    }
    return DUSK_CLIENT_NO_ENTROPY;
}

/* The nearest of 0 .. n - 1. */
static uint32_t nearest(int64_t place, uint32_t n, uint32_t truth)
{
    if (place < 0) return DUSK_MUTATE(PLANAR_OUTSIDE_IS_TRUTH, 0, truth);
    (void)truth;
    return place < n ? (uint32_t)place : n - 1;
}

DUSK_PROVEN(dusk_client_planar)
int dusk_client_planar(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t bytes = client_bytes_for(task->domain);
    const uint32_t cell = client_truth(task, value);
    const uint32_t column = cell % task->width, row = cell / task->width;
    int64_t x, y;
    client_zero(report, bytes);
    if (draw_noise(entropy, task->p, &x, &y)) return DUSK_CLIENT_NO_ENTROPY;
    client_put(report,
               nearest(column + x, task->width, column) + task->width * nearest(row + y, task->rows, row),
               bytes);
    return DUSK_CLIENT_OK;
}

uint32_t dusk_client_cell(const dusk_client_task *task, int64_t x, int64_t y, uint32_t side)
{
    const uint64_t column = x > 0 ? (uint64_t)x / side : 0, row = y > 0 ? (uint64_t)y / side : 0;
    return (uint32_t)(column < task->width ? column : task->width - 1) +
           task->width * (uint32_t)(row < task->rows ? row : task->rows - 1);
}
