/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_POSTGRES_CLUSTER_H
#define TESTS_POSTGRES_CLUSTER_H

/* A PostgreSQL cluster of the test's own: made in a folder of its own by an unprivileged user, reached by a socket
 * in that folder and by nothing else, stopped and removed at the end. The tests run in a child process, so that
 * the end comes whatever becomes of them. */

#include <glob.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char cluster_folder[64], cluster_data[96], cluster_bin[256];
static pid_t cluster_server;

/* The folder of initdb and postgres, or why there is none. */
static inline bool cluster_find(void)
{
    glob_t found;
    bool there = glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &found) == 0 && found.gl_pathc > 0;
    if (there) {
        snprintf(cluster_bin, sizeof cluster_bin, "%s", found.gl_pathv[found.gl_pathc - 1]);
        *strrchr(cluster_bin, '/') = '\0';
    }
    globfree(&found);
    return there;
}

/* PostgreSQL does not run as root. */
static inline bool cluster_drop_rights(void)
{
    if (geteuid() != 0) return true;
    struct passwd *user = getpwnam("postgres");
    if (!user) user = getpwnam("nobody");
    return user && setgroups(0, NULL) == 0 && setgid(user->pw_gid) == 0 && setuid(user->pw_uid) == 0;
}

/* Start a program as the unprivileged user, silently; it is killed when this process dies. */
static inline pid_t cluster_start(char *const *argv)
{
    pid_t child = fork();
    if (child != 0) return child;
    if (!cluster_drop_rights() || prctl(PR_SET_PDEATHSIG, SIGQUIT) != 0 || chdir("/") != 0 ||
        !freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout) ||
        !freopen("/dev/null", "w", stderr))
        _exit(126);
    execv(argv[0], argv);
    _exit(127);
}

static inline bool cluster_do(char *const *argv)
{
    int status;
    pid_t child = cluster_start(argv);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Where a client finds it: "?host=/tmp/..." of a URI. */
static inline const char *cluster_uri(const char *user)
{
    static char uri[200];
    snprintf(uri, sizeof uri, "postgres:///postgres?host=%s&user=%s", cluster_folder, user);
    return uri;
}

static inline bool cluster_begin(void)
{
    char initdb[300], postgres[300];
    snprintf(cluster_folder, sizeof cluster_folder, "/tmp/dusk-postgres-XXXXXX");
    if (!mkdtemp(cluster_folder)) return false;
    if (geteuid() == 0) {
        struct passwd *user = getpwnam("postgres");
        if (!user) user = getpwnam("nobody");
        if (!user || chown(cluster_folder, user->pw_uid, user->pw_gid) != 0) return false;
    }
    snprintf(cluster_data, sizeof cluster_data, "%s/data", cluster_folder);
    snprintf(initdb, sizeof initdb, "%s/initdb", cluster_bin);
    snprintf(postgres, sizeof postgres, "%s/postgres", cluster_bin);
    char *make[] = { initdb,  "-D", cluster_data, "-U",         "owner", "-A",
                     "trust", "-E", "UTF8",       "--locale=C", "-N",    NULL };
    char *run[] = { postgres,
                    "-D",
                    cluster_data,
                    "-k",
                    cluster_folder,
                    "-c",
                    "listen_addresses=",
                    "-c",
                    "fsync=off",
                    "-c",
                    "shared_buffers=16MB",
                    "-c",
                    "TimeZone=America/New_York",
                    "-c",
                    "DateStyle=German",
                    NULL };
    if (!cluster_do(make)) return false;
    cluster_server = cluster_start(run);
    for (int i = 0; i < 600 && cluster_server > 0; i++) {
        if (PQping(cluster_uri("owner")) == PQPING_OK) return true;
        if (waitpid(cluster_server, NULL, WNOHANG) == cluster_server) break;
        usleep(50000);
    }
    return false;
}

static inline void cluster_end(void)
{
    char *clean[] = { "/bin/rm", "-rf", cluster_folder, NULL };
    if (cluster_server > 0 && kill(cluster_server, SIGQUIT) == 0) (void)waitpid(cluster_server, NULL, 0);
    (void)cluster_do(clean);
    (void)rmdir(cluster_folder); /* the folder that holds it may be closed to that user */
}

/* The tests, in a child, on a cluster; 77 and why when there is no PostgreSQL. */
static inline int cluster_run(int (*tests)(void))
{
    int status = 0, code = 1;
    if (!cluster_find()) {
        puts("skipped: PostgreSQL's server is not installed (package postgresql)");
        return 77;
    }
    if (!cluster_begin())
        puts("the PostgreSQL cluster of the test cannot be started");
    else {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) exit(tests());
        if (child > 0 && waitpid(child, &status, 0) == child)
            code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
    cluster_end();
    return code;
}

#endif
