/* SPDX-License-Identifier: Apache-2.0 */
/* Rows through the part of a net that is not learned; see front.h. */
#include "deep/front.h"

#include <pthread.h>

#include "base/memory.h"

enum { ROOM = 16, THREADS_MOST = 64 };

static size_t front_layers(const deep_net *net, size_t frozen)
{
    size_t n = frozen;
    while (n < net->layers && (net->layer[n].parameters == 0 || net->layer[n].kind->measured) &&
           !net->layer[n].kind->coins)
        n++;
    for (size_t l = n; l-- > 0;)
        if (!strcmp(net->layer[l].kind->name, "residual") && net->layer[l].partner >= n) n = l;
    return n;
}

size_t deep_front_layers(const deep_net *net) { return front_layers(net, 0); }

dusk_status deep_net_part(const deep_net *net, size_t first, size_t end, deep_net *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = (deep_net){ .layers = end - first };
    DUSK_NEW(out->layer, out->layers);
    size_t before = 0;
    for (size_t l = 0; l < first; l++) before += net->layer[l].parameters;
    for (size_t l = first; l < end; l++) {
        deep_layer *layer = &out->layer[l - first];
        *layer = net->layer[l];
        layer->partner -= layer->partner >= first ? first : 0;
        layer->first -= before;
        out->parameters += layer->parameters;
    }
    out->in = first < net->layers ? net->layer[first].in : net->out;
    out->out = end < net->layers ? net->layer[end].in : net->out;
done:
    return status;
}

static dusk_status check_frozen(const deep_net *net, size_t frozen, dusk_error *err)
{
    size_t learned = 0;
    if (frozen > net->layers || (frozen > 0 && front_layers(net, frozen) < frozen))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "freeze whole blocks, from the first layer on",
                         "%zu frozen layers are more than there are, or end within a residual block", frozen);
    for (size_t l = frozen; l < net->layers; l++) {
        learned += net->layer[l].parameters;
        if (net->layer[l].kind->share && net->layer[l].partner < frozen)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "freeze both, or none",
                             "layer %zu is tied to one that is frozen", l + 1);
    }
    if (frozen > 0 && learned == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "freeze fewer layers", "the network has nothing to learn");
    return DUSK_OK;
}

dusk_status deep_front_split(const deep_net *net, deep_net *front, deep_net *rest, dusk_error *err)
{
    return deep_front_split_at(net, 0, front, rest, err);
}

dusk_status deep_front_split_at(const deep_net *net, size_t frozen, deep_net *front, deep_net *rest,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *front = *rest = (deep_net){ .layers = 0 };
    DUSK_TRY(check_frozen(net, frozen, err));
    const size_t n = front_layers(net, frozen);
    DUSK_TRY(deep_net_part(net, 0, n, front, err));
    DUSK_TRY(deep_net_part(net, n, net->layers, rest, err));
done:
    if (status != DUSK_OK) {
        deep_net_clear(front);
        deep_net_clear(rest);
    }
    return status;
}

/* --- all rows ------------------------------------------------------------------------------------------------------------- */

typedef struct worker {
    const deep_rows *rows;
    deep_pass pass;
    size_t first, end;
    size_t width; /* of what comes out */
    int16_t *x;
    deep_real *step;
    pthread_t thread;
    bool started;
} worker;

/* Numbers of a row to 16 bits, in steps of a power of two of its own; zeros when one of them is no number. */
DEEP_LANES
static deep_real round_row(const deep_real *restrict in, int16_t *restrict out, size_t n)
{
    deep_real most = 0;
    bool odd = false;
    int exponent = 0;
    for (size_t j = 0; j < n; j++) {
        const deep_real a = in[j] < 0 ? -in[j] : in[j];
        most = a > most ? a : most;
        odd |= !(a <= (deep_real)1e30);
    }
    if (odd || !(most > (deep_real)1e-30)) {
        memset(out, 0, n * sizeof *out);
        return 0;
    }
    (void)frexp((double)most, &exponent); /* most < 2^exponent */
    const deep_real power = (deep_real)ldexp(1, 14 - exponent), shifter = (deep_real)0x1.8p23;
    for (size_t j = 0; j < n; j++) out[j] = (int16_t)(in[j] * power + shifter - shifter);
    return (deep_real)ldexp(1, exponent - 14);
}

static void *work(void *argument)
{
    worker *w = argument;
    deep_pass *pass = &w->pass;
    for (size_t first = w->first; first < w->end; first += pass->examples) {
        pass->examples = w->end - first < pass->room ? w->end - first : pass->room;
        for (size_t i = 0; i < pass->examples; i++)
            deep_rows_take(w->rows, first + i, pass->value[0] + i * w->rows->width);
        deep_forward(pass);
        for (size_t i = 0; i < pass->examples; i++)
            w->step[first + i] = round_row(pass->value[pass->net->layers] + i * w->width,
                                           w->x + (first + i) * w->width, w->width);
    }
    return NULL;
}

static void run_all(worker *w, size_t workers, size_t rows)
{
    for (size_t k = 0; k < workers; k++) {
        w[k].first = rows / workers * k;
        w[k].end = k + 1 < workers ? rows / workers * (k + 1) : rows;
        w[k].started = k > 0 && pthread_create(&w[k].thread, NULL, work, &w[k]) == 0;
        if (k > 0 && !w[k].started) work(&w[k]);
    }
    work(&w[0]);
    for (size_t k = 1; k < workers; k++)
        if (w[k].started) pthread_join(w[k].thread, NULL);
}

size_t deep_front_room(const deep_net *front) { return deep_pass_room(front, ROOM); }

dusk_status deep_front_run(const deep_net *front, deep_rows *rows, size_t threads, dusk_error *err)
{
    return deep_front_run_with(front, NULL, rows, threads, err);
}

dusk_status deep_front_run_with(const deep_net *front, const float *parameters, deep_rows *rows,
                                size_t threads, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t workers = threads < THREADS_MOST ? threads : THREADS_MOST, width = deep_size(front->out);
    deep_rows out = { .rows = rows->rows, .width = width };
    worker *w = NULL;
    DUSK_NEW(w, workers);
    DUSK_NEW(out.x, rows->rows * width + 1);
    DUSK_NEW(out.step, rows->rows + 1);
    for (size_t k = 0; k < workers; k++) {
        w[k] = (worker){ .rows = rows, .width = width, .x = out.x, .step = out.step };
        DUSK_TRY(deep_pass_open(&w[k].pass, front, deep_front_room(front), err));
        w[k].pass.parameters = parameters;
    }
    run_all(w, workers, rows->rows);
    out.code = rows->code;
    out.number = rows->number;
    out.mark = rows->mark;
    out.marks = rows->marks;
    rows->mark = NULL;
    rows->code = NULL;
    rows->number = NULL;
    deep_rows_clear(rows);
    *rows = out;
    out = (deep_rows){ .rows = 0 };
done:
    for (size_t k = 0; w && k < workers; k++) deep_pass_close(&w[k].pass);
    dusk_deallocate(w);
    deep_rows_clear(&out);
    return status;
}
