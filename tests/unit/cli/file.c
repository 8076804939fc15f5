/* SPDX-License-Identifier: Apache-2.0 */
/* Which names are of one file, whether it is there or not, and what must not be replaced. */
#include <fcntl.h>
#include <sys/stat.h>

#include "support.h"

#include "cli/file.c"

#define OK(call) assert_int_equal(call, DUSK_OK)
#define FAILS(wanted, call) assert_int_equal(call, wanted)

static char folder[64];
static dusk_error err;

static const char *in(const char *name)
{
    static char path[4][512];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static void make(const char *name)
{
    const int file = open(in(name), O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/dusk-file-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    make("a");
    make("b");
    if (mkdir(in("d"), 0700) != 0 || symlink("a", in("soft")) != 0 || link(in("a"), in("hard")) != 0)
        return -1;
    make("d/in");
    return 0;
}

static int end(void **state)
{
    static const char *const names[] = {
        "a", "b", "soft", "hard", "d/in", "d", "x-idx1", "p-images-idx3-ubyte", "p-labels-idx1-ubyte"
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) (void)remove(in(names[i]));
    return rmdir(folder);
}

static void names(void **state)
{
    (void)state;
    assert_true(dusk_file_same(in("a"), in("a")));
    assert_true(dusk_file_same(in("a"), in("d/../a")));
    assert_true(dusk_file_same(in("soft"), in("hard")));
    assert_true(dusk_file_same(in("d"), in("d/.")));
    assert_false(dusk_file_same(in("a"), in("b")));
    assert_false(dusk_file_same(in("a"), in("new")));
    assert_true(dusk_file_same(in("new"), in("./d/../new"))); /* not there yet */
    assert_false(dusk_file_same(in("new"), in("other")));
    assert_false(dusk_file_same(in("nowhere/new"), in("nowhere/new2")));
    assert_false(dusk_file_same("/dev/null", "/dev/null")); /* nobody's */
}

static void outputs(void **state)
{
    (void)state;
    dusk_outputs o = { .count = 0 };
    dusk_outputs_add(&o, NULL);
    dusk_outputs_add(&o, in("a"));
    dusk_outputs_add(&o, in("d/in"));
    OK(dusk_outputs_check(&o, &err));
    OK(dusk_outputs_keep(&o, NULL, &err));
    OK(dusk_outputs_keep(&o, in("b"), &err));
    OK(dusk_outputs_keep(&o, in("nothing"), &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_outputs_keep(&o, in("soft"), &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_outputs_keep(&o, in("d"), &err)); /* its files are read */
    dusk_outputs_add(&o, in("hard"));
    FAILS(DUSK_ERR_ARGUMENT, dusk_outputs_check(&o, &err));
}

/* A source may have options, and be two files. */
static void rows(void **state)
{
    (void)state;
    make("p-images-idx3-ubyte");
    make("p-labels-idx1-ubyte");
    dusk_outputs o = { .count = 0 };
    dusk_outputs_add(&o, in("p-labels-idx1-ubyte"));
    FAILS(DUSK_ERR_ARGUMENT, dusk_outputs_keep_rows(&o, in("p"), &err));
    OK(dusk_outputs_keep_rows(&o, in("x.csv"), &err));
    OK(dusk_outputs_keep_rows(&o, "postgres://a@b/c", &err));
    OK(dusk_outputs_keep_rows(&o, NULL, &err));
    assert_true(dusk_rows_same(in("p"), in("p-images-idx3-ubyte")));
    assert_true(dusk_rows_same(in("x.csv?header=a"), in("./x.csv")));
    assert_false(dusk_rows_same(in("x.csv"), in("y.csv")));
    assert_false(dusk_rows_same("x.db#mine", "x.db#others")); /* two tables */
    assert_true(dusk_rows_same("x.db#mine", "./x.db"));
    assert_false(dusk_rows_same("postgres://a@b/c", "postgres://a@b/c"));
}

static void tries(void **state)
{
    struct stat before, after;
    (void)state;
    OK(dusk_file_try(in("new"), &err));
    assert_int_not_equal(access(in("new"), F_OK), 0);
    assert_int_equal(stat(in("a"), &before), 0);
    OK(dusk_file_try(in("soft"), &err));
    assert_int_equal(stat(in("a"), &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_mtime == after.st_mtime);
    OK(dusk_file_try("/dev/null", &err));
    FAILS(DUSK_ERR_IO, dusk_file_try(in("d"), &err));
    FAILS(DUSK_ERR_IO, dusk_file_try(in("nowhere/new"), &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names), cmocka_unit_test(outputs),
                                        cmocka_unit_test(rows), cmocka_unit_test(tries) };
    return cmocka_run_group_tests_name("file", tests, begin, end);
}
