/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples whose law is known become a machine with that law; noise does not, and is reported. */
#include <unit_test.h>

#include <portolan/clue_calibrate.h>
#include <portolan/stats.h>

#include <math.h>
#include <unistd.h>

enum { EAGER = 8192, ROUNDS = 31 };

/* The true delay of a send: it has a break at 1 KB, and another one at the eager limit. */
static double true_send(double bytes)
{
    return bytes > EAGER ? 100 : 100 + 0.1 * bytes;
}

static double true_receive(double bytes)
{
    return bytes > EAGER ? 50 : 50 + 0.05 * bytes;
}

static double true_half(double bytes)
{
    if (bytes > EAGER)
        return 3000 + 0.3 * bytes;
    return bytes < 1024 ? 300 + 0.2 * bytes : 600 + 0.2 * bytes;
}

static double true_barrier(double bytes)
{
    (void)bytes;
    return 700;
}

static double true_pack(double bytes)
{
    return bytes > 1 << 20 ? 0.1 * bytes : 0.02 * bytes;
}

/* The true time of an allreduce; exchanging as much takes 400 of it. */
static double true_call(double bytes)
{
    return 400 + 10 * bytes;
}

/* Writes samples of a kind. NOISE: deviation of a sample's logarithm; every tenth is disturbed by
 * more. */
static void put_kind(FILE *f, const char *kind, double (*law)(double), double least, double most,
                     double noise, int round)
{
    for (double bytes = least; bytes <= most; bytes = bytes > 0 ? 2 * bytes : 8) {
        uint64_t draw = (uint64_t)round * 64 + (uint64_t)log2(bytes + 1);
        double ns = law(bytes) * exp(noise * portolan_draw_normal(draw, (uint64_t)kind[0]));

        if (noise > 0 && portolan_draw_uniform(draw, 99) < 0.1)
            ns *= 5;
        fprintf(f, "%s %.0f %.17g\n", kind, bytes, ns);
    }
}

static struct clue_samples *made(double noise)
{
    char path[] = "/tmp/clue-samples-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    struct clue_samples *samples = NULL;
    struct portolan_error err = {0};

    fprintf(f, "# hosts a a\n# library MPICH Version: 4.0.2\neager %d 0\n", EAGER);
    for (int i = 0; i < ROUNDS; i++) {
        put_kind(f, "half", true_half, 0, 4 << 20, noise, i);
        put_kind(f, "half", true_half, EAGER + 1, EAGER + 1, noise, i);
        put_kind(f, "send", true_send, 0, EAGER, noise, i);
        put_kind(f, "receive", true_receive, 0, EAGER, noise, i);
        put_kind(f, "call", true_call, 8, 8, noise, i);
        fprintf(f, "exchange 8 400\ncopied 262144 0\n");
        put_kind(f, "pack", true_pack, 4096, 4 << 20, noise, i);
        put_kind(f, "barrier", true_barrier, 0, 0, noise, i);
        fprintf(f, "alone 16384 25\nalone 1048576 30\nalone 16777216 30\n");
        fprintf(f, "together 16384 25\ntogether 1048576 39\ntogether 16777216 60\n");
    }
    fclose(f);
    assert_int_equal(clue_samples_read(path, &samples, &err), PORTOLAN_OK);
    unlink(path);
    return samples;
}

static struct clue_machine_file *machine_of(const struct clue_samples *samples,
                                            struct clue_errors errors, char **text)
{
    const struct clue_calibration c = {
        .within = samples, .name = "here", .n_hosts = 1, .cpus = 2, .factor = 1, .errors = errors};
    struct clue_machine_file *file = NULL;
    struct portolan_error err = {0};

    assert_int_equal(clue_calibration_write(&c, text, &err), PORTOLAN_OK);
    if (clue_machine_read_text(*text, strlen(*text), "here.xml", NULL, &file, &err))
        fail_msg("%s", err.text);
    return file;
}

static void check_ping_pong(const struct clue_machine_file *file, double tolerance)
{
    const struct clue_machine *m = &file->machine;
    const struct clue_pair *pair = &m->pairs[m->pair_of(m, 0, 0)];

    for (double bytes = 0; bytes <= 4 << 20; bytes = bytes > 0 ? 1.5 * bytes : 8) {
        uint64_t size = (uint64_t)bytes;
        double whole = (double)size;
        double half = clue_law_value(&pair->send, size) +
                      clue_law_value(&pair->transmission, size) +
                      clue_law_value(&m->hosts[0].receive, size);

        if (whole > 512 && whole < 1024) /* the break lies between two measured sizes */
            continue;
        if (fabs(half / true_half(whole) - 1) > tolerance)
            fail_msg("%.0f bytes: %.1f instead of %.1f", whole, half, true_half(whole));
    }
}

static void test_exact(void **state)
{
    struct clue_samples *samples = made(0);
    char *text;
    struct clue_machine_file *file = machine_of(samples, (struct clue_errors){0}, &text);
    const struct clue_machine *m = &file->machine;
    const struct clue_pair *pair = &m->pairs[m->pair_of(m, 0, 0)];

    check_ping_pong(file, 0.01);
    assert_int_equal(m->eager_bytes, EAGER);
    assert_float_equal(clue_law_value(&pair->send, 4096), true_send(4096), 1);
    assert_float_equal(clue_law_value(&pair->send, 100000), 100, 1);
    assert_float_equal(clue_law_value(&m->hosts[0].receive, 4096), true_receive(4096), 1);
    assert_float_equal(clue_law_value(&m->shared_barrier, 0), 700, 1);
    assert_float_equal(clue_law_value(&m->collective_call, 0), 80, 1);
    assert_float_equal(clue_law_value(&m->hosts[0].packing, 65536), 0.02 * 65536, 1);
    assert_float_equal(clue_law_value(&m->hosts[0].packing, 4 << 20), 0.1 * (4 << 20), 1);
    assert_true(m->hosts[0].receiver_copies);
    assert_int_equal(m->hosts[0].n_busy, 1); /* the median kernel: 39 / 30 */
    assert_float_equal(m->hosts[0].busy[0].factor, 1.3, 0.001);
    free(text);
    clue_machine_destroy(file);
    clue_samples_destroy(samples);
}

static void test_noise(void **state)
{
    struct clue_samples *samples = made(0.05);
    char *text;
    struct clue_machine_file *file = machine_of(samples, (struct clue_errors){0}, &text);

    check_ping_pong(file, 0.06);
    assert_non_null(strstr(text, "MPICH Version: 4.0.2"));
    assert_non_null(strstr(text, "standard-error"));
    assert_true(file->covariance[CLUE_SEND][CLUE_SEND] > 0);
    free(text);
    clue_machine_destroy(file);
    /* The errors of the check include it. */
    file = machine_of(
        samples, (struct clue_errors){.computing = 0.05, .communication = 0.1, .n = 40}, &text);
    assert_true(file->covariance[CLUE_SEND][CLUE_SEND] == 0);
    assert_float_equal(file->covariance[CLUE_COMMUNICATION][CLUE_COMMUNICATION], 0.01, 1e-9);
    assert_float_equal(file->covariance[CLUE_FACTOR][CLUE_FACTOR], 0.0025, 1e-9);
    free(text);
    clue_machine_destroy(file);
    clue_samples_destroy(samples);
}

static void test_bad_line(void **state)
{
    char path[] = "/tmp/clue-samples-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    struct clue_samples *samples;
    struct portolan_error err = {0};

    fprintf(f, "half 8 100\nhalf 8\n");
    fclose(f);
    assert_int_equal(clue_samples_read(path, &samples, &err), PORTOLAN_ESYNTAX);
    assert_non_null(strstr(err.text, ":2: error:"));
    unlink(path);
}

/* Reads LINES as samples. */
static struct clue_samples *read_lines(const char *lines)
{
    char path[] = "/tmp/clue-samples-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    struct clue_samples *samples = NULL;

    fputs(lines, f);
    fclose(f);
    assert_int_equal(clue_samples_read(path, &samples, NULL), PORTOLAN_OK);
    unlink(path);
    return samples;
}

/* Half of the patterns compute and are 10 % off. Half of the time of the others is communication,
 * which is 30 % off: with the 10 % of the other half this is a factor of exp(sqrt(0.15^2 +
 * 0.05^2)). */
static void test_check(void **state)
{
    struct clue_samples *virtual = read_lines("computing 8 1000\nring 8 1000\n");
    struct clue_samples *idle = read_lines("computing 8 0\nring 8 500\n");
    struct clue_samples *real = read_lines("computing 8 1105.17\nring 8 1171.29\n");
    const struct clue_samples *all[] = {real, real};
    struct clue_errors errors;

    assert_true(clue_check_errors(&(struct clue_check){all, 2, virtual, idle}, &errors));
    assert_int_equal(errors.n, 4);
    /* programs deviate by 4 % in addition */
    assert_true(fabs(errors.computing - hypot(0.1 / 1.645, 0.04)) < 1e-4);
    /* the part of computing is subtracted by its deviation, 0.1 / 1.645 */
    assert_true(fabs(errors.communication -
                     hypot(2 * sqrt(0.15 * 0.15 + 0.05 * 0.05 - pow(0.05 / 1.645, 2)) / 1.645,
                           0.04)) < 1e-4);
    clue_samples_destroy(virtual);
    clue_samples_destroy(idle);
    clue_samples_destroy(real);
}

/* Combines runs of a program that is started again: the median of each kind and size. */
static void test_combine(void **state)
{
    static const char *const launches[] = {"half 0 400\nhalf 8 410\neager 1024 0\n",
                                           "half 0 350\nhalf 8 430\neager 1024 0\n",
                                           "half 0 430\nhalf 16 1\neager 2048 0\n"};
    struct clue_samples *all[3];
    size_t n;

    for (int i = 0; i < 3; i++) {
        char path[] = "/tmp/clue-samples-XXXXXX";
        FILE *f = fdopen(mkstemp(path), "w");

        fputs(launches[i], f);
        fclose(f);
        assert_int_equal(clue_samples_read(path, &all[i], NULL), PORTOLAN_OK);
        unlink(path);
    }
    clue_samples_combine(all, 3);
    assert_float_equal(clue_samples_of(all[0], "half", &n)[0].value, 400, 1e-9);
    assert_int_equal(n, 2);
    assert_float_equal(clue_samples_of(all[0], "half", &n)[1].value, 420, 1e-9);
    for (int i = 0; i < 3; i++)
        clue_samples_destroy(all[i]);
}

UNIT_TESTS(cmocka_unit_test(test_exact), cmocka_unit_test(test_noise),
           cmocka_unit_test(test_bad_line), cmocka_unit_test(test_check),
           cmocka_unit_test(test_combine))
