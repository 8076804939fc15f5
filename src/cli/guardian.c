/* SPDX-License-Identifier: Apache-2.0 */
/* Who kills what kill -9 leaves behind; see guardian.h. The two processes share a socket and nothing
 * else: its end, which the kernel sees to whatever happened, is the sign. Between the start of a
 * program and the word about it there is a moment in which it would be left behind. */
#include "cli/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/child.h"

static int line = -1; /* to the guardian */
static bool tried;

static void note(pid_t *groups, pid_t told)
{
    pid_t from = told > 0 ? 0 : -told, to = told > 0 ? told : 0;
    for (int i = 0; i < DUSK_CHILDREN_MAX; i++)
        if (groups[i] == from) {
            groups[i] = to;
            return;
        }
}

/* In the guardian. Only calls that are safe after a fork. */
static void guard(int from)
{
    pid_t groups[DUSK_CHILDREN_MAX] = { 0 }, told;
    for (;;) {
        ssize_t n = read(from, &told, sizeof told);
        if (n < 0 && errno == EINTR) continue;
        if (n != sizeof told) break;
        note(groups, told);
    }
    for (int i = 0; i < DUSK_CHILDREN_MAX; i++)
        if (groups[i] > 0) (void)kill(-groups[i], SIGKILL);
    _exit(0);
}

/* What ends the other one is not for the guardian; nobody waits for its standard output. */
static void settle(void)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
    (void)setpgid(0, 0);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) (void)signal(ends[i], SIG_IGN);
    int nothing = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && nothing >= 0; i++) (void)dup2(nothing, i);
    if (nothing > 2) (void)close(nothing);
}

void dusk_guardian_start(void)
{
    int ends[2];
    sigset_t all, old;
    if (tried) return;
    tried = true;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &old);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        settle();
        guard(ends[1]);
    }
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    (void)close(ends[1]);
    if (pid > 0)
        line = ends[0];
    else
        (void)close(ends[0]);
}

void dusk_guardian_tell(pid_t group, bool runs)
{
    pid_t told = runs ? group : -group;
    if (line >= 0) (void)send(line, &told, sizeof told, MSG_NOSIGNAL);
}
