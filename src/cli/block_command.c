/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as lines, and a command that runs on a block of them: two pipes and a loop that writes and reads as the command is
 * ready, so that neither waits for the other. See block_command.h. */
#include "cli/block_command.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/input.h"

/* ---- lines ------------------------------------------------------------------------------- */

/* A copy that ends with a line end. */
static dusk_status keep_line(char **out, const char *text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t length = strlen(text);
    DUSK_NEW(*out, length + 2);
    memcpy(*out, text, length);
    (*out)[length] = '\n';
done:
    return status;
}

static dusk_status read_all(dusk_lines *lines, dusk_input *input, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *text = NULL;
    size_t room = 0;
    bool any;
    for (;;) {
        DUSK_TRY(dusk_input_whole(input, &text, &room, &any, err));
        if (!any) break;
        if (input->table && !lines->header) {
            DUSK_TRY(keep_line(&lines->header, text, err));
            continue;
        }
        DUSK_GROW(lines->line, lines->room, lines->n);
        DUSK_TRY(keep_line(&lines->line[lines->n], text, err));
        lines->n++;
    }
done:
    if (text) dusk_wipe(text, room);
    dusk_deallocate(text);
    return status;
}

dusk_status dusk_lines_read(dusk_lines *lines, const char *path, dusk_error *err)
{
    dusk_input input;
    *lines = (dusk_lines){ 0 };
    dusk_status status = dusk_input_open(&input, path, NULL, DUSK_INPUT_WHOLE, err), closed;
    if (status != DUSK_OK) return status;
    status = read_all(lines, &input, err);
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    if (status == DUSK_OK) status = closed;
    if (status != DUSK_OK) dusk_lines_free(lines);
    return status;
}

void dusk_lines_free(dusk_lines *lines)
{
    for (size_t i = 0; i < lines->n; i++) {
        dusk_wipe(lines->line[i], strlen(lines->line[i]));
        dusk_deallocate(lines->line[i]);
    }
    dusk_deallocate(lines->line);
    dusk_deallocate(lines->header);
    *lines = (dusk_lines){ 0 };
}

/* ---- the command ---------------------------------------------------------------------------- */

typedef struct child {
    pid_t pid;
    int in, out; /* our ends of its standard input and output; -1: closed */
    const char *line;
    size_t length, sent; /* of the line under way */
    char answer[256];
    size_t answered; /* bytes that came, those that do not fit too */
} child;

static void close_end(int *end)
{
    if (*end >= 0) close(*end);
    *end = -1;
}

/* In the new process; does not come back. */
static void become(const char *command, int in, int out)
{
    int nowhere = open("/dev/null", O_WRONLY);
    struct sigaction usual = { .sa_handler = SIG_DFL };
    sigaction(SIGPIPE, &usual, NULL);
    if (nowhere >= 0 && dup2(nowhere, 2) >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* A pipe that the command does not inherit but as its standard input and output. Its ends
 * are none of the numbers of these, also where ours are closed. */
static bool open_pipe(int ends[2])
{
    int low[2];
    if (pipe(low) != 0) return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
        close(low[i]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

static bool start(child *c, const char *command)
{
    int in[2] = { -1, -1 }, out[2] = { -1, -1 };
    *c = (child){ .pid = -1, .in = -1, .out = -1 };
    if (open_pipe(in) && open_pipe(out)) c->pid = fork();
    if (c->pid == 0) become(command, in[0], out[1]);
    close_end(&in[0]);
    close_end(&out[1]);
    c->in = in[1];
    c->out = out[0];
    if (c->pid < 0) {
        close_end(&c->in);
        close_end(&c->out);
        return false;
    }
    fcntl(c->in, F_SETFL, O_NONBLOCK);
    return true;
}

/* The next line: the header first, then the rows; false after the last. */
static bool next_line(child *c, const dusk_lines *lines, const size_t *index, size_t n, size_t *next)
{
    bool header = lines && lines->header;
    if (*next >= n + header) return false;
    c->line = header && *next == 0 ? lines->header : lines->line[index[*next - header]];
    c->length = strlen(c->line);
    c->sent = 0;
    ++*next;
    return true;
}

/* Send what the pipe takes; a command that has stopped reading gets no more. */
static void send_rows(child *c, const dusk_lines *lines, const size_t *index, size_t n, size_t *next)
{
    while (c->in >= 0) {
        if (c->sent == c->length && !next_line(c, lines, index, n, next)) {
            close_end(&c->in);
            return;
        }
        ssize_t done = write(c->in, c->line + c->sent, c->length - c->sent);
        if (done > 0)
            c->sent += (size_t)done;
        else if (errno == EAGAIN)
            return;
        else if (errno != EINTR)
            close_end(&c->in);
    }
}

static void receive(child *c)
{
    char bytes[4096];
    ssize_t got = read(c->out, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
        close_end(&c->out);
        return;
    }
    size_t room = c->answered < sizeof c->answer - 1 ? sizeof c->answer - 1 - c->answered : 0;
    size_t take = (size_t)got < room ? (size_t)got : room;
    if (take > 0) memcpy(c->answer + c->answered, bytes, take);
    c->answered += (size_t)got;
}

static void exchange(child *c, const dusk_lines *lines, const size_t *index, size_t n)
{
    size_t next = 0;
    while (c->out >= 0) {
        struct pollfd ends[2] = { { .fd = c->out, .events = POLLIN }, { .fd = c->in, .events = POLLOUT } };
        if (poll(ends, c->in >= 0 ? 2 : 1, -1) < 0 && errno != EINTR) break;
        if (c->in >= 0 && ends[1].revents) send_rows(c, lines, index, n, &next);
        if (ends[0].revents) receive(c);
    }
    close_end(&c->in);
    close_end(&c->out);
}

/* One number and nothing else. */
static double number_in(const child *c)
{
    char *end;
    if (c->answered >= sizeof c->answer) return NAN;
    double x = strtod(c->answer, &end);
    if (end == c->answer) return NAN;
    while (isspace((unsigned char)*end)) end++;
    return *end ? NAN : x;
}

double dusk_block_command(const char *command, const dusk_lines *lines, const size_t *index, size_t n,
                          int *code)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    child c;
    int status = 0;
    double value = NAN;
    if (code) *code = -1;
    sigaction(SIGPIPE, &ignore, &before);
    if (start(&c, command)) {
        exchange(&c, lines, index, n);
        while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR) {
        }
        if (code) *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) value = number_in(&c);
    }
    sigaction(SIGPIPE, &before, NULL);
    dusk_wipe(&c, sizeof c);
    return value;
}
