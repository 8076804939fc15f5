/* SPDX-License-Identifier: Apache-2.0 */
/* --plot of streams: the answers, and the interval of each around it. Only what was
 * released is drawn. */
#include <math.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/plot.h"
#include "cli/release_time.h"

#define POINTS 1000 /* more than that nobody can see */

dusk_status release_record_add(release_record *record, double value, double half_width, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_GROW(record->answer, record->room, record->n);
    record->answer[record->n++] = (release_step){ value, half_width };
done:
    return status;
}

void release_record_free(release_record *record) { dusk_deallocate(record->answer); }

/* Every few steps, and the last one. */
static size_t thin(const release_record *record, double *x, double *line[3])
{
    size_t stride = (record->n + POINTS - 1) / POINTS, n = 0;
    for (size_t i = stride - 1; i < record->n; i += stride, n++) {
        x[n] = (double)(i + 1);
        line[0][n] = record->answer[i].value;
        line[1][n] = record->answer[i].value - record->answer[i].half_width;
        line[2][n] = record->answer[i].value + record->answer[i].half_width;
    }
    return n;
}

static dusk_status draw(const release_job *job, const double *x, double *const line[3], size_t n,
                        dusk_error *err)
{
    char under[160];
    dusk_text text;
    dusk_text_init(&text, under, sizeof under);
    dusk_text_add(&text, "epsilon %s for all steps; dashed: %g %% confidence for each",
                  dusk_shown_up(job->settings->epsilon, 6).text, 100 * job->settings->confidence);
    dusk_plot_line lines[] = { { .x = x, .y = line[1], .n = n, .dashed = true, .reference = true },
                               { .x = x, .y = line[2], .n = n, .dashed = true, .reference = true },
                               { .x = x, .y = line[0], .n = n } };
    dusk_plot plot = { .title = job->mechanism->name,
                       .subtitle = under,
                       .x = { .label = "step", .low = 0, .high = x[n - 1] },
                       .y = { .label = "noisy sum", .low = INFINITY, .high = -INFINITY },
                       .lines = lines,
                       .line_count = 3 };
    for (size_t i = 0; i < n; i++) {
        plot.y.low = fmin(plot.y.low, line[1][i]);
        plot.y.high = fmax(plot.y.high, line[2][i]);
    }
    return dusk_plot_write(&plot, job->settings->plot, err);
}

dusk_status release_record_plot(const release_job *job, const release_record *record, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *x = NULL, *line[3] = { NULL, NULL, NULL };
    size_t n;
    if (record->n == 0) return DUSK_OK;
    DUSK_NEW(x, POINTS);
    for (int i = 0; i < 3; i++) DUSK_NEW(line[i], POINTS);
    n = thin(record, x, line);
    if (n > 0) DUSK_TRY(draw(job, x, line, n, err));
done:
    dusk_deallocate(x);
    for (int i = 0; i < 3; i++) dusk_deallocate(line[i]);
    return status;
}
