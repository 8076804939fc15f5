/* SPDX-License-Identifier: Apache-2.0 */
/* The temporary file gives back what it got, and what is on disk can be read by nobody. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "query/spill.h"
#include "support.h"

static const uint64_t key[4] = { 1, 2, 3, 4 }, other_key[4] = { 1, 2, 3, 5 };

/* The descriptor of the one file that is open, has no name and `size` bytes. */
static int find_file(off_t size)
{
    int found = -1;
    for (int d = 3; d < 256; d++) {
        struct stat s;
        if (fstat(d, &s) != 0 || !S_ISREG(s.st_mode) || s.st_nlink != 0 || s.st_size != size) continue;
        assert_int_equal(found, -1);
        assert_int_equal(s.st_mode & 0777, 0600);
        assert_true(fcntl(d, F_GETFD) & FD_CLOEXEC);
        found = d;
    }
    return found;
}

static void pieces_come_back(void **state)
{
    enum { PIECES = 40 };
    spill *file;
    uint64_t offset[PIECES];
    unsigned char data[1000];
    (void)state;
    assert_int_equal(spill_new(&file, NULL, key, NULL), DUSK_OK);
    assert_int_equal(spill_size(file), 0);
    for (size_t i = 0; i < PIECES; i++) {
        memset(data, (int)i, sizeof data);
        assert_int_equal(spill_write(file, data, 1 + 8 * i, &offset[i], NULL), DUSK_OK);
    }
    for (size_t i = PIECES; i-- > 0;) {
        assert_int_equal(spill_read(file, data, 1 + 8 * i, offset[i], NULL), DUSK_OK);
        for (size_t k = 0; k < 1 + 8 * i; k++) assert_int_equal(data[k], i);
        if (i) assert_true(offset[i] >= offset[i - 1] + 1 + 8 * (i - 1));
    }
    spill_free(file);
    spill_free(NULL);
}

/* All zeros: what the file has is the key stream, which must be another with another key, and at another
 * place. */
static void the_disk_sees_no_row(void **state)
{
    enum { SIZE = 4096 };
    static unsigned char raw[2][SIZE], data[SIZE];
    (void)state;
    for (int k = 0; k < 2; k++) {
        spill *file;
        uint64_t offset;
        assert_int_equal(spill_new(&file, "/tmp", k ? other_key : key, NULL), DUSK_OK);
        assert_int_equal(find_file(SIZE), -1);
        memset(data, 0, SIZE);
        for (size_t half = 0; half < 2; half++)
            assert_int_equal(spill_write(file, data + half * SIZE / 2, SIZE / 2, &offset, NULL), DUSK_OK);
        int d = find_file(SIZE);
        assert_true(d >= 0);
        assert_int_equal(pread(d, raw[k], SIZE, 0), SIZE);
        assert_memory_equal(raw[k], data, SIZE); /* encrypted in place */
        spill_free(file);
        assert_int_equal(find_file(SIZE), -1);
    }
    unsigned zeros = 0, same = 0, repeated = 0;
    for (size_t i = 0; i < SIZE; i++) {
        zeros += raw[0][i] == 0;
        same += raw[0][i] == raw[1][i];
        repeated += raw[0][i] == raw[0][(i + SIZE / 2) % SIZE];
    }
    assert_in_range(zeros, 0, 60); /* 16 are expected */
    assert_in_range(same, 0, 60);
    assert_in_range(repeated, 0, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_back),
        cmocka_unit_test(the_disk_sees_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
