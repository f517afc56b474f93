/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance.Monitor and Performance.PerfParam: records by name, as published. */
#include "mastermind.h"
#include "routine.h"

#include <stdlib.h>
#include <string.h>

/* Most bytes that the rows of all records take; further rows are counted, not kept. */
#define ROWS_BYTES ((size_t)64 << 20)

/* ------------------------------------------------- records; all under the lock */

static struct routine *find_routine(struct mastermind *m, const char *name)
{
    struct routine *r = m->routines;

    while (r && strcmp(r->name, name))
        r = r->next;
    return r;
}

static enum portolan_status find_or_create(struct mastermind *m, const char *name,
                                           struct routine **routine, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    *routine = find_routine(m, name);
    if (!*routine && !(status = routine_create(name, routine, err))) {
        (*routine)->next = m->routines;
        m->routines = *routine;
    }
    return status;
}

static enum portolan_status find_known(struct mastermind *m, const char *name,
                                       struct routine **routine, struct portolan_error *err)
{
    const char **names = NULL, *near = NULL;
    size_t n = 0;

    if ((*routine = find_routine(m, name)))
        return PORTOLAN_OK;
    for (struct routine *r = m->routines; r; r = r->next)
        ++n;
    names = portolan_reallocarray(NULL, n + 1, sizeof *names);
    n = 0;
    for (struct routine *r = m->routines; r && names; r = r->next)
        names[n++] = r->name;
    near = portolan_nearest_word(name, names, n);
    portolan_error_set(err, PORTOLAN_ENOTFOUND, "routine '%s' has no record%s", name,
                       portolan_did_you_mean(near).text);
    free(names);
    return PORTOLAN_ENOTFOUND;
}

static void forget(struct mastermind *m, struct routine *r)
{
    struct routine **at = &m->routines;

    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    routine_empty(r, &m->rows_bytes);
    routine_destroy(r);
}

static enum portolan_status write_record(struct mastermind *m, struct routine *r, const char *file,
                                         struct portolan_error *err)
{
    struct portolan_cohort *cohort = m->recorder.cohort;
    int rank = cohort ? cohort->rank : 0, ranks = cohort ? cohort->size : 1;
    char *path = routine_path(r, file, rank);
    enum portolan_status status;

    status = path ? routine_write(r, path, rank, ranks, err) : portolan_no_memory(err);
    if (status)
        portolan_error_prefix(err, "the record of '%s' stays in memory", r->name);
    free(path);
    return status;
}

void mastermind_write_routines(struct mastermind *m, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0}, first = {0};

    pthread_mutex_lock(&m->lock);
    for (struct routine *r = m->routines; r; r = r->next)
        if (r->file && r->written_to < r->ended && r->n + r->left_out > 0 &&
            write_record(m, r, NULL, &err) && !first.status)
            first = err;
    pthread_mutex_unlock(&m->lock);
    if (first.status)
        portolan_throw(_ex, first.status, "%s", first.text);
}

void mastermind_clear_routines(struct mastermind *m)
{
    while (m->routines)
        forget(m, m->routines);
}

/* ------------------------------------------------- invocations */

static void start_monitoring(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct mastermind *m = self;
    struct portolan_error err = {0};
    enum portolan_status status;
    struct routine *r;
    uint32_t handle = 0;

    mastermind_begin(m, _ex);
    if (*_ex)
        return;
    pthread_mutex_lock(&m->lock);
    status = find_or_create(m, name ? name : "", &r, &err);
    if (!status)
        handle = r->named ? r->named : r->plain;
    pthread_mutex_unlock(&m->lock);
    if (status)
        portolan_throw(_ex, err.status, "%s", err.text);
    else if (portolan_probe_timer_start(handle))
        portolan_throw(_ex, PORTOLAN_ENOMEM, "no memory for a timer of '%s'", name);
}

/* The parameters of one invocation. */
struct parameters {
    unsigned n;
    const char *names[PORTOLAN_PROBE_CONTEXTS];
    double values[PORTOLAN_PROBE_CONTEXTS];
};

/* A null array is an empty one. */
static enum portolan_status read_parameters(struct parameters *p, const char *routine,
                                            struct sidl_string__array *names,
                                            struct sidl_double__array *values,
                                            struct portolan_error *err)
{
    int32_t n = names ? sidlLength(names, 0) : 0, n_values = values ? sidlLength(values, 0) : 0;

    *p = (struct parameters){.n = (unsigned)n};
    if (n != n_values || n > PORTOLAN_PROBE_CONTEXTS || (names && sidlArrayDim(names) != 1) ||
        (values && sidlArrayDim(values) != 1))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' has %d parameter names and %d values; their numbers must "
                                  "be equal, and at most %d",
                                  routine, (int)n, (int)n_values, PORTOLAN_PROBE_CONTEXTS);
    for (int32_t i = 0; i < n; ++i) {
        const char *name = sidlArrayElem1(names, sidlLower(names, 0) + i);

        p->names[i] = name ? name : "";
        p->values[i] = sidlArrayElem1(values, sidlLower(values, 0) + i);
    }
    return PORTOLAN_OK;
}

/* Under the lock. Stops `plain` if the timer was started before its parameters were known. */
static enum portolan_status stop(struct mastermind *m, struct routine *r,
                                 const struct parameters *p, struct portolan_error *err)
{
    struct portolan_probe_activation took;
    bool was_named = r->has_columns;
    enum portolan_status status = routine_check(r, p->names, p->n, err);

    if (status)
        return status;
    if ((!r->named || portolan_probe_timer_stop_reading(r->named, p->values, p->n, &took)) &&
        portolan_probe_timer_stop_reading(r->plain, NULL, 0, &took)) {
        if (!was_named)
            routine_unname(r);
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "cannot stop '%s': this thread did not start it last", r->name);
    }
    if (!routine_add(r, p->values, &took, &m->rows_bytes, ROWS_BYTES)) {
        portolan_log(PORTOLAN_LOG_WARNING, "mastermind",
                     "further rows of '%s' are not kept: the records use all of their %zu MiB; "
                     "destroyRecord, or getPerformanceData with reset, makes room",
                     r->name, ROWS_BYTES >> 20);
        portolan_facts_put(&m->recorder.facts, "rows of a record were left out", r->name);
        m->recorder.facts.failed = false; /* the record says it, too */
    }
    return PORTOLAN_OK;
}

static void stop_monitoring(void *self, const char *name, struct sidl_string__array *names,
                            struct sidl_double__array *values, sidl_BaseInterface *_ex)
{
    struct mastermind *m = self;
    struct portolan_error err = {0};
    enum portolan_status status;
    struct parameters p;
    struct routine *r;

    name = name ? name : "";
    status = read_parameters(&p, name, names, values, &err);
    pthread_mutex_lock(&m->lock);
    if (!status)
        status = find_known(m, name, &r, &err);
    if (!status)
        status = stop(m, r, &p, &err);
    pthread_mutex_unlock(&m->lock);
    if (status)
        portolan_throw(_ex, status, "%s", err.text);
}

/* ------------------------------------------------- files */

static void set_file_name(void *self, const char *name, const char *file, sidl_BaseInterface *_ex)
{
    struct mastermind *m = self;
    struct portolan_error err = {0};
    char *copy = file && *file ? portolan_strdup(file) : NULL;
    enum portolan_status status = PORTOLAN_OK;
    struct routine *r;

    if (file && *file && !copy)
        status = portolan_no_memory(&err);
    pthread_mutex_lock(&m->lock);
    if (!status)
        status = find_or_create(m, name ? name : "", &r, &err);
    if (!status) {
        free(r->file);
        r->file = copy;
        copy = NULL;
    }
    pthread_mutex_unlock(&m->lock);
    free(copy);
    if (status)
        portolan_throw(_ex, status, "%s", err.text);
}

static void write_known(struct mastermind *m, const char *name, const char *file, bool destroy,
                        sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};
    enum portolan_status status;
    struct routine *r;

    pthread_mutex_lock(&m->lock);
    status = find_known(m, name ? name : "", &r, &err);
    if (!status)
        status = write_record(m, r, file, &err);
    if (!status && destroy)
        forget(m, r);
    pthread_mutex_unlock(&m->lock);
    if (status)
        portolan_throw(_ex, status, "%s", err.text);
}

static void dump_data(void *self, const char *name, sidl_BaseInterface *_ex)
{
    write_known(self, name, NULL, false, _ex);
}

static void dump_data_file(void *self, const char *name, const char *file, sidl_BaseInterface *_ex)
{
    write_known(self, name, file, false, _ex);
}

static void destroy_record(void *self, const char *name, sidl_BaseInterface *_ex)
{
    write_known(self, name, NULL, true, _ex);
}

/* ------------------------------------------------- Performance.PerfParam */

/* Under the lock. */
static struct sidl_double__array *table_of(const struct routine *r)
{
    int32_t columns = (int32_t)routine_columns(r);
    struct sidl_double__array *table = sidl_double__array_create2dRow((int32_t)r->n, columns);

    for (int32_t i = 0; table && i < (int32_t)r->n; ++i)
        for (int32_t c = 0; c < columns; ++c)
            sidl_double__array_set2(table, i, c, r->rows[(size_t)i * (size_t)columns + (size_t)c]);
    return table;
}

static int32_t get_performance_data(void *self, const char *name, struct sidl_double__array **data,
                                    sidl_bool reset, sidl_BaseInterface *_ex)
{
    struct mastermind *m = self;
    struct portolan_error err = {0};
    struct routine *r;
    int32_t n = 0;

    *data = NULL;
    pthread_mutex_lock(&m->lock);
    if (!find_known(m, name ? name : "", &r, &err)) {
        *data = table_of(r);
        if (!*data)
            portolan_no_memory(&err);
        n = *data ? (int32_t)r->n : 0;
        if (*data && reset)
            routine_empty(r, &m->rows_bytes);
    }
    pthread_mutex_unlock(&m->lock);
    if (err.status)
        portolan_throw(_ex, err.status, "%s", err.text);
    return n;
}

static int32_t get_names(void *self, struct sidl_string__array **names, sidl_BaseInterface *_ex)
{
    struct mastermind *m = self;
    int32_t n = 0, i;

    pthread_mutex_lock(&m->lock);
    for (struct routine *r = m->routines; r; r = r->next)
        ++n;
    *names = sidl_string__array_create1d(n);
    i = n; /* the newest stands first */
    for (struct routine *r = m->routines; r && *names; r = r->next)
        sidl_string__array_set1(*names, --i, r->name);
    pthread_mutex_unlock(&m->lock);
    if (*names)
        return n;
    sidl_exception_throw_no_memory(_ex);
    return 0;
}

const struct Performance_Monitor__epv mastermind_performance_epv = {
    .f_startMonitoring = start_monitoring,
    .f_stopMonitoring = stop_monitoring,
    .f_setFileName = set_file_name,
    .f_dumpData = dump_data,
    .f_dumpDataFileName = dump_data_file,
    .f_destroyRecord = destroy_record,
};
const struct Performance_PerfParam__epv mastermind_perfparam_epv = {
    .f_getPerformanceData = get_performance_data,
    .f_getCompMethNames = get_names,
};
