/* SPDX-License-Identifier: Apache-2.0 */
/* A program as a sampler while things go wrong: the n-th allocation fails, the program dies
 * in the middle, there are more inputs than streams. Nothing leaks (the sanitizer build
 * looks), no descriptor stays open, nobody is left to be waited for. The program is no
 * library: what is tested is compiled in. */
#include "cli/program_draws.h"
#include "cli/guardian.h"

#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>

#include "support.h"

#include "cli/child.c"
#include "cli/draw_lines.c"
#include "cli/output.c"
#include "cli/program_draws.c"

/* The guardian lives as long as the program does, which is not what is tested here. */
void dusk_guardian_start(void) {}
void dusk_guardian_tell(pid_t group, bool runs)
{
    (void)group;
    (void)runs;
}

static int open_files(void)
{
    int n = 0;
    DIR *list = opendir("/proc/self/fd");
    if (!list) return 0;
    while (readdir(list)) n++;
    closedir(list);
    return n;
}

static void nobody_left(int files)
{
    assert_int_equal(open_files(), files);
    assert_true(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static const char *const inputs[] = { "5", "6" };
static const double places[] = { 0, 1 };

/* Look, settle and draw `n` a side. */
static dusk_status whole_run(char *const *command, bool one_draw, double *out, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    program_draws *draws = NULL;
    dusk_sampler sampler = { .draw = NULL };
    program_request request = {
        .command = command, .inputs = inputs, .input_length = 1, .first = 300, .one_draw = one_draw
    };
    DUSK_TRY(program_draws_new(&draws, &request, err));
    for (int side = 0; side < 2; side++) DUSK_TRY(program_draws_look(draws, &places[side], err));
    DUSK_TRY(program_draws_settle(draws, &sampler, err));
    for (int side = 0; side < 2; side++)
        DUSK_TRY(sampler.draw(sampler.context, out + (size_t)side * n, n, &places[side], err));
    program_draws_rest(draws);
    if (n == 1000 && out[0] == 5) assert_true(program_draws_constant(draws, &places[0]));
    for (int side = 0; side < 2; side++)
        DUSK_TRY(sampler.draw(sampler.context, out + (size_t)side * n, n, &places[side], err));
done:
    program_draws_free(draws);
    return status;
}

static void memory(void **state)
{
    static char *const command[] = { (char *)"sh", (char *)"-c", (char *)"yes $1", (char *)"sh", NULL };
    static double out[2000];
    dusk_status status = DUSK_ERR_MEMORY;
    int files = open_files();
    long n = 1;
    (void)state;
    for (; status != DUSK_OK && n < 100; n++) {
        dusk_memory_fail_at(n);
        status = whole_run(command, false, out, 1000, NULL);
        dusk_memory_fail_at(0);
        if (status != DUSK_OK) assert_int_equal(status, DUSK_ERR_MEMORY);
        nobody_left(files);
    }
    assert_true(n > 8);
    assert_int_equal(status, DUSK_OK);
    for (int i = 0; i < 2000; i++) assert_true(out[i] == (i < 1000 ? 5 : 6));
}

/* Dies after some lines of its third start. */
static void dying(void **state)
{
    static char *const command[] = {
        (char *)"sh", (char *)"-c",
        (char *)"if [ $DUSK_DRAWS -le 300 ]; then yes $1; else seq 3; kill -9 $$; fi", (char *)"sh", NULL
    };
    static double out[2000];
    dusk_error err;
    int files = open_files();
    (void)state;
    assert_int_equal(whole_run(command, false, out, 1000, &err), DUSK_ERR_PARSE);
    assert_non_null(strstr(err.message, "signal 9"));
    assert_non_null(strstr(err.message, "'5'"));
    nobody_left(files);
}

/* A seed: refused as soon as a start repeats the one before. */
static void repeating(void **state)
{
    static char *const command[] = {
        (char *)"awk",
        (char *)"BEGIN { srand(7); for (i = 0; i < ENVIRON[\"DUSK_DRAWS\"]; i++) print rand() < 0.2 }", NULL
    };
    static double out[2000];
    dusk_error err = { .message = "" };
    int files = open_files();
    (void)state;
    assert_int_equal(whole_run(command, false, out, 1000, &err), DUSK_ERR_PARSE);
    assert_non_null(strstr(err.message, "the same 256 lines"));
    nobody_left(files);
}

static void one_at_a_time(void **state)
{
    static char *const command[] = { (char *)"echo", NULL };
    static char *const failing[] = { (char *)"false", NULL };
    double out[40];
    int files = open_files();
    (void)state;
    assert_int_equal(whole_run(command, true, out, 20, NULL), DUSK_OK);
    for (int i = 0; i < 40; i++) assert_true(out[i] == (i < 20 ? 5 : 6));
    assert_int_equal(whole_run(failing, true, out, 20, NULL), DUSK_ERR_PARSE);
    nobody_left(files);
}

/* Numbers as inputs, more of them than are kept at a time, twice around. */
static void many_inputs(void **state)
{
    static char *const command[] = { (char *)"sh", (char *)"-c", (char *)"yes $1", (char *)"sh", NULL };
    program_draws *draws = NULL;
    dusk_sampler sampler = { .draw = NULL };
    double out[300];
    int files = open_files();
    program_request request = { .command = command, .input_length = 2, .first = 50 };
    (void)state;
    assert_int_equal(program_draws_new(&draws, &request, NULL), DUSK_OK);
    assert_int_equal(program_draws_look(draws, (double[]){ 0, 0.1 }, NULL), DUSK_OK);
    assert_int_equal(program_draws_settle(draws, &sampler, NULL), DUSK_OK);
    assert_int_equal(sampler.output_length, 2);
    for (int i = 0; i < 24; i++) {
        double input[] = { i % 12, 0.1 };
        assert_int_equal(sampler.draw(sampler.context, out, 150, input, NULL), DUSK_OK);
        for (int j = 0; j < 150; j++) assert_true(out[2 * j] == i % 12 && out[2 * j + 1] == 0.1);
    }
    program_draws_free(draws);
    nobody_left(files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory),        cmocka_unit_test(dying),       cmocka_unit_test(repeating),
        cmocka_unit_test(one_at_a_time), cmocka_unit_test(many_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
