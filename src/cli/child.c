/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are run for what they print; see child.h. */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/guardian.h"

#define IMPATIENCE_MS 20 /* for a program that has been waited for in vain */

extern char **environ;

/* ---- Nobody is left behind ----------------------------------------------------------- */

/* Who is running, for the signal handler: the one thing that it needs to know. */
static volatile pid_t running[DUSK_CHILDREN_MAX];
static bool watching;

static void kill_all(int signal_number)
{
    for (int i = 0; i < DUSK_CHILDREN_MAX; i++)
        if (running[i] > 0) (void)kill(-running[i], SIGKILL);
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

/* Signals that are ignored (nohup) stay so. */
static void watch(void)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    struct sigaction old, ours;
    if (watching) return;
    watching = true;
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = kill_all;
    (void)sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            (void)sigaction(ends[i], &ours, NULL);
}

static volatile pid_t *place_of(pid_t pid)
{
    for (int i = 0; i < DUSK_CHILDREN_MAX; i++)
        if (running[i] == pid) return &running[i];
    return NULL;
}

/* Block what would end us, so that a child is either not there or on the list. */
static void hold_signals(sigset_t *old)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, old);
}

/* ---- Starting ------------------------------------------------------------------------ */

/* A pipe whose ends are none of the three standard ones and are closed in programs. */
static int open_pipe(int ends[2])
{
    int low[2] = { -1, -1 };
    if (pipe(low) != 0) return errno;
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
        if (ends[i] < 0) failed = errno;
        (void)close(low[i]);
    }
    for (int i = 0; i < 2 && failed; i++)
        if (ends[i] >= 0) (void)close(ends[i]);
    return failed;
}

static int spawn(pid_t *pid, char *const *words, int output, const sigset_t *mask)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t usual;
    int failed = posix_spawn_file_actions_init(&files);
    if (failed) return failed;
    failed = posix_spawnattr_init(&how);
    if (failed) {
        (void)posix_spawn_file_actions_destroy(&files);
        return failed;
    }
    (void)sigfillset(&usual);
    failed = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    if (!failed) failed = posix_spawnattr_setpgroup(&how, 0);
    if (!failed) failed = posix_spawnattr_setsigdefault(&how, &usual);
    if (!failed) failed = posix_spawnattr_setsigmask(&how, mask);
    if (!failed)
        failed = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                                    POSIX_SPAWN_SETSIGMASK);
    if (!failed) failed = posix_spawnp(pid, words[0], &files, &how, words, environ);
    (void)posix_spawnattr_destroy(&how);
    (void)posix_spawn_file_actions_destroy(&files);
    return failed;
}

static dusk_status fail_start(const char *name, int why, dusk_error *err)
{
    if (why == EAGAIN || why == ENOMEM || why == EMFILE || why == ENFILE)
        return dusk_fail(err, DUSK_ERR_IO, "end other programs first", "cannot start %.100s: %s", name,
                         strerror(why));
    return dusk_fail(err, DUSK_ERR_PARSE,
                     why == EACCES  ? "make it executable, or name what runs it: -- python3 FILE"
                     : why == E2BIG ? "give shorter inputs"
                                    : "give the program after --, as you would type it: -- python3 noisy.py",
                     "cannot start %.100s: %s", name, strerror(why));
}

dusk_status dusk_child_start(dusk_child *child, char *const *words, dusk_error *err)
{
    int ends[2] = { -1, -1 };
    pid_t pid = 0;
    sigset_t old;
    volatile pid_t *place = place_of(0);
    *child = (dusk_child){ .output = -1 };
    if (!place) return dusk_fail(err, DUSK_ERR_INTERNAL, "", "too many programs at a time");
    dusk_guardian_start();
    watch();
    int failed = open_pipe(ends);
    if (failed) return fail_start(words[0], failed, err);
    hold_signals(&old);
    failed = spawn(&pid, words, ends[1], &old);
    if (!failed) {
        *place = pid;
        dusk_guardian_tell(pid, true);
    }
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    (void)close(ends[1]);
    if (failed) {
        (void)close(ends[0]);
        return fail_start(words[0], failed, err);
    }
    *child = (dusk_child){ .pid = pid, .output = ends[0] };
    return DUSK_OK;
}

/* ---- Reading and ending -------------------------------------------------------------- */

dusk_status dusk_child_read(dusk_child *child, char *bytes, size_t room, size_t *got, dusk_error *err)
{
    ssize_t n;
    do n = read(child->output, bytes, room);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return dusk_fail(err, DUSK_ERR_IO, "", "cannot read what the program prints: %s", strerror(errno));
    *got = (size_t)n;
    return DUSK_OK;
}

/* Wait until it is gone; what waitpid says of it. Its number is off the list before it can
 * be somebody else's. */
static int reap(dusk_child *child)
{
    int how = 0;
    sigset_t old;
    siginfo_t about;
    pid_t got;
    volatile pid_t *place = place_of(child->pid);
    while (waitid(P_PID, (id_t)child->pid, &about, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
    hold_signals(&old);
    dusk_guardian_tell(child->pid, false);
    do got = waitpid(child->pid, &how, 0);
    while (got < 0 && errno == EINTR);
    if (place) *place = 0;
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    (void)close(child->output);
    *child = (dusk_child){ .output = -1 };
    return got < 0 ? 0 : how;
}

void dusk_child_kill(dusk_child *child)
{
    if (child->pid <= 0) return;
    (void)kill(-child->pid, SIGKILL);
    (void)reap(child);
}

static dusk_status judge(int how, dusk_error *err)
{
    if (WIFSIGNALED(how))
        return dusk_fail(err, DUSK_ERR_PARSE, "run it by hand to see why",
                         "the program was killed by signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
    if (WEXITSTATUS(how) == 127)
        return dusk_fail(err, DUSK_ERR_PARSE, "what it said is above; run it by hand to see why",
                         "the program ended with exit code 127: a command was not found");
    if (WEXITSTATUS(how) != 0)
        return dusk_fail(err, DUSK_ERR_PARSE, "what it said is above; run it by hand to see why",
                         "the program ended with exit code %d", WEXITSTATUS(how));
    return DUSK_OK;
}

static long milliseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Its output ends by `until`. Otherwise *more: there is more of it; or nothing happens. */
static bool output_ends(const dusk_child *child, long until, bool *more)
{
    struct pollfd wait = { .fd = child->output, .events = POLLIN };
    char byte;
    *more = false;
    for (;;) {
        long left = until - milliseconds();
        if (left <= 0) return false;
        int n = poll(&wait, 1, (int)left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        ssize_t got = read(child->output, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        *more = got != 0;
        return got == 0;
    }
}

/* It is gone by `until`, though not yet waited for. */
static bool is_gone(const dusk_child *child, long until)
{
    for (;;) {
        siginfo_t about;
        about.si_pid = 0;
        if (waitid(P_PID, (id_t)child->pid, &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid != 0)
            return true;
        if (milliseconds() >= until) return false;
        (void)nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
}

dusk_status dusk_child_finish(dusk_child *child, long *patience_ms, dusk_error *err)
{
    long until = milliseconds() + *patience_ms;
    bool more;
    if (child->pid <= 0) return DUSK_OK;
    if (output_ends(child, until, &more) && is_gone(child, until)) return judge(reap(child), err);
    if (!more) *patience_ms = IMPATIENCE_MS;
    dusk_child_kill(child);
    return DUSK_OK;
}
