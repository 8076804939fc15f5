/* SPDX-License-Identifier: Apache-2.0 */
/* Any randomiser by its number: what a task must be, how long reports are, and the report. */
#include "local/client.h"

#define CHANCE(p) ((p) > 0)

#define POWER_OF_2(x) ((x) > 0 && ((x) & ((x)-1)) == 0)

static int hadamard_is_fine(const dusk_client_task *task)
{
    return task->domain >= 2 && POWER_OF_2(task->width) && task->width >= task->domain &&
           task->width <= (uint32_t)1 << 28 && CHANCE(task->p);
}

/* Reports, below rows^2 width, fit 63 bits, and the prime has room for the domain and for all answers. */
static int hashing_is_fine(const dusk_client_task *task)
{
    const uint64_t square = (uint64_t)task->rows * task->rows;
    return task->domain >= 2 && task->rows >= task->domain && task->rows <= (uint32_t)1 << 29 &&
           task->width >= 2 && task->width <= task->rows && square <= ((uint64_t)1 << 63) / task->width &&
           CHANCE(task->p) && client_is_prime(task->rows);
}

/* Bit maps of the domain fit into a report. */
static int unary_is_fine(const dusk_client_task *task)
{
    return task->domain >= 2 && task->domain <= 8 * (uint32_t)DUSK_REPORT_MOST && CHANCE(task->p) &&
           CHANCE(task->q);
}

static int subset_is_fine(const dusk_client_task *task)
{
    return task->domain >= 2 && task->domain <= 8 * (uint32_t)DUSK_REPORT_MOST && task->width >= 1 &&
           task->width < task->domain && CHANCE(task->p);
}

#define MOST_BUCKETS 1024 /* of a report: a device compares each with those before */

/* A prime, so that all but 0 have an inverse; small enough for products of 32 bits. */
static int geometry_is_fine(const dusk_client_task *task)
{
    const uint32_t q = task->width;
    if (q > 65521 || !client_is_prime(q) || task->rows < 2 || task->rows > DUSK_GEOMETRY_MOST) return 0;
    return task->domain >= 2 && client_points(q, task->rows) >= task->domain && CHANCE(task->p);
}

static int window_is_fine(const dusk_client_task *task)
{
    return task->domain >= 2 && task->domain <= 65536 && task->width >= 1 && task->width <= 65536 &&
           CHANCE(task->p);
}

/* 2^27 places at most, of which twice as many, and 16 times the rows, are numbers of 32 bits; a row fits into a report. */
static int sketch_is_fine(const dusk_client_task *task)
{
    return task->rows >= 1 && task->rows <= 65536 * 2 && task->width >= 2 && task->width <= 524288 &&
           (uint64_t)task->rows * task->width <= (uint64_t)1 << 27;
}

/* A block has a row less than numbers; there are blocks enough, and 2^28 numbers at most. */
static int blocks_are_fine(const dusk_client_task *task)
{
    return task->width >= 2 && (task->width & (task->width - 1)) == 0 && task->rows >= 1 &&
           (uint64_t)task->rows * task->width <= (uint64_t)1 << 28 && task->domain >= 2 &&
           (uint64_t)task->rows * (task->width - 1) >= task->domain;
}

#define MOST_CHILDREN 256 /* of a node of a tree */

/* So many levels as it takes to come from the domain to one node; those with several nodes shift by fewer bits than a value has. */
static int tree_is_fine(const dusk_client_task *task)
{
    if (task->domain < 2 || !POWER_OF_2(task->width) || task->width < task->domain ||
        task->width > (uint32_t)1 << 28 || !POWER_OF_2(task->hashes) || task->hashes < 2 ||
        task->hashes > MOST_CHILDREN)
        return 0;
    return task->rows == client_levels(task) && (uint64_t)task->rows * task->width <= (uint64_t)1 << 28 &&
           CHANCE(task->p);
}

/* A Hadamard sketch for each level, and one more, of 2^27 places at most in all. */
static int levels_are_fine(const dusk_client_task *task)
{
    return sketch_is_fine(task) && POWER_OF_2(task->width) && CHANCE(task->p) && task->domain >= 1 &&
           task->domain <= DUSK_STRING_MOST && task->hashes >= 1 && task->hashes <= task->domain &&
           ((uint64_t)client_text_levels(task) + 1) * task->rows * task->width <= (uint64_t)1 << 27;
}

/* A step takes off one part in 128 at least: no length comes near its end. */
static int grid_is_fine(const dusk_client_task *task)
{
    return task->width >= 2 && task->rows >= 2 && task->domain <= (uint32_t)1 << 22 &&
           (uint64_t)task->width * task->rows == task->domain && CHANCE(task->p) &&
           task->p <= 0 - ((uint64_t)1 << 57);
}

int dusk_client_check(const dusk_client_task *task)
{
    int fine = 0;
    if (!client_attributes_are_fine(task)) return DUSK_CLIENT_BAD_TASK;
    switch (task->mechanism) {
    case DUSK_GRR: fine = task->domain >= 2 && CHANCE(task->p); break;
    case DUSK_SUE:
    case DUSK_OUE: fine = unary_is_fine(task); break;
    case DUSK_OLH: fine = hashing_is_fine(task); break;
    case DUSK_SS: fine = subset_is_fine(task); break;
    case DUSK_HADAMARD: fine = hadamard_is_fine(task); break;
    case DUSK_HR: fine = blocks_are_fine(task) && CHANCE(task->p); break;
    case DUSK_PGR: fine = geometry_is_fine(task); break;
    case DUSK_ONEBIT:
    case DUSK_DUCHI: fine = CHANCE(task->p) && CHANCE(task->q) && task->width == 0; break;
    case DUSK_PIECEWISE:
    case DUSK_SQUAREWAVE: fine = window_is_fine(task) && task->q == 0; break;
    case DUSK_HYBRID: fine = window_is_fine(task) && CHANCE(task->q); break;
    case DUSK_DBITFLIP:
        fine = task->domain >= 2 && task->width >= 1 && task->width <= task->domain &&
               task->width <= MOST_BUCKETS && CHANCE(task->p);
        break;
    case DUSK_TREE: fine = tree_is_fine(task); break;
    case DUSK_CMS: fine = sketch_is_fine(task) && CHANCE(task->p); break;
    case DUSK_HCMS:
        fine = sketch_is_fine(task) && (task->width & (task->width - 1)) == 0 && CHANCE(task->p);
        break;
    case DUSK_RAPPOR:
        fine = sketch_is_fine(task) && task->hashes >= 1 && task->hashes <= 16 && CHANCE(task->p) &&
               CHANCE(task->q);
        break;
    case DUSK_SPL:
    case DUSK_SMP:
    case DUSK_RSFD: fine = client_several_are_fine(task); break;
    case DUSK_PEM: fine = levels_are_fine(task); break;
    case DUSK_TREEHIST: fine = levels_are_fine(task) && CHANCE(task->f); break;
    case DUSK_SFP: fine = levels_are_fine(task) && CHANCE(task->q); break;
    case DUSK_PLANAR: fine = grid_is_fine(task); break;
    default: break;
    }
    return fine ? DUSK_CLIENT_OK : DUSK_CLIENT_BAD_TASK;
}

uint32_t dusk_report_size(const dusk_client_task *task)
{
    switch (task->mechanism) {
    case DUSK_GRR: return client_bytes_for(task->domain);
    case DUSK_SUE:
    case DUSK_OUE: return (task->domain + 7) / 8;
    case DUSK_OLH: return client_hash_bytes(task);
    case DUSK_SS: return (task->domain + 7) / 8;
    case DUSK_HADAMARD: return client_bytes_for(2 * task->width);
    case DUSK_HR: return client_bytes_for(task->rows * task->width);
    case DUSK_PGR: return client_bytes_for(client_points(task->width, task->rows));
    case DUSK_ONEBIT:
    case DUSK_DUCHI: return 1;
    case DUSK_PIECEWISE:
    case DUSK_SQUAREWAVE: return client_bytes_for(task->domain + task->width - 1);
    case DUSK_HYBRID: return client_bytes_for(task->domain + task->width + 1);
    case DUSK_DBITFLIP: return task->width * client_bytes_for(task->domain) + (task->width + 7) / 8;
    case DUSK_CMS:
    case DUSK_RAPPOR: return client_bytes_for(task->rows) + (task->width + 7) / 8;
    case DUSK_TREE:
    case DUSK_HCMS: return client_bytes_for(2 * task->rows * task->width);
    case DUSK_SPL:
    case DUSK_SMP:
    case DUSK_RSFD: return client_several_bytes(task);
    case DUSK_PEM:
    case DUSK_TREEHIST: return 1 + client_bytes_for(2 * task->rows * task->width);
    case DUSK_SFP: return 1 + 2 * client_bytes_for(2 * task->rows * task->width);
    case DUSK_PLANAR: return client_bytes_for(task->domain);
    default: return 0;
    }
}

/* A value that stands for a text of up to 8 bytes. */
static int report_packed(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    uint8_t text[8];
    const uint32_t n = client_unpack(value, text);
    const int status = dusk_client_text(task, report, text, n, entropy);
    client_zero(text, sizeof text);
    return status;
}

int dusk_client_report(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    switch (task->mechanism) {
    case DUSK_GRR: return dusk_client_grr(task, report, value, entropy);
    case DUSK_SUE: return dusk_client_sue(task, report, value, entropy);
    case DUSK_OUE: return dusk_client_oue(task, report, value, entropy);
    case DUSK_OLH: return dusk_client_olh(task, report, value, entropy);
    case DUSK_SS: return dusk_client_ss(task, report, value, entropy);
    case DUSK_HADAMARD: return dusk_client_hadamard(task, report, value, entropy);
    case DUSK_HR: return dusk_client_hr(task, report, value, entropy);
    case DUSK_PGR: return dusk_client_pgr(task, report, value, entropy);
    case DUSK_ONEBIT:
    case DUSK_DUCHI: return dusk_client_onebit(task, report, value, entropy);
    case DUSK_PIECEWISE:
    case DUSK_SQUAREWAVE: return dusk_client_window(task, report, value, entropy);
    case DUSK_HYBRID: return dusk_client_hybrid(task, report, value, entropy);
    case DUSK_DBITFLIP: return dusk_client_dbitflip(task, report, value, entropy);
    case DUSK_TREE: return dusk_client_tree(task, report, value, entropy);
    case DUSK_CMS: return dusk_client_cms(task, report, value, entropy);
    case DUSK_HCMS: return dusk_client_hcms(task, report, value, entropy);
    case DUSK_RAPPOR: return dusk_client_rappor(task, report, value, entropy);
    case DUSK_PLANAR: return dusk_client_planar(task, report, value, entropy);
    case DUSK_SPL: return dusk_client_spl(task, report, value, entropy);
    case DUSK_SMP: return dusk_client_smp(task, report, value, entropy);
    case DUSK_RSFD: return dusk_client_rsfd(task, report, value, entropy);
    case DUSK_PEM:
    case DUSK_SFP:
    case DUSK_TREEHIST: return report_packed(task, report, value, entropy);
    default: return DUSK_CLIENT_BAD_TASK;
    }
}

int dusk_client_text(const dusk_client_task *task, uint8_t *report, const uint8_t *text, size_t n,
                     dusk_entropy *entropy)
{
    switch (task->mechanism) {
    case DUSK_CMS:
    case DUSK_HCMS:
    case DUSK_RAPPOR: return dusk_client_report(task, report, dusk_client_hash(text, n), entropy);
    case DUSK_PEM:
    case DUSK_TREEHIST: return dusk_client_prefix(task, report, text, n, entropy);
    case DUSK_SFP: return dusk_client_fragment(task, report, text, n, entropy);
    default: return DUSK_CLIENT_BAD_TASK;
    }
}

uint64_t client_category(const dusk_client_task *task, uint64_t value)
{
    uint32_t category[DUSK_ATTRIBUTES_MOST];
    switch (task->mechanism) {
    case DUSK_CMS:
    case DUSK_HCMS:
    case DUSK_PEM:
    case DUSK_TREEHIST:
    case DUSK_SFP:
    case DUSK_RAPPOR: return value;
    case DUSK_SPL:
    case DUSK_SMP:
    case DUSK_RSFD: dusk_client_unpack(task, value, category); return dusk_client_pack(task, category);
    default: return task->domain > 0 ? client_truth(task, value) : value;
    }
}
