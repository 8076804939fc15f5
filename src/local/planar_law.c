/* SPDX-License-Identifier: Apache-2.0 */
/* The law of planar noise on a grid, in double, applied to shares of cells: see planar.h. A report at an edge of the grid stands for the row of points behind it, one at a corner for a quarter
 * of the plane. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "local/planar.h"

#define TAIL 45 /* points that are less likely than the truth by e^-45 are left out */

/* --- points ----------------------------------------------------------------------------------------------------------- */

/* Chances of lengths, in units of that of the truth, for points of a square of `reach` steps each way. */
typedef struct lengths {
    size_t reach;
    double *power;
} lengths;

static dusk_status lengths_new(lengths *out, const dusk_client_task *task, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double alpha = local_chance(task->p);
    lengths l = { .reach = (size_t)ceil(TAIL / -log(alpha)) };
    const size_t count = 2 * l.reach + 3; /* sqrt(2) reach, rounded up, and more */
    DUSK_NEW(l.power, count);
    l.power[0] = 1;
    for (size_t k = 1; k < count; k++) l.power[k] = l.power[k - 1] * alpha;
    *out = l;
done:
    return status;
}

/* Visit the points (a, b), a = reach .. 0, of one b: sum[a], a < n, is the chance of all (a', b) with a' >= a. Returns sum[0]. */
static double sum_line(const lengths *l, size_t b, double *sum, size_t n)
{
    const uint64_t square = (uint64_t)b * b;
    size_t k = (size_t)ceil(hypot((double)l->reach, (double)b)) + 1;
    double all = 0;
    for (size_t a = l->reach + 1; a-- > 0;) {
        while (k > 0 && (uint64_t)(k - 1) * (k - 1) >= square + (uint64_t)a * a) k--;
        all += l->power[k];
        if (a < n) sum[a] = all;
    }
    for (size_t a = l->reach + 1; a < n; a++) sum[a] = 0;
    return all;
}

/* Of the whole plane, from the lines of a quarter: line[0] has the truth at its end. */
static double whole(const double *line, size_t reach)
{
    double quarter = 0;
    for (size_t b = 0; b <= reach; b++) quarter += line[b];
    return 4 * (quarter - line[0]) + 1; /* points with b >= 1 and a >= 0, turned, are all but the truth */
}

/* --- distances ---------------------------------------------------------------------------------------------------------- */

/* out[c]: the mean square of how far a coordinate moves from c, where it cannot leave 0 .. n - 1. line[a]: the chance that it would move by a, b >= 0 alone. */
static void spread(double *out, size_t n, const double *chance, size_t reach)
{
    double *towards = out; /* first: moving in one direction by at most c */
    double tail = 0, squares = 0;
    for (size_t a = 1; a <= reach; a++) tail += chance[a];
    for (size_t c = 0; c < n; c++) {
        if (c >= 1 && c <= reach) {
            squares += chance[c] * (double)c * (double)c;
            tail -= chance[c];
        }
        towards[c] = squares + fmax(tail, 0) * (double)c * (double)c;
    }
    for (size_t c = 0; c < n - 1 - c; c++) {
        const double both = towards[c] + towards[n - 1 - c];
        out[c] = out[n - 1 - c] = both;
    }
    if (n % 2) out[n / 2] *= 2;
}

dusk_status local_planar_spread(const dusk_client_task *task, double *by_column, double *by_row,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    lengths l = { .reach = 0 };
    double *line = NULL, first = 0;
    DUSK_TRY(lengths_new(&l, task, err));
    DUSK_NEW(line, l.reach + 1);
    for (size_t b = 0; b <= l.reach; b++) line[b] = sum_line(&l, b, &first, 1);
    const double all = whole(line, l.reach);
    for (size_t b = 0; b <= l.reach; b++) line[b] = (2 * line[b] - l.power[b]) / all; /* both directions */
    spread(by_column, task->width, line, l.reach);
    spread(by_row, task->rows, line, l.reach);
done:
    dusk_deallocate(l.power);
    dusk_deallocate(line);
    return status;
}

/* --- tables -------------------------------------------------------------------------------------------------------------- */

static void scale(double *x, size_t n, double by)
{
    for (size_t i = 0; i < n; i++) x[i] *= by;
}

/* Sums to one side, and over all lines from here on; *all: the whole plane. */
static dusk_status fill_sums(local_planar_law *law, const lengths *l, double *all, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *line = NULL, *sum = NULL, *corner = NULL;
    DUSK_NEW(line, l->reach + 1);
    DUSK_NEW(sum, law->columns > law->rows ? law->columns : law->rows);
    DUSK_NEW(corner, law->columns);
    for (size_t b = l->reach + 1; b-- > 0;) {
        line[b] = sum_line(l, b, sum, law->columns);
        for (size_t a = 0; a < law->columns; a++) corner[a] += sum[a];
        if (b >= law->rows) continue;
        memcpy(law->beside + b * law->columns, sum, law->columns * sizeof *sum);
        memcpy(law->corner + b * law->columns, corner, law->columns * sizeof *sum);
    }
    for (size_t a = 0; a < law->columns && a <= l->reach; a++) {
        sum_line(l, a, sum, law->rows);
        for (size_t b = 0; b < law->rows; b++) law->above[b * law->columns + a] = sum[b];
    }
    *all = whole(line, l->reach);
done:
    dusk_deallocate(line);
    dusk_deallocate(sum);
    dusk_deallocate(corner);
    return status;
}

/* The chance of each difference of two cells is a difference of two sums; rows are twice as long as those of the grid, so that differences of columns do not run into other rows. */
static void fill_kernel(local_planar_law *law, const lengths *l, double all)
{
    const size_t stride = 2 * law->columns, mask = law->fft.size - 1;
    for (size_t b = 0; b < law->rows && b <= l->reach; b++)
        for (size_t a = 0; a < law->columns && a <= l->reach; a++) {
            const double length =
                ceil(sqrt((double)a * (double)a + (double)b * (double)b)); /* exact below 2^26 */
            const double chance = l->power[(size_t)length] / all;
            law->kernel_re[(b * stride + a) & mask] = chance;
            law->kernel_re[(b * stride - a) & mask] = chance;
            law->kernel_re[(a - b * stride) & mask] = chance;
            law->kernel_re[(0 - a - b * stride) & mask] = chance;
        }
    dusk_fft_forward(&law->fft, law->kernel_re, law->kernel_im);
}

dusk_status local_planar_law_new(local_planar_law *out, const dusk_client_task *task, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    local_planar_law law = { .columns = task->width, .rows = task->rows };
    const size_t cells = task->domain;
    lengths l = { .reach = 0 };
    unsigned log_size = 1;
    double all = 1;
    while ((size_t)1 << log_size < 4 * cells) log_size++;
    DUSK_TRY(lengths_new(&l, task, err));
    DUSK_NEW(law.beside, cells);
    DUSK_NEW(law.above, cells);
    DUSK_NEW(law.corner, cells);
    DUSK_TRY(dusk_fft_new(&law.fft, log_size, err));
    DUSK_NEW(law.kernel_re, law.fft.size);
    DUSK_NEW(law.kernel_im, law.fft.size);
    DUSK_NEW(law.re, law.fft.size);
    DUSK_NEW(law.im, law.fft.size);
    DUSK_TRY(fill_sums(&law, &l, &all, err));
    scale(law.beside, cells, 1 / all);
    scale(law.above, cells, 1 / all);
    scale(law.corner, cells, 1 / all);
    fill_kernel(&law, &l, all);
    *out = law;
done:
    dusk_deallocate(l.power);
    if (status != DUSK_OK) local_planar_law_free(&law);
    return status;
}

void local_planar_law_free(local_planar_law *law)
{
    dusk_fft_free(&law->fft);
    dusk_deallocate(law->beside);
    dusk_deallocate(law->above);
    dusk_deallocate(law->corner);
    dusk_deallocate(law->kernel_re);
    dusk_deallocate(law->kernel_im);
    dusk_deallocate(law->re);
    dusk_deallocate(law->im);
}

/* --- applying it ------------------------------------------------------------------------------------------------------------ */

/* out = in with noise that does not end anywhere; of cells. */
static void convolve(local_planar_law *law, double *out, const double *in)
{
    const size_t c = law->columns, stride = 2 * c;
    memset(law->re, 0, law->fft.size * sizeof *law->re);
    memset(law->im, 0, law->fft.size * sizeof *law->im);
    for (size_t r = 0; r < law->rows; r++) memcpy(law->re + r * stride, in + r * c, c * sizeof *in);
    dusk_fft_forward(&law->fft, law->re, law->im);
    for (size_t i = 0; i < law->fft.size; i++) {
        const double re = law->re[i], im = law->im[i];
        law->re[i] = re * law->kernel_re[i] - im * law->kernel_im[i];
        law->im[i] = re * law->kernel_im[i] + im * law->kernel_re[i];
    }
    dusk_fft_inverse(&law->fft, law->re, law->im);
    for (size_t r = 0; r < law->rows; r++) memcpy(out + r * c, law->re + r * stride, c * sizeof *out);
}

static size_t apart(size_t a, size_t b) { return a > b ? a - b : b - a; }

/* The chances of a cell at an edge or a corner, by how far away one is to the side and upwards; NULL: it is neither. */
static const double *edge_table(const local_planar_law *law, size_t i)
{
    const size_t x = i % law->columns, y = i / law->columns;
    const bool side = x == 0 || x + 1 == law->columns, end = y == 0 || y + 1 == law->rows;
    return side && end ? law->corner : side ? law->beside : end ? law->above : NULL;
}

void local_planar_chances(local_planar_law *law, double *out, const double *shares)
{
    const size_t c = law->columns, n = c * law->rows;
    convolve(law, out, shares);
    for (size_t i = 0; i < n; i++) {
        const double *table = edge_table(law, i);
        double sum = 0;
        for (size_t y = 0; table && y < law->rows; y++) {
            const double *row = table + apart(y, i / c) * c;
            for (size_t x = 0; x < c; x++) sum += shares[y * c + x] * row[apart(x, i % c)];
        }
        out[i] = table ? sum : fmax(out[i], 0); /* below 0 by rounding */
    }
}

void local_planar_explain(local_planar_law *law, double *out, const double *weight)
{
    const size_t c = law->columns, n = c * law->rows;
    for (size_t i = 0; i < n; i++) out[i] = edge_table(law, i) ? 0 : weight[i];
    convolve(law, out, out);
    for (size_t i = 0; i < n; i++) out[i] = fmax(out[i], 0);
    for (size_t i = 0; i < n; i++) {
        const double *table = edge_table(law, i);
        for (size_t y = 0; table && weight[i] > 0 && y < law->rows; y++) {
            const double *row = table + apart(y, i / c) * c;
            for (size_t x = 0; x < c; x++) out[y * c + x] += weight[i] * row[apart(x, i % c)];
        }
    }
}
