/* SPDX-License-Identifier: Apache-2.0 */
/* Reports on their way: records through a socket into a collector, through a shuffler, and a collector's state to disk and back. The floor is always a copy of the same
 * bytes. Both ends of the socket are measured: what is sent costs as much as what is received. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "dusk/local_shuffle.h"

enum { RECORDS = 200000, BLOCK = 1 << 18 };

typedef struct stream {
    dusk_survey survey;
    dusk_generator *gen;
    uint8_t *bytes, *copy, *block;
    size_t length;
    dusk_collector *collector;
    char path[64];
} stream;

static void begin(stream *s, const bench_case *self, dusk_generator *gen)
{
    dusk_survey_options options;
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    dusk_error err;
    uint8_t report[256];
    dusk_survey_options_init(&options);
    options.mechanism = *(const dusk_randomiser *)self->setup;
    options.domain = 1024;
    options.epsilon = 1;
    bench_require(dusk_survey_init(&s->survey, &options, &err), &err);
    s->gen = gen;
    const size_t room = dusk_report_size(&s->survey.task) + DUSK_RECORD_HEAD;
    s->bytes = bench_allocate(RECORDS, room);
    s->copy = bench_allocate(RECORDS, room);
    s->block = bench_allocate(BLOCK, 1);
    for (uint64_t i = 0; i < RECORDS; i++) {
        dusk_client_report(&s->survey.task, report, i * i % 1024, &entropy);
        s->length += dusk_client_record(&s->survey.task, 0, s->bytes + s->length, report, &entropy);
    }
}

static void end(stream *s)
{
    dusk_collector_free(s->collector);
    free(s->bytes);
    free(s->copy);
    free(s->block);
}

static void copy(void *context)
{
    const stream *s = context;
    memcpy(s->copy, s->bytes, s->length);
    bench_keep(s->copy[s->length / 2]);
}

static dusk_collector *collector_of(const stream *s)
{
    dusk_collector *collector;
    dusk_error err;
    bench_require(dusk_collector_new(&collector, &s->survey, 0, 1, &err), &err);
    return collector;
}

/* --- a socket -------------------------------------------------------------------------------------------------------------- */

typedef struct sender {
    const stream *stream;
    int socket;
} sender;

static void *send_all(void *context)
{
    const sender *from = context;
    for (size_t at = 0; at < from->stream->length;) {
        const size_t left = from->stream->length - at;
        const ssize_t n = send(from->socket, from->stream->bytes + at, left < BLOCK ? left : BLOCK, 0);
        if (n <= 0) abort();
        at += (size_t)n;
    }
    (void)close(from->socket);
    return NULL;
}

static void through_a_socket(void *context)
{
    const stream *s = context;
    dusk_collector *collector = collector_of(s);
    dusk_intake *intake;
    dusk_error err;
    int ends[2];
    pthread_t thread;
    ssize_t n;
    bench_require(dusk_intake_new(&intake, collector, 0, &err), &err);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
    sender from = { s, ends[1] };
    if (pthread_create(&thread, NULL, send_all, &from) != 0) abort();
    while ((n = recv(ends[0], s->block, BLOCK, 0)) > 0)
        bench_require(dusk_intake_take(intake, s->block, (size_t)n, &err), &err);
    (void)pthread_join(thread, NULL);
    (void)close(ends[0]);
    dusk_intake_end(intake);
    if (dusk_intake_taken(intake) != RECORDS) abort();
    dusk_intake_free(intake);
    dusk_collector_free(collector);
}

static void run_socket(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    stream s = { .length = 0 };
    begin(&s, self, gen);
    *out = bench_rate(bench_compare(through_a_socket, copy, &s), RECORDS);
    end(&s);
}

/* --- a shuffler ------------------------------------------------------------------------------------------------------------ */

static dusk_status forget(void *context, const uint8_t *bytes, size_t n, dusk_error *err)
{
    (void)context;
    (void)err;
    bench_keep(bytes[n - 1]);
    return DUSK_OK;
}

static dusk_shuffler *taken(const stream *s)
{
    dusk_shuffler *shuffler;
    dusk_error err;
    bench_require(dusk_shuffler_new(&shuffler, &s->survey, 0, 1, &err), &err);
    bench_require(dusk_shuffler_take(shuffler, s->bytes, s->length, &err), &err);
    if (dusk_shuffler_reports(shuffler) != RECORDS) abort();
    return shuffler;
}

static void take_in(void *context) { dusk_shuffler_free(taken(context)); }

static void take_and_release(void *context)
{
    const stream *s = context;
    dusk_error err;
    dusk_shuffler *shuffler = taken(s);
    bench_require(dusk_shuffler_release(shuffler, s->gen, forget, NULL, &err), &err);
    dusk_shuffler_free(shuffler);
}

static void run_take(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    stream s = { .length = 0 };
    begin(&s, self, gen);
    *out = bench_cost(bench_compare(take_in, copy, &s), RECORDS);
    end(&s);
}

static void run_shuffle(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    stream s = { .length = 0 };
    begin(&s, self, gen);
    *out = bench_cost(bench_compare(take_and_release, copy, &s), RECORDS);
    end(&s);
}

/* --- the state ------------------------------------------------------------------------------------------------------------- */

static void write_state(void *context)
{
    const stream *s = context;
    dusk_error err;
    bench_require(dusk_collector_write(s->collector, s->path, &err), &err);
}

static void read_state(void *context)
{
    const stream *s = context;
    dusk_error err;
    dusk_collector *read;
    bench_require(dusk_collector_read(&read, s->path, 1, &err), &err);
    dusk_collector_free(read);
}

static void begin_state(stream *s, const bench_case *self, dusk_generator *gen)
{
    dusk_intake *intake;
    dusk_error err;
    begin(s, self, gen);
    s->collector = collector_of(s);
    bench_require(dusk_intake_new(&intake, s->collector, 0, &err), &err);
    bench_require(dusk_intake_take(intake, s->bytes, s->length, &err), &err);
    dusk_intake_free(intake);
    snprintf(s->path, sizeof s->path, "/tmp/dusk-bench-state-%ld", (long)getpid());
    write_state(s);
}

static void run_state(const bench_case *self, bench_work *work, bench_result *out, dusk_generator *gen)
{
    stream s = { .length = 0 };
    begin_state(&s, self, gen);
    *out = bench_cost(bench_compare(work, copy, &s), RECORDS);
    (void)unlink(s.path);
    end(&s);
}

static void run_write(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    run_state(self, write_state, out, gen);
}

static void run_read(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    run_state(self, read_state, out, gen);
}

static const dusk_randomiser hadamard = DUSK_HADAMARD, olh = DUSK_OLH, oue = DUSK_OUE;

#define CASE(name_, what_, unit_, aim_, run_, setup_)                                                        \
    {                                                                                                        \
        .name = "local/wire/" name_, .what = what_, .unit = unit_, .floor = "a copy of the bytes",           \
        .aim = aim_, .run = run_, .setup = setup_                                                            \
    }

const bench_case bench_local_wire_cases[] = {
    CASE("socket/hadamard", "records sent through a socket, parsed and counted", "M/s", ">= 1", run_socket,
         &hadamard),
    CASE("socket/olh", "records sent through a socket, parsed and counted", "M/s", ">= 1", run_socket, &olh),
    CASE("socket/oue", "records sent through a socket, parsed and counted", "M/s", ">= 1", run_socket, &oue),
    CASE("shuffle/hadamard/take", "a record into a shuffler", "ns", "", run_take, &hadamard),
    CASE("shuffle/hadamard", "a record through a shuffler", "ns", "", run_shuffle, &hadamard),
    CASE("shuffle/olh/take", "a record into a shuffler", "ns", "", run_take, &olh),
    CASE("shuffle/oue/take", "a record into a shuffler", "ns", "", run_take, &oue),
    CASE("state/write", "the state to disk, for each report that it knows", "ns", "", run_write, &hadamard),
    CASE("state/read", "the state from disk, for each report that it knows", "ns", "", run_read, &hadamard),
    { .name = NULL },
};
