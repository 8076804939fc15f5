/* SPDX-License-Identifier: Apache-2.0 */
/* Durable charges beside bare syncs of the same disk: a charge is on disk when it returns, so that it
 * cannot be faster than 4 KiB written and synced. Both wait for the disk: the times are those of a
 * clock, of turns that follow each other closely. The file is in the present folder. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "dusk/ledger.h"

enum { TURNS = 15, CHARGES = 40, BLOCK = 4096, BLOCKS = 1024 };

typedef struct setup {
    dusk_filter_kind filter;
    const char *event;
    unsigned before; /* how often 40 charges are there already */
} setup;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(int ok, const char *what)
{
    if (ok) return;
    perror(what);
    exit(5);
}

/* A file of 4 MiB that is written from its beginning over and over, as a log is. */
static int floor_file(const char *path)
{
    static char zeros[BLOCK];
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    require(file >= 0, path);
    for (int i = 0; i < BLOCKS; i++) require(write(file, zeros, BLOCK) == BLOCK, path);
    require(fsync(file) == 0, path);
    return file;
}

static double syncs(int file, unsigned *at)
{
    static char block[BLOCK];
    double start = now();
    for (int i = 0; i < CHARGES; i++, ++*at) {
        memset(block, (int)*at, sizeof block);
        require(pwrite(file, block, BLOCK, (off_t)(*at % BLOCKS) * BLOCK) == BLOCK, "pwrite");
        require(fdatasync(file) == 0, "fdatasync");
    }
    return (now() - start) / CHARGES;
}

static double charges(dusk_ledger *ledger, const dusk_charge *charge)
{
    dusk_error err;
    uint64_t id;
    double start = now();
    for (int i = 0; i < CHARGES; i++) bench_require(dusk_ledger_reserve(ledger, &id, charge, &err), &err);
    return (now() - start) / CHARGES;
}

static void run_ledger(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *s = self->setup;
    char folder[] = "dusk-bench-XXXXXX", path[64], plain[64];
    double mine[TURNS], bare[TURNS];
    unsigned at = 0;
    dusk_error err;
    dusk_event event;
    dusk_ledger *ledger = NULL;
    dusk_ledger_options options;
    const dusk_charge charge = { .analyst = "bench",
                                 .event = &event,
                                 .purpose = "SELECT COUNT(*) FROM visits" };
    (void)gen;
    require(mkdtemp(folder) != NULL, folder);
    snprintf(path, sizeof path, "%s/x.dusk", folder);
    snprintf(plain, sizeof plain, "%s/plain", folder);
    dusk_ledger_options_init(&options);
    options.filter = s->filter;
    options.neighbours = DUSK_ADD_REMOVE;
    options.budget = (dusk_budget){ 1e6, 1e-6 };
    bench_require(dusk_event_parse(&event, s->event, &err), &err);
    bench_require(dusk_ledger_create(path, &options, &err), &err);
    bench_require(dusk_ledger_open(&ledger, path, &err), &err);
    int file = floor_file(plain);
    for (unsigned i = 0; i < s->before; i++) (void)charges(ledger, &charge);
    for (int i = 0; i < TURNS; i++) {
        mine[i] = charges(ledger, &charge);
        bare[i] = syncs(file, &at);
    }
    *out = (bench_result){ 1 / bench_median(mine, TURNS), 1 / bench_median(bare, TURNS) };
    dusk_ledger_close(ledger);
    close(file);
    unlink(path);
    unlink(plain);
    rmdir(folder);
}

#define LEDGER(title, text, filter_, event_, before_)                                                        \
    {                                                                                                        \
        .name = "ledger/" title, .what = text, .unit = "charges/s", .floor = "4 KiB written and synced",     \
        .aim = "ratio >= 0.5", .run = run_ledger, .setup = &(const setup)                                    \
        {                                                                                                    \
            .filter = filter_, .event = event_, .before = before_                                            \
        }                                                                                                    \
    }

const bench_case bench_ledger_cases[] = {
    LEDGER("basic", "durable charges, one after the other", DUSK_FILTER_BASIC, "discrete_laplace(1000)", 1),
    LEDGER("basic/long", "the same behind 2000 others", DUSK_FILTER_BASIC, "discrete_laplace(1000)", 50),
    LEDGER("zcdp", "durable charges of Gaussian noise", DUSK_FILTER_ZCDP, "gaussian(1000)", 1),
    LEDGER("rdp", "durable charges of Gaussian noise", DUSK_FILTER_RDP, "gaussian(1000)", 1),
    { .name = NULL },
};
