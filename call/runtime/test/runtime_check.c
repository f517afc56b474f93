/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime_check.h"

#include <fcntl.h>
#include <portolan/probe.h>
#include <unistd.h>

/* For sanitizers: PAPI keeps names that it listed for an event that is unknown. */
PORTOLAN_API const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libpapi\n";
}

static const char *const identifiers[] = {"N", "P"};
static const unsigned fft_begin[] = {5}, fft_end[] = {7};
static const unsigned c_begin[] = {16, 30}, c_end[] = {19, 33};
static const unsigned inner_begin[] = {9}, inner_end[] = {13};
static const char *const all[] = {"USER",    "CLOCK",        "SYSTEM", "perf::PAGE-FAULTS",
                                  "CPUTIME", "NO_SUCH_EVENT"};

struct portolan_cll_experiment fft = {
    .name = "fft",
    .file = "fft.c",
    .formula = "fft[0]+fft[1]*N*log(N/P)",
    .n_constants = 2,
    .n_identifiers = 2,
    .identifiers = identifiers,
    .n_regions = 1,
    .begin_lines = fft_begin,
    .end_lines = fft_end,
};
struct portolan_cll_experiment inner = {.name = "inner",
                                        .file = "fft.c",
                                        .n_regions = 1,
                                        .begin_lines = inner_begin,
                                        .end_lines = inner_end};
struct portolan_cll_experiment two_places = {.name = "C",
                                             .file = "fft.c",
                                             .n_identifiers = 1,
                                             .identifiers = identifiers,
                                             .n_regions = 2,
                                             .begin_lines = c_begin,
                                             .end_lines = c_end};
struct portolan_cll_experiment several = {.name = "several",
                                          .file = "fft.c",
                                          .n_observables = 6,
                                          .observables = all,
                                          .n_regions = 1,
                                          .begin_lines = fft_begin,
                                          .end_lines = fft_end};
static struct portolan_cll_experiment never = {.name = "never",
                                               .file = "fft.c",
                                               .n_regions = 1,
                                               .begin_lines = fft_begin,
                                               .end_lines = fft_end};

static struct portolan_cll_experiment *const list[] = {&fft, &inner, &two_places, &several, &never};

static char folder[] = "/tmp/portolan-call-XXXXXX";
char output[100], store[100];
static char errors[100];

void pass(uint64_t ns)
{
    assert_int_equal(portolan_probe_clock_advance(ns), PORTOLAN_OK);
}

struct portolan_cll_report *read_output(void)
{
    struct portolan_cll_report *report;
    struct portolan_error err = {0};

    if (portolan_cll_report_read(output, NULL, &report, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
    unlink(output);
    return report;
}

struct portolan_cll_report *take_report(const char *name)
{
    assert_int_equal(portolan_cll_report(&portolan_cll_seq, NULL, "fft", name), 0);
    return read_output();
}

const struct portolan_cll_sample *find(const struct portolan_cll_report *report, const char *name)
{
    for (size_t i = 0; i < report->n_experiments; i++)
        if (!strcmp(report->experiments[i].name, name))
            return &report->experiments[i];
    return NULL;
}

const double *row(const struct portolan_cll_report *report, const char *name, size_t i)
{
    const struct portolan_cll_sample *s = find(report, name);

    assert_non_null(s);
    assert_true(i < s->n_rows);
    return s->rows + i * portolan_cll_sample_columns(s);
}

size_t count_rows(const struct portolan_cll_report *report, const char *name)
{
    const struct portolan_cll_sample *s = find(report, name);

    return s ? s->n_rows : SIZE_MAX;
}

static int own_stderr = -1;

void listen_to_stderr(void)
{
    int fd = open(errors, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    own_stderr = dup(2);
    dup2(fd, 2);
    close(fd);
}

const char *heard(void)
{
    static char text[4000];
    FILE *f;
    size_t n;

    dup2(own_stderr, 2);
    close(own_stderr);
    f = fopen(errors, "re");
    assert_non_null(f);
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    unlink(errors);
    return text;
}

int set_up(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(output, sizeof output, "%s/out", folder);
    snprintf(store, sizeof store, "%s/store.db", folder);
    snprintf(errors, sizeof errors, "%s/errors", folder);
    unsetenv("CLL_FORMAT");
    unsetenv("CLL_STORE");
    unsetenv("CLL_FLUSH");
    unsetenv("CLL_MEMORY");
    setenv("CLL_OUTPUT", output, 1);
    portolan_cll_register(list, 5);
    portolan_cll_register(list, 5); /* once more changes nothing */
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL) == PORTOLAN_OK ? 0 : -1;
}

int tear_down(void **state)
{
    return rmdir(folder);
}
