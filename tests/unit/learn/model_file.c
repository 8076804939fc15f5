/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: what is written is read back to the last bit; a changed byte, a missing end, a body that makes no sense with
 * the right hash are refused; a file is whole or not there. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_memory.h"
#include "learn/learner.h"
#include "seeded.h"

static dusk_model *trained(const char *fields_text)
{
    const char *const settings[] = { "components=2" };
    dusk_fields *fields;
    dusk_frame *frame;
    dusk_training *training;
    dusk_train_options options;
    dusk_model *model;
    dusk_error err = { .message = "" };
    dusk_generator *gen = seeded(5);
    if (dusk_fields_parse(&fields, fields_text, &err) != DUSK_OK) fail_msg("%s", err.message);
    assert_int_equal(dusk_frame_new(&frame, fields, 50, NULL), DUSK_OK);
    for (size_t i = 0; i < 50; i++) frame->column[0].number[i] = (double)(i % 11);
    dusk_train_options_init(&options);
    options.epsilon = 0.9;
    options.delta = 1e-6;
    options.rows = 50;
    options.neighbours = DUSK_ADD_REMOVE;
    options.settings = settings;
    options.settings_count = 1;
    if (dusk_training_prepare(&training, "pca", fields, &options, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
    dusk_generator_free(gen);
    return model;
}

static char *text_of(const dusk_model *model, size_t *length)
{
    char *text;
    assert_int_equal(dusk_model_format(model, &text, length, NULL), DUSK_OK);
    assert_int_equal(strlen(text), *length);
    return text;
}

static void reads_back(void **state)
{
    dusk_model *model =
                   trained("\"the age\" numeric 17:90 missing 40\nsex category \"Fe\\\"ma,le\",Ma\\\\le\n"
                           "z numeric -1:1e-300\nunit \"a person\"\nrows_per_unit 2\n"),
               *again;
    const double odd[] = { NAN, INFINITY, -INFINITY, -0.0, 0x1p-1074, 0.1, 1e22, -0x1.fffffffffffffp1023 };
    char *text, *second;
    size_t length, longer, rows, columns;
    dusk_error err = { .message = "" };
    (void)state;
    assert_int_equal(learn_model_put(model, "odd", 2, 4, odd, NULL), DUSK_OK);
    assert_int_equal(learn_model_put(model, "none", 0, 4, odd, NULL), DUSK_OK);
    model->features.feature[0].centre = 0.1;
    text = text_of(model, &length);
    if (dusk_model_parse(&again, text, length, &err) != DUSK_OK) fail_msg("%s", err.message);
    second = text_of(again, &longer);
    assert_string_equal(text, second);
    const double *got = dusk_model_array(again, "odd", &rows, &columns);
    assert_true(rows == 2 && columns == 4);
    for (size_t i = 1; i < 8; i++) assert_memory_equal(&got[i], &odd[i], sizeof *odd);
    assert_true(isnan(got[0]));
    assert_ptr_equal(dusk_model_learner(again), dusk_model_learner(model));
    assert_true(again->features.bound == model->features.bound);
    for (size_t i = 0; dusk_model_feature(model, i); i++) {
        const learn_feature *a = &model->features.feature[i], *b = &again->features.feature[i];
        assert_string_equal(dusk_model_feature(model, i), dusk_model_feature(again, i));
        assert_true(a->centre == b->centre && a->factor == b->factor && a->column == b->column &&
                    a->code == b->code);
    }
    assert_string_equal(dusk_model_fields(again)->unit, "a person");
    assert_true(again->statement.epsilon == model->statement.epsilon);
    assert_string_equal(learn_model_value(again, "components"), "2");
    dusk_ledger_free_text(text);
    dusk_ledger_free_text(second);
    dusk_model_free(model);
    dusk_model_free(again);
}

static void changed_bytes_are_seen(void **state)
{
    dusk_model *model = trained("a numeric 0:1\nb numeric 0:1\n"), *again;
    size_t length;
    char *text = text_of(model, &length);
    uint64_t seed = 2;
    (void)state;
    for (size_t i = 0; i < length; i++) {
        char was = text[i];
        text[i] = (char)(was ^ (1 << splitmix64(&seed) % 8));
        assert_int_equal(dusk_model_parse(&again, text, length, NULL), DUSK_ERR_CORRUPT);
        assert_null(again);
        text[i] = was;
    }
    for (size_t i = 0; i < length; i++)
        assert_int_equal(dusk_model_parse(&again, text, i, NULL), DUSK_ERR_CORRUPT);
    dusk_ledger_free_text(text);
    dusk_model_free(model);
}

/* --- bodies with the right hash --- */

static dusk_status parse_body(unsigned format, const char *body, dusk_error *err)
{
    unsigned char hash[32];
    size_t room = strlen(body) + 200;
    char hex[65], first[64], *text = malloc(room);
    crypto_generichash_state s;
    dusk_model *model;
    snprintf(first, sizeof first, "dusk-model %u\n", format);
    crypto_generichash_init(&s, NULL, 0, 32);
    crypto_generichash_update(&s, (unsigned char *)first, strlen(first));
    crypto_generichash_update(&s, (const unsigned char *)body, strlen(body));
    crypto_generichash_final(&s, hash, 32);
    sodium_bin2hex(hex, sizeof hex, hash, 32);
    snprintf(text, room, "dusk-model %u %s\n%s", format, hex, body);
    dusk_status status = dusk_model_parse(&model, text, strlen(text), err);
    assert_true((status == DUSK_OK) == (model != NULL));
    dusk_model_free(model);
    free(text);
    return status;
}

/* `body` with the first `from` made `to`. */
static char *altered(const char *body, const char *from, const char *to)
{
    const char *at = strstr(body, from);
    if (!at) fail_msg("the body has no %s", from);
    size_t room = strlen(body) + strlen(to) + 1;
    char *out = malloc(room);
    snprintf(out, room, "%.*s%s%s", (int)(at - body), body, to, at + strlen(from));
    return out;
}

static void nonsense_is_refused(void **state)
{
    static const char *const changes[][2] = {
        { "\"pca\"", "7" },
        { "\"learner\"", "\"lerner\"" },
        { "\"fields\":\"", "\"fields\":\"x" },
        { "numeric", "nomeric" },
        { "\"label\":null", "\"label\":\"a\"" },
        { "\"components\":\"2\"", "\"components\":\"2.5\"" },
        { "\"components\":\"2\"", "\"components\":\"0\"" },
        { "\"components\":\"2\"", "\"components\":2" },
        { "\"components\":\"2\"", "\"components\":\"2\",\"other\":\"3\"" },
        { "\"components\":\"2\"", "\"components\":\"2\",\"components\":\"2\"" },
        { "\"norm\":", "\"norm\":-" },
        { "\"norm\":", "\"norm\":7" },
        { "\"norm\":", "\"norm\":null,\"n\":" },
        { "\"constant\":false", "\"constant\":true" },
        { "\"constant\":false", "\"constant\":0" },
        { "\"scaling\":{\"a\":[", "\"scaling\":{\"c\":[" },
        { "\"scaling\":{\"a\":[", "\"scaling\":{\"c\":[1,2],\"a\":[" },
        { "\"scaling\":{\"a\":[", "\"scaling\":{\"a\":[1," },
        { "\"scaling\":{\"a\":[0.5", "\"scaling\":{\"a\":[\"inf\"" },
        { "\"features\":{", "\"features\":null,\"f\":{" },
        { "\"rows\":2", "\"rows\":1" },
        { "\"rows\":2", "\"rows\":-2" },
        { "\"rows\":2", "\"rows\":1e300" },
        { "\"columns\":2", "\"columns\":268435457" },
        { "\"values\":[", "\"values\":[1," },
        { "\"values\":[", "\"values\":[true," },
        { "\"rows\":2,\"columns\":2,\"values\":[", "\"rows\":5,\"columns\":1,\"values\":[1," },
        { "\"components\":{", "\"comp onents\":{" },
        { "\"components\":{", "\"part\":{" },
        { "\"components\":{", "\"components_that_have_a_name_that_is_too_long\":{" },
        { "\"event\":\"", "\"event\":\"x" },
        { "\"numerics\":\"exact\"", "\"numerics\":\"exakt\"" },
        { "\"neighbours\":\"add-remove\"", "\"neighbours\":\"add\"" },
        { "\"unit\":\"row\"", "\"unit\":\"r\\now\"" },
        { "\"unit\":\"row\"", "\"unit\":null" },
        { "\"epsilon\":", "\"epsilon\":-" },
        { "\"delta\":1e-06", "\"delta\":2" },
        { "\"accountant\":\"", "\"accountant\":\"a very long name of an accountant" },
        { "\"assumed\":[", "\"assumed\":[7," },
        { "\"assumed\":[", "\"assumed\":[\"\"," },
        { "{", "[" },
        { "{", "{{" },
    };
    dusk_model *model = trained("a numeric 0:1\nb numeric 0:1\n");
    size_t length;
    char *text = text_of(model, &length), *body = strchr(text, '\n') + 1;
    (void)state;
    assert_int_equal(parse_body(1, body, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *other = altered(body, changes[i][0], changes[i][1]);
        dusk_error err = { .message = "" };
        if (parse_body(1, other, &err) != DUSK_ERR_CORRUPT)
            fail_msg("%s for %s is read: %s", changes[i][1], changes[i][0], err.message);
        assert_true(strstr(err.message, "damaged") && *err.hint);
        free(other);
    }
    dusk_error err = { .message = "" };
    assert_int_equal(parse_body(2, body, &err), DUSK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "format 2"));
    char *other = altered(body, "\"pca\"", "\"pca9\"");
    assert_int_equal(parse_body(1, other, &err), DUSK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "pca9"));
    free(other);
    /* a setting that came later has its fallback */
    other = altered(body, "\"components\":\"2\",", "");
    assert_int_equal(parse_body(1, other, &err), DUSK_OK);
    free(other);
    dusk_ledger_free_text(text);
    dusk_model_free(model);
}

/* --- disk --- */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/dusk-model-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int files_in_folder(void)
{
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *inside(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void files(void **state)
{
    dusk_model *model = trained("a numeric 0:1\nb numeric 0:1\n"), *again;
    dusk_model_file *file;
    dusk_error err = { .message = "" };
    struct stat at;
    char link[128], longest[400] = "";
    (void)state;
    assert_int_equal(dusk_model_write(model, inside("m"), NULL), DUSK_OK);
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(dusk_model_read(&again, inside("m"), NULL), DUSK_OK);
    dusk_model_free(again);
    /* a link stays one; what is not put is removed */
    snprintf(link, sizeof link, "%s", inside("link"));
    assert_int_equal(symlink(inside("m"), link), 0);
    assert_int_equal(dusk_model_write(model, link, NULL), DUSK_OK);
    assert_true(lstat(link, &at) == 0 && S_ISLNK(at.st_mode));
    assert_int_equal(dusk_model_file_open(&file, inside("other"), NULL), DUSK_OK);
    assert_true(
        files_in_folder() <=
        3); /* where files may be without a name there are two: nothing is left of one that is killed */
    dusk_model_file_close(file);
    assert_int_equal(files_in_folder(), 2);
    /* once */
    assert_int_equal(dusk_model_file_open(&file, inside("m"), NULL), DUSK_OK);
    assert_int_equal(dusk_model_file_put(file, model, NULL), DUSK_OK);
    assert_int_equal(dusk_model_file_put(file, model, NULL), DUSK_ERR_ARGUMENT);
    dusk_model_file_close(file);
    dusk_model_file_close(NULL);
    /* what cannot be written or read */
    assert_int_equal(dusk_model_file_open(&file, inside("no/m"), &err), DUSK_ERR_IO);
    assert_int_equal(dusk_model_file_open(&file, inside("no/"), &err), DUSK_ERR_IO);
    memset(longest, 'm', sizeof longest - 1);
    memcpy(longest, folder, strlen(folder));
    longest[strlen(folder)] = '/';
    longest[strlen(folder) + 1 + 250] = '\0'; /* a name, but not with an end */
    assert_int_equal(dusk_model_file_open(&file, longest, &err), DUSK_ERR_IO);
    assert_int_equal(dusk_model_file_open(&file, folder, &err), DUSK_ERR_IO);
    assert_int_equal(dusk_model_write(model, "/dev/full", &err), DUSK_ERR_IO);
    assert_int_equal(dusk_model_write(model, "/dev/null", &err), DUSK_OK);
    assert_int_equal(dusk_model_read(&again, inside("no"), &err), DUSK_ERR_IO);
    assert_int_equal(dusk_model_read(&again, folder, &err), DUSK_ERR_IO);
    assert_int_equal(dusk_model_read(&again, "/dev/null", &err), DUSK_ERR_CORRUPT);
    assert_int_equal(files_in_folder(), 2);
    dusk_model_free(model);
}

/* A disk that is full at a given size: found out when the file is opened, or later when the model is large; what was there
 * stays, and nothing else is left. */
static void full_disk(void **state)
{
    dusk_model *model = trained("a numeric 0:1\nb numeric 0:1\n"), *again;
    double *large = calloc(200000, sizeof *large);
    struct rlimit was, small;
    dusk_error err = { .message = "" };
    (void)state;
    assert_int_equal(dusk_model_write(model, inside("m"), NULL), DUSK_OK);
    int before = files_in_folder();
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    for (rlim_t limit = 1 << 10; limit <= 1 << 18; limit *= 4) {
        dusk_model_file *file = NULL;
        small = was;
        small.rlim_cur = limit;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        dusk_status opened = dusk_model_file_open(&file, inside("m"), &err), put = DUSK_ERR_IO;
        if (opened == DUSK_OK) {
            assert_int_equal(learn_model_put(model, "large", 1, 200000, large, NULL), DUSK_OK);
            put = dusk_model_file_put(file, model, &err);
        }
        dusk_model_file_close(file);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
        assert_int_equal(opened, limit < 1 << 18 ? DUSK_ERR_IO : DUSK_OK);
        assert_int_equal(put, DUSK_ERR_IO);
        assert_int_equal(files_in_folder(), before);
        assert_int_equal(dusk_model_read(&again, inside("m"), NULL), DUSK_OK);
        assert_null(dusk_model_array(again, "large", &(size_t){ 0 }, &(size_t){ 0 }));
        dusk_model_free(again);
    }
    free(large);
    dusk_model_free(model);
}

/* A ledger is a database; a model in its place would be all that was spent, forgotten. */
static void databases_stay(void **state)
{
    const char head[16] = "SQLite format 3";
    dusk_model *model = trained("a numeric 0:1\nb numeric 0:1\n");
    dusk_error err = { .message = "" };
    struct stat at;
    (void)state;
    FILE *file = fopen(inside("a.dusk"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head, 1, sizeof head, file), sizeof head);
    assert_int_equal(fclose(file), 0);
    int before = files_in_folder();
    assert_int_equal(dusk_model_write(model, inside("a.dusk"), &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "would be lost"));
    assert_true(stat(inside("a.dusk"), &at) == 0 && at.st_size == sizeof head);
    assert_int_equal(files_in_folder(), before);
    dusk_model_free(model);
}

static void memory_may_fail(void **state)
{
    dusk_model *model = trained("a numeric 0:1\nb category x,y\n"), *again = NULL;
    dusk_error err = { .message = "" };
    int before = files_in_folder();
    bool done = false;
    (void)state;
    for (long n = 1; !done; n++) {
        dusk_memory_fail_at(n);
        done = went_through(dusk_model_write(model, inside("fails"), &err), &err, n, 1000);
        assert_int_equal(files_in_folder(), before + done);
    }
    done = false;
    for (long n = 1; !done; n++) {
        dusk_memory_fail_at(n);
        done = went_through(dusk_model_read(&again, inside("fails"), &err), &err, n, 1000);
        assert_true((again != NULL) == done);
    }
    dusk_model_free(again);
    dusk_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back),          cmocka_unit_test(changed_bytes_are_seen),
        cmocka_unit_test(nonsense_is_refused), cmocka_unit_test(files),
        cmocka_unit_test(full_disk),           cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(databases_stay),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
