/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy of the operating system; see entropy.h. There is no third source:
 * no clock, no address, no process number stands in when both fail. */
#include "random/entropy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "random/tape.h"

#ifdef DUSK_TESTING
static _Thread_local long requests_left; /* test builds only */

void dusk_entropy_fail_at(long n) { requests_left = n; }

static bool must_fail(void) { return requests_left > 0 && --requests_left == 0; }
#else
static bool must_fail(void) { return false; }
#endif

/* 0, or the errno of the call that failed. */
static int from_system(unsigned char *out, size_t n)
{
    while (n > 0) {
        ssize_t got = getrandom(out, n, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        out += got;
        n -= (size_t)got;
    }
    return 0;
}

/* Kernels without getrandom(2) let /dev/urandom answer before it is seeded;
 * that /dev/random has become readable says that this time is over. */
static int wait_until_seeded(void)
{
    int ready, fd = open("/dev/random", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    do {
        ready = poll(&wait, 1, -1);
    } while (ready < 0 && (errno == EINTR || errno == EAGAIN));
    close(fd);
    return ready == 1 ? 0 : -1;
}

static int read_all(int fd, unsigned char *out, size_t n)
{
    while (n > 0) {
        ssize_t got = read(fd, out, n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        out += got;
        n -= (size_t)got;
    }
    return 0;
}

int dusk_entropy_from_device(const char *device, void *out, size_t n)
{
    struct stat about;
    int result = -1, fd = open(device, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    /* In a badly made chroot the name can be a plain file, the same for everybody. */
    if (fstat(fd, &about) == 0 && S_ISCHR(about.st_mode) && wait_until_seeded() == 0)
        result = read_all(fd, out, n);
    close(fd);
    return result;
}

dusk_status dusk_entropy_bytes(void *out, size_t n, dusk_error *err)
{
    int problem = must_fail() ? EIO : from_system(out, n);
    /* EPERM: a sandbox older than the call refuses what it does not know. */
    if (problem == ENOSYS || problem == EPERM) problem = dusk_entropy_from_device("/dev/urandom", out, n);
    if (problem == 0) return DUSK_OK;
    dusk_wipe(out, n);
    if (DUSK_MUTATE(ENTROPY_FAILURE_IGNORED, false, true)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ENTROPY,
                     "allow getrandom(2), or provide /dev/urandom, in this container or sandbox",
                     "the operating system gave no entropy, so nothing was drawn");
}
