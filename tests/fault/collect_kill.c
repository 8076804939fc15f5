/* SPDX-License-Identifier: Apache-2.0 */
/* A server that is killed at any moment and started again with all its input: in the end every record counts once, and its state is that of one that was
 * never killed. What a state that is on disk has taken, all later ones have. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "local/collector.h"
#include "support.h"

enum { RECORDS = 20000, RECORD = 26, PIECE = 1000, KILLS = 25 };

static char folder[64], state_path[96];
static uint8_t input[RECORDS * RECORD];
static dusk_survey survey;

static int prepare(void **state)
{
    dusk_survey_options o;
    uint64_t seed = 11;
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/dusk-collect-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    snprintf(state_path, sizeof state_path, "%s/state", folder);
    dusk_survey_options_init(&o);
    o.mechanism = DUSK_GRR;
    o.epsilon = 1;
    o.domain = 300;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    for (size_t i = 0; i < RECORDS; i++) {
        uint8_t *r = input + i * RECORD;
        const uint64_t nonce = splitmix64(&seed);
        memcpy(r, "\x58\x18\x85\x01\x1b", 5);
        for (int j = 0; j < 8; j++) r[5 + j] = (uint8_t)(survey.task.id >> (56 - 8 * j));
        r[13] = 0;
        r[14] = 0x48;
        memcpy(r + 15, &nonce, 8);
        r[23] = 0x42;
        r[24] = (uint8_t)(i % 300);
        r[25] = (uint8_t)(i % 300 >> 8);
    }
    return 0;
}

static int clean(void **state)
{
    (void)state;
    (void)unlink(state_path);
    return rmdir(folder); /* nothing else is left in it */
}

static dusk_collector *resume(void)
{
    dusk_collector *c;
    if (access(state_path, F_OK) != 0)
        assert_int_equal(dusk_collector_new(&c, &survey, 0, 2, NULL), DUSK_OK);
    else
        assert_int_equal(dusk_collector_read(&c, state_path, 2, NULL), DUSK_OK);
    return c;
}

/* All input from its beginning, the state written after every piece. */
static void serve(void)
{
    dusk_collector *c = resume();
    dusk_intake *intake;
    assert_int_equal(dusk_intake_new(&intake, c, 1, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof input; i += PIECE) {
        const size_t n = sizeof input - i < PIECE ? sizeof input - i : PIECE;
        assert_int_equal(dusk_intake_take(intake, input + i, n, NULL), DUSK_OK);
        if (i / PIECE % 8 == 0) assert_int_equal(dusk_collector_write(c, state_path, NULL), DUSK_OK);
    }
    dusk_intake_end(intake);
    dusk_intake_free(intake);
    assert_int_equal(dusk_collector_write(c, state_path, NULL), DUSK_OK);
    dusk_collector_free(c);
}

static void every_record_counts_once(void **state)
{
    uint64_t before = 0, seed = 3;
    int killed = 0;
    (void)state;
    for (int i = 0; i < KILLS; i++) {
        const struct timespec pause = { 0, (long)(splitmix64(&seed) % 12000000) };
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            serve();
            _exit(0);
        }
        int status;
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        killed += WIFSIGNALED(status);
        dusk_collector *c = resume();
        const uint64_t taken = dusk_tally_reports(dusk_collector_tally(c));
        assert_true(taken >= before && taken == local_nonces_count(c->nonces));
        before = taken;
        dusk_collector_free(c);
    }
    assert_true(killed > 0);
    serve();
    dusk_collector *c = resume();
    const dusk_tally *tally = dusk_collector_tally(c);
    assert_int_equal(dusk_tally_reports(tally), RECORDS);
    for (size_t v = 0; v < 300; v++) assert_int_equal(tally->cell[v], RECORDS / 300 + (v < RECORDS % 300));
    dusk_collector_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_record_counts_once) };
    return cmocka_run_group_tests(tests, prepare, clean);
}
