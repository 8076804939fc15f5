/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect aggregate: records into a state file. The state is written now and then and at the end; whoever is killed gives all input again, and the
 * nonces of the state see to it that nothing counts twice. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/collect.h"

#define BLOCK ((size_t)1 << 18)
#define PAUSE 20    /* milliseconds between looks at the clock */
#define PATIENCE 10 /* writing takes at most one part in so many of the time */

double collect_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint64_t collect_server_seen(const collect_server *server)
{
    uint64_t kinds[DUSK_TAKEN_KINDS], all = 0;
    dusk_collector_kinds(server->collector, kinds);
    for (unsigned k = 0; k < DUSK_TAKEN_KINDS; k++) all += kinds[k];
    return all;
}

dusk_status collect_server_write(collect_server *server, dusk_error *err)
{
    const double start = collect_clock();
    const uint64_t seen = collect_server_seen(server);
    const dusk_status status = dusk_collector_write(server->collector, server->state, err);
    server->written = seen;
    server->last = collect_clock();
    server->cost = server->last - start;
    return status;
}

bool collect_server_due(const collect_server *server)
{
    const double wait =
        server->cost * PATIENCE > server->interval ? server->cost * PATIENCE : server->interval;
    return collect_clock() - server->last >= wait;
}

/* ---- Files --------------------------------------------------------------------------------------------- */

/* Inputs that threads take one after the other. */
typedef struct queue {
    pthread_mutex_t lock;
    dusk_collector *collector;
    const char *const *paths;
    size_t count, next;
    uint32_t lanes, running; /* lanes that were given out; threads that run */
    bool json;               /* inputs are in Apple's form */
    atomic_bool stop;
    dusk_status status; /* of the first failure */
    dusk_error err;
} queue;

static dusk_status fail_read(const char *path, int why, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_IO, "check the name and the rights, or give the records on standard input",
                     "cannot read %.150s: %s", path, strerror(why ? why : EIO));
}

dusk_status collect_open_input(const char *path, int *file, dusk_error *err)
{
    struct stat facts;
    *file = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
    if (*file < 0) return fail_read(path, errno, err);
    if (fstat(*file, &facts) != 0 || !S_ISDIR(facts.st_mode)) return DUSK_OK;
    (void)close(*file);
    return fail_read(path, EISDIR, err);
}

/* A name that is wrong is known before anything is taken. What is no plain file is not opened for that: a pipe would lose its writer. */
static dusk_status check_input(const char *path, dusk_error *err)
{
    struct stat facts;
    int file;
    if (!strcmp(path, "-")) return DUSK_OK;
    if (stat(path, &facts) != 0) return fail_read(path, errno, err);
    if (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) return DUSK_OK;
    const dusk_status status = collect_open_input(path, &file, err);
    if (status == DUSK_OK) (void)close(file);
    return status;
}

/* All of a file, at *bytes. */
static dusk_status read_whole(int file, const char *path, uint8_t **bytes, size_t *used, dusk_error *err)
{
    size_t room = 0;
    ssize_t n = 1;
    while (n != 0) {
        if (*used == room) {
            uint8_t *larger = dusk_larger(*bytes, *used, room ? 2 * room : BLOCK, 1);
            if (!larger) return dusk_fail_memory(err);
            *bytes = larger;
            room = room ? 2 * room : BLOCK;
        }
        n = read(file, *bytes + *used, room - *used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_read(path, errno, err);
        *used += (size_t)n;
    }
    return DUSK_OK;
}

static dusk_status take_json(queue *q, const char *path, uint32_t lane, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_intake *intake = NULL;
    uint8_t *bytes = NULL;
    size_t n = 0;
    int file = -1;
    DUSK_TRY(collect_open_input(path, &file, err));
    DUSK_TRY(dusk_intake_new(&intake, q->collector, lane, err));
    DUSK_TRY(read_whole(file, path, &bytes, &n, err));
    status = dusk_intake_take_json(intake, bytes, n, err);
done:
    dusk_intake_free(intake);
    dusk_deallocate(bytes);
    if (file >= 0) (void)close(file);
    return status;
}

static dusk_status take_file(queue *q, const char *path, uint32_t lane, uint8_t *block, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_intake *intake = NULL;
    int file = -1;
    ssize_t n;
    DUSK_TRY(collect_open_input(path, &file, err));
    DUSK_TRY(dusk_intake_new(&intake, q->collector, lane, err));
    while (!atomic_load(&q->stop) && (n = read(file, block, BLOCK)) != 0) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) DUSK_TRY(fail_read(path, errno, err));
        DUSK_TRY(dusk_intake_take(intake, block, (size_t)n, err));
    }
    dusk_intake_end(intake);
done:
    dusk_intake_free(intake);
    if (file >= 0) (void)close(file);
    return status;
}

static void *take_files(void *context)
{
    queue *q = context;
    uint8_t *block = dusk_allocate(BLOCK, 1);
    (void)pthread_mutex_lock(&q->lock);
    const uint32_t lane = q->lanes++;
    while (q->next < q->count && q->status == DUSK_OK) {
        const char *path = q->paths[q->next++];
        dusk_error err = { .status = DUSK_OK };
        (void)pthread_mutex_unlock(&q->lock);
        const dusk_status status = !block    ? dusk_fail_memory(&err)
                                   : q->json ? take_json(q, path, lane, &err)
                                             : take_file(q, path, lane, block, &err);
        (void)pthread_mutex_lock(&q->lock);
        if (status != DUSK_OK && q->status == DUSK_OK) {
            q->status = status;
            q->err = err;
        }
    }
    q->running--;
    (void)pthread_mutex_unlock(&q->lock);
    dusk_deallocate(block);
    return NULL;
}

/* How many threads still run. */
static uint32_t running(queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    const uint32_t n = q->running;
    (void)pthread_mutex_unlock(&q->lock);
    return n;
}

/* Write the state as threads go on, and once more when they are through, whatever happened: what was taken is taken. */
static dusk_status watch(collect_server *server, queue *q, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const struct timespec pause = { 0, PAUSE * 1000000L };
    while (status == DUSK_OK && running(q) > 0) {
        nanosleep(&pause, NULL);
        if (collect_server_due(server) && collect_server_seen(server) != server->written)
            status = collect_server_write(server, err);
    }
    return status;
}

static dusk_status take_all(collect_server *server, const char *const *paths, size_t count, dusk_error *err)
{
    queue q = { .collector = server->collector,
                .paths = paths,
                .count = count,
                .json = server->json,
                .status = DUSK_OK };
    pthread_t *threads = NULL;
    uint32_t started = 0;
    dusk_status status = DUSK_OK;
    const uint32_t wanted = count < server->threads ? (uint32_t)count : server->threads;
    if (pthread_mutex_init(&q.lock, NULL) != 0) return dusk_fail_memory(err);
    DUSK_NEW(threads, wanted);
    q.running = wanted;
    for (; started < wanted; started++)
        if (pthread_create(&threads[started], NULL, take_files, &q) != 0) break;
    if (started < wanted) {
        (void)pthread_mutex_lock(&q.lock);
        q.running -= wanted - started;
        if (started == 0) q.status = dusk_fail(&q.err, DUSK_ERR_MEMORY, "", "cannot start a thread");
        (void)pthread_mutex_unlock(&q.lock);
    }
    status = watch(server, &q, err);
    if (status != DUSK_OK) {
        (void)pthread_mutex_lock(&q.lock);
        q.next = q.count;
        (void)pthread_mutex_unlock(&q.lock);
        atomic_store(&q.stop, true);
    }
    for (uint32_t i = 0; i < started; i++) (void)pthread_join(threads[i], NULL);
    if (status == DUSK_OK && q.status != DUSK_OK) {
        status = q.status;
        *err = q.err;
    }
done:
    (void)pthread_mutex_destroy(&q.lock);
    dusk_deallocate(threads);
    return status;
}

/* ---- The state ------------------------------------------------------------------------------------------- */

/* Two servers with one state would each overwrite what the other took: a lock beside it is held as long as this one runs. */
static dusk_status lock_state(const char *state, int *lock, dusk_error *err)
{
    char path[4096];
    dusk_text text;
    char *real = realpath(state, NULL); /* a state that has another name is the same one */
    dusk_text_init(&text, path, sizeof path);
    dusk_text_add(&text, "%s.lock", real ? real : state);
    free(real);
    *lock = text.overflow ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0)
        return dusk_fail(err, DUSK_ERR_IO, "give a folder that can be written to", "cannot write %.150s: %s",
                         path, strerror(text.overflow ? ENAMETOOLONG : errno));
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_BUSY,
                     "wait for it, or give this one a state of its own and --merge them later",
                     "another program has %.150s", state);
}

static dusk_status open_state(const collect_job *job, const dusk_survey *survey, collect_server *server,
                              dusk_error *err)
{
    const uint64_t epoch = (uint64_t)job->settings->epoch;
    struct stat facts;
    dusk_status status = DUSK_OK;
    if (stat(server->state, &facts) != 0 && errno == ENOENT) {
        DUSK_TRY(dusk_collector_new(&server->collector, survey, epoch, server->threads, err));
        return collect_server_write(server, err); /* where it cannot be written, that is known now */
    }
    DUSK_TRY(dusk_collector_read(&server->collector, server->state, server->threads, err));
    if (dusk_tally_survey(dusk_collector_tally(server->collector))->task.id != survey->task.id)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a state of its own for every survey",
                         "%.150s is of another survey", server->state);
    if (dusk_collector_epoch(server->collector) != epoch)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "give a state of its own for every epoch, or the right --epoch",
                         "%.150s is of epoch %llu", server->state,
                         (unsigned long long)dusk_collector_epoch(server->collector));
    server->written = collect_server_seen(server);
    server->last = collect_clock();
done:
    return status;
}

static dusk_status merge_all(const collect_job *job, collect_server *server, dusk_error *err)
{
    const dusk_option_list *list = &job->settings->merge;
    dusk_status status = DUSK_OK;
    dusk_collector *other = NULL;
    for (size_t i = 0; i < list->count; i++) {
        bool added;
        uint64_t twice;
        DUSK_TRY(dusk_collector_read(&other, list->word[i], 1, err));
        DUSK_TRY(dusk_collector_merge(server->collector, other, &added, &twice, err));
        if (!added) dusk_output_note("merge", "all reports of %s are here already", list->word[i]);
        if (added && twice)
            dusk_output_note("merge", "%llu reports of %s were here already, and count twice",
                             (unsigned long long)twice, list->word[i]);
        dusk_collector_free(other);
        other = NULL;
    }
done:
    dusk_collector_free(other);
    return status;
}

/* ---- What is said ------------------------------------------------------------------------------------------ */

static void print_kinds(const collect_job *job, const collect_server *server,
                        const uint64_t before[DUSK_TAKEN_KINDS])
{
    uint64_t now[DUSK_TAKEN_KINDS];
    dusk_json json = { .file = stdout };
    dusk_collector_kinds(server->collector, now);
    if (!job->settings->json) {
        printf("%-10s %12s %12s\n", "", "in all", "now");
        for (unsigned k = 0; k < DUSK_TAKEN_KINDS; k++)
            if (k == 0 || now[k])
                printf("%-10s %12llu %12llu%s%s\n", dusk_taken_name(k), (unsigned long long)now[k],
                       (unsigned long long)(now[k] - before[k]), k ? "  " : "", k ? dusk_taken_about(k) : "");
        return;
    }
    dusk_json_open(&json, '{');
    dusk_json_number_field(&json, "epoch", (double)dusk_collector_epoch(server->collector));
    dusk_json_number_field(&json, "taken", (double)now[0]);
    dusk_json_number_field(&json, "taken_now", (double)(now[0] - before[0]));
    dusk_json_key(&json, "dropped");
    dusk_json_open(&json, '{');
    for (unsigned k = 1; k < DUSK_TAKEN_KINDS; k++)
        dusk_json_number_field(&json, dusk_taken_name(k), (double)now[k]);
    dusk_json_close(&json, '}');
    dusk_json_close(&json, '}');
    putchar('\n');
}

static dusk_status take_inputs(const collect_job *job, collect_server *server, dusk_error *err)
{
    static const char *const standard_input[] = { "-" };
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < job->input_count; i++) DUSK_TRY(check_input(job->inputs[i], err));
    if (job->settings->merge.count) DUSK_TRY(merge_all(job, server, err));
    if (job->input_count > 0)
        DUSK_TRY(take_all(server, job->inputs, job->input_count, err));
    else if (!job->settings->merge.count && !job->settings->listen)
        DUSK_TRY(take_all(server, standard_input, 1, err));
    if (job->settings->listen) DUSK_TRY(collect_listen(server, job->settings->listen, err));
done:
    return status;
}

dusk_status collect_aggregate(const collect_job *job, dusk_error *err)
{
    const collect_settings *s = job->settings;
    collect_server server = { .state = s->state.word[0],
                              .interval = s->checkpoint,
                              .threads = (uint32_t)s->threads };
    uint64_t before[DUSK_TAKEN_KINDS];
    dusk_status status = DUSK_OK, written = DUSK_OK;
    dusk_survey survey;
    int lock = -1;
    if (s->state.count != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take --merge for the others",
                         "aggregate writes one --state");
    if (s->listen && !collect_given(job, "checkpoint")) server.interval = 1;
    server.json = s->format == 1;
    if (server.json && s->listen)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give JSON in files or on standard input",
                         "connections send records, not JSON");
    DUSK_TRY(collect_read_task(job, &survey, err));
    if (server.json && survey.task.mechanism != DUSK_CMS && survey.task.mechanism != DUSK_HCMS)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "plan the survey with --mechanism cms or hcms",
                           "Apple's records are of cms and hcms"));
    DUSK_TRY(lock_state(server.state, &lock, err));
    DUSK_TRY(open_state(job, &survey, &server, err));
    dusk_collector_kinds(server.collector, before);
    status = take_inputs(job, &server, err);
    written = collect_server_write(&server, status == DUSK_OK ? err : NULL);
    if (status == DUSK_OK) status = written;
    if (status == DUSK_OK) print_kinds(job, &server, before);
done:
    dusk_collector_free(server.collector);
    if (lock >= 0) (void)close(lock);
    return status;
}
