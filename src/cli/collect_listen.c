/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect aggregate --listen: records through sockets. Every thread accepts connections and looks after those it accepted. A connection whose sender is
 * through waits until a state that was begun after its last byte is on disk, and is then told how many records were taken and dropped. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/collect.h"

#define CONNECTIONS 1024 /* of a thread, at most */
#define SPARE 16         /* files that are not for connections: the state, its folder, the port */
#define AT_ONCE 16       /* connections that are accepted in a turn, so that all threads get some */
#define BLOCK ((size_t)1 << 18)
#define PAUSE 20  /* milliseconds */
#define IDLE 60   /* seconds without progress, and a connection is closed */
#define QUIET 2   /* seconds without progress, and one is closed when there is no room for others */
#define STEP 1024 /* bytes that are progress without the end of a record */
#define BACKLOG 1024

typedef struct connection {
    dusk_intake *intake;
    int socket;
    bool ended;     /* nothing more comes, and an answer is due */
    uint64_t after; /* when so many states were written */
    double heard;   /* when there was progress */
    uint64_t records;
    size_t bytes; /* since then */
} connection;

/* What all threads share. */
typedef struct port {
    collect_server *server;
    int socket;
    size_t most; /* connections of a thread */
    atomic_bool stop;
    atomic_uint_fast64_t begun, finished; /* states that were begun, and that are on disk */
    atomic_uint_fast64_t waiting;         /* connections that want an answer */
} port;

typedef struct worker {
    port *port;
    uint32_t lane;
    pthread_t thread;
    size_t count;
    bool rest;                           /* who wants in has to wait for a moment */
    struct pollfd poll[1 + CONNECTIONS]; /* the first one is the port */
    connection at[1 + CONNECTIONS];
    uint8_t block[BLOCK];
    dusk_status status;
    dusk_error err;
} worker;

/* ---- Places ----------------------------------------------------------------------------------------------- */

static dusk_status fail_listen(const char *place, const char *why, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_IO, "for example --listen 127.0.0.1:7464, or the path of a socket",
                     "cannot listen at %.150s: %s", place, why);
}

/* A socket that nobody answers at is left over from a program that was killed. */
static bool is_left_over(const struct sockaddr_un *address)
{
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool refused = probe >= 0 &&
                         connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 &&
                         errno == ECONNREFUSED;
    if (probe >= 0) (void)close(probe);
    return refused;
}

/* The folder of a path, locked: of two servers that find the same socket left over one removes it. -1: no such folder, or a file system without locks. */
static int lock_folder(const char *path)
{
    char folder[sizeof((struct sockaddr_un *)0)->sun_path];
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    memcpy(folder, length ? path : slash ? "/" : ".", length ? length : 1);
    folder[length ? length : 1] = '\0';
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) (void)flock(file, LOCK_EX);
    return file;
}

static dusk_status open_path(int *out, const char *path, struct stat *mine, dusk_error *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) return fail_listen(path, strerror(ENAMETOOLONG), err);
    memcpy(address.sun_path, path, strlen(path) + 1);
    const int lock = lock_folder(path);
    const bool there = lstat(path, mine) == 0, other = there && !S_ISSOCK(mine->st_mode);
    if (there && !other && is_left_over(&address)) (void)unlink(path);
    *out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool fine = *out >= 0 && bind(*out, (struct sockaddr *)&address, sizeof address) == 0 &&
                      listen(*out, BACKLOG) == 0 && lstat(path, mine) == 0;
    const int failed = errno;
    if (lock >= 0) (void)close(lock);
    return fine ? DUSK_OK : fail_listen(path, other ? "it is a file, and no socket" : strerror(failed), err);
}

/* Remove the socket, unless another program has put its own there. */
static void remove_path(const char *path, const struct stat *mine)
{
    struct stat facts;
    const int lock = lock_folder(path);
    if (lstat(path, &facts) == 0 && facts.st_dev == mine->st_dev && facts.st_ino == mine->st_ino)
        (void)unlink(path);
    if (lock >= 0) (void)close(lock);
}

/* One of the addresses of a name. */
static bool open_one(int *out, const struct addrinfo *at)
{
    int yes = 1;
    *out = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*out < 0) return false;
    (void)setsockopt(*out, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(*out, at->ai_addr, at->ai_addrlen) == 0 && listen(*out, BACKLOG) == 0) return true;
    const int why = errno;
    (void)close(*out);
    *out = -1;
    errno = why;
    return false;
}

/* HOST:PORT, or [HOST]:PORT where the host has colons. */
static dusk_status open_address(int *out, const char *place, dusk_error *err)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE },
                    *found = NULL;
    char host[256];
    const char *colon = strrchr(place, ':');
    const bool brackets = place[0] == '[' && colon > place + 1 && colon[-1] == ']';
    const char *from = brackets ? place + 1 : place;
    const size_t length = (size_t)(colon - from) - brackets;
    bool fine = false;
    if (length >= sizeof host) return fail_listen(place, strerror(ENAMETOOLONG), err);
    memcpy(host, from, length);
    host[length] = '\0';
    const int why = getaddrinfo(length ? host : NULL, colon + 1, &hints, &found);
    if (why != 0) return fail_listen(place, gai_strerror(why), err);
    for (const struct addrinfo *at = found; at && !fine; at = at->ai_next) fine = open_one(out, at);
    const int failed = errno;
    freeaddrinfo(found);
    return fine ? DUSK_OK : fail_listen(place, strerror(failed), err);
}

/* A number alone is a port whose host is missing, and no name for a socket. */
static bool is_number(const char *place) { return place[strspn(place, "0123456789")] == '\0'; }
static bool is_path(const char *place) { return strchr(place, '/') || !strchr(place, ':'); }

/* ---- Connections -------------------------------------------------------------------------------------------- */

static void forget(worker *w, size_t i)
{
    if (w->at[i].ended) atomic_fetch_sub(&w->port->waiting, 1);
    if (!w->at[i].ended) dusk_intake_end(w->at[i].intake);
    dusk_intake_free(w->at[i].intake);
    (void)close(w->at[i].socket);
    w->count--;
    w->poll[i] = w->poll[w->count];
    w->at[i] = w->at[w->count];
}

/* The connection that made no progress for longest, of those that may be closed for others; 0: none. */
static size_t quietest(const worker *w)
{
    size_t found = 0;
    double since = collect_clock() - QUIET;
    for (size_t i = 1; i < w->count; i++)
        if (!w->at[i].ended && w->at[i].heard < since) {
            since = w->at[i].heard;
            found = i;
        }
    return found;
}

/* Where there is no room, or the machine has none, all others are looked after before anybody is let in. */
static void accept_some(worker *w)
{
    for (int turn = 0; turn < AT_ONCE; turn++) {
        dusk_intake *intake = NULL;
        const bool full = w->count > w->port->most;
        const size_t quiet = full ? quietest(w) : 0;
        w->rest = full && !quiet;
        if (w->rest) return;
        const int fd = accept(w->port->socket, NULL, NULL);
        if (fd < 0) {
            w->rest = errno != EAGAIN && errno != EWOULDBLOCK;
            return;
        }
        if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 ||
            dusk_intake_new(&intake, w->port->server->collector, w->lane, NULL) != DUSK_OK) {
            (void)close(fd);
            w->rest = true;
            return;
        }
        if (quiet) forget(w, quiet);
        w->poll[w->count] = (struct pollfd){ .fd = fd, .events = POLLIN };
        w->at[w->count++] = (connection){ .intake = intake, .socket = fd, .heard = collect_clock() };
    }
}

/* Bytes by themselves are no progress: who sends one now and then would keep others out. */
static void note_progress(connection *c, size_t n)
{
    const uint64_t records = dusk_intake_taken(c->intake) + dusk_intake_dropped(c->intake);
    c->bytes += n;
    if (records == c->records && c->bytes < STEP) return;
    c->records = records;
    c->bytes = 0;
    c->heard = collect_clock();
}

/* False: the connection is gone. */
static bool hear(worker *w, size_t i)
{
    connection *c = &w->at[i];
    for (int turns = 0; turns < 4; turns++) { /* and then the others */
        const ssize_t n = recv(c->socket, w->block, BLOCK, 0);
        if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        if (n == 0) {
            dusk_intake_end(c->intake);
            c->ended = true;
            c->after = atomic_load(&w->port->begun) + 1;
            w->poll[i].fd = -1; /* a sender that is gone would wake us for ever */
            atomic_fetch_add(&w->port->waiting, 1);
            return true;
        }
        w->status = dusk_intake_take(c->intake, w->block, (size_t)n, &w->err);
        if (w->status != DUSK_OK) return false;
        note_progress(c, (size_t)n);
    }
    return true;
}

static size_t put_number(uint8_t *to, uint64_t x)
{
    to[0] = 0x1b;
    for (int i = 0; i < 8; i++) to[1 + i] = (uint8_t)(x >> (56 - 8 * i));
    return 9;
}

static void answer(worker *w, size_t i)
{
    uint8_t bytes[18];
    const size_t n = put_number(bytes, dusk_intake_taken(w->at[i].intake));
    (void)put_number(bytes + n, dusk_intake_dropped(w->at[i].intake));
    (void)send(w->at[i].socket, bytes, sizeof bytes, MSG_NOSIGNAL);
}

/* Connections from the last to the first: one that goes is replaced by the last. */
static void look_after(worker *w, bool ready)
{
    const uint64_t finished = atomic_load(&w->port->finished);
    const double now = collect_clock();
    for (size_t i = w->count - 1; i >= 1 && w->status == DUSK_OK; i--) {
        connection *c = &w->at[i];
        if (c->ended && finished >= c->after) {
            answer(w, i);
            forget(w, i);
        } else if (!c->ended && ready && w->poll[i].revents) {
            if (!hear(w, i)) forget(w, i);
        } else if (!c->ended && now - c->heard > IDLE) {
            forget(w, i);
        }
    }
}

static void *work(void *context)
{
    worker *w = context;
    while (!atomic_load(&w->port->stop) && w->status == DUSK_OK) {
        w->poll[0].events = w->rest ? 0 : POLLIN;
        w->rest = false;
        const int ready = poll(w->poll, (nfds_t)w->count, PAUSE);
        look_after(w, ready > 0);
        if (ready > 0 && w->poll[0].revents) accept_some(w);
    }
    if (w->status != DUSK_OK) atomic_store(&w->port->stop, true);
    return NULL;
}

/* The last state is on disk, or cannot be: tell those who wait, and end. */
static void end_worker(worker *w, bool written)
{
    while (w->count > 1) {
        if (written && w->at[w->count - 1].ended) answer(w, w->count - 1);
        forget(w, w->count - 1);
    }
}

/* ---- The port ------------------------------------------------------------------------------------------------- */

static dusk_status write_state(port *p, dusk_error *err)
{
    const uint64_t turn = atomic_fetch_add(&p->begun, 1) + 1;
    const dusk_status status = collect_server_write(p->server, err);
    if (status == DUSK_OK) atomic_store(&p->finished, turn);
    return status;
}

/* Write states until a signal comes. */
static dusk_status watch(port *p, const sigset_t *signals, dusk_error *err)
{
    const struct timespec pause = { 0, PAUSE * 1000000L };
    dusk_status status = DUSK_OK;
    while (status == DUSK_OK && !atomic_load(&p->stop)) {
        if (sigtimedwait(signals, NULL, &pause) > 0) break;
        if (collect_server_due(p->server) &&
            (atomic_load(&p->waiting) > 0 || collect_server_seen(p->server) != p->server->written))
            status = write_state(p, err);
    }
    atomic_store(&p->stop, true);
    return status;
}

static dusk_status run_workers(port *p, worker **workers, const sigset_t *signals, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint32_t started = 0;
    for (; started < p->server->threads; started++) {
        worker *w = workers[started];
        w->port = p;
        w->lane = started;
        w->count = 1;
        w->poll[0] = (struct pollfd){ .fd = p->socket, .events = POLLIN };
        if (pthread_create(&w->thread, NULL, work, w) != 0) break;
    }
    if (started == 0)
        status = dusk_fail(err, DUSK_ERR_MEMORY, "", "cannot start a thread");
    else
        status = watch(p, signals, err);
    for (uint32_t i = 0; i < started; i++) {
        (void)pthread_join(workers[i]->thread, NULL);
        if (status == DUSK_OK && workers[i]->status != DUSK_OK) {
            *err = workers[i]->err;
            status = workers[i]->status;
        }
    }
    const dusk_status written = write_state(p, status == DUSK_OK ? err : NULL);
    for (uint32_t i = 0; i < started; i++) end_worker(workers[i], written == DUSK_OK);
    return status == DUSK_OK ? written : status;
}

/* As many connections of each as there may be open files, some of which are for the state; 0: too few. */
static size_t connections_of(uint32_t threads)
{
    struct rlimit files;
    const rlim_t wanted = (rlim_t)threads * CONNECTIONS + SPARE;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return CONNECTIONS / 8;
    if (files.rlim_cur < wanted) {
        files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
        (void)setrlimit(RLIMIT_NOFILE, &files);
        (void)getrlimit(RLIMIT_NOFILE, &files);
    }
    const size_t each = files.rlim_cur > SPARE ? (size_t)(files.rlim_cur - SPARE) / threads : 0;
    return each < CONNECTIONS ? each : CONNECTIONS;
}

static void say_place(const port *p, const char *place)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    char host[256], service[32];
    if (is_path(place) || getsockname(p->socket, (struct sockaddr *)&address, &size) != 0 ||
        getnameinfo((struct sockaddr *)&address, size, host, sizeof host, service, sizeof service,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        dusk_output_note("listening", "at %s", place);
    else
        dusk_output_note("listening", "at %s port %s", host, service);
}

dusk_status collect_listen(collect_server *server, const char *place, dusk_error *err)
{
    port p = { .server = server, .socket = -1, .most = connections_of(server->threads) };
    struct stat mine = { .st_ino = 0 };
    worker **workers = NULL;
    sigset_t signals, before;
    dusk_status status = DUSK_OK;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &signals, &before);
    if (p.most < 1)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_IO, "take fewer --threads, or allow more with ulimit -n",
                           "there may not be so many open files"));
    if (is_number(place)) DUSK_TRY(fail_listen(place, "a port needs a host", err));
    DUSK_NEW(workers, server->threads);
    for (uint32_t i = 0; i < server->threads; i++) DUSK_NEW(workers[i], 1);
    DUSK_TRY(is_path(place) ? open_path(&p.socket, place, &mine, err) : open_address(&p.socket, place, err));
    say_place(&p, place);
    status = run_workers(&p, workers, &signals, err);
    if (is_path(place)) remove_path(place, &mine);
done:
    if (p.socket >= 0) (void)close(p.socket);
    for (uint32_t i = 0; workers && i < server->threads; i++) dusk_deallocate(workers[i]);
    dusk_deallocate(workers);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}
