/* SPDX-License-Identifier: BSD-3-Clause */
#include "routine.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const times[ROUTINE_TIMES] = {"elapsed_us", "mpi_us", "compute_us"};

/* ------------------------------------------------- coming and going */

/* "Component::method signature": what stands before "::" is the instance. */
static enum portolan_status register_timer(const char *routine, const char *const *names,
                                           unsigned n, uint32_t *handle, struct portolan_error *err)
{
    const char *colons = strstr(routine, "::");
    char *instance = portolan_strdup(colons ? routine : "");
    struct portolan_probe_connection connection = {0};
    struct portolan_probe_method method = {
        .name = colons ? colons + 2 : routine, .n_context = n, .kind = PORTOLAN_PROBE_TIMER};
    enum portolan_status status;

    if (!instance)
        return portolan_no_memory(err);
    instance[colons ? colons - routine : 0] = '\0';
    connection.provider = instance;
    for (unsigned i = 0; i < n; ++i)
        method.context[i] = names[i];
    method.real_contexts = (1U << n) - 1; /* one record with means, not one per value */
    status = portolan_probe_methods_register(&connection, &method, 1, handle, err);
    free(instance);
    return status;
}

enum portolan_status routine_create(const char *name, struct routine **routine,
                                    struct portolan_error *err)
{
    struct routine *r;

    if (!*name)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a routine needs a name");
    r = portolan_calloc(1, sizeof *r);
    if (!r || !(r->name = portolan_strdup(name)))
        portolan_no_memory(err);
    else if (!register_timer(name, NULL, 0, &r->plain, err)) {
        *routine = r;
        return PORTOLAN_OK;
    }
    routine_destroy(r);
    return err->status;
}

void routine_destroy(struct routine *r)
{
    if (!r)
        return;
    routine_unname(r);
    free(r->rows);
    free(r->file);
    free(r->name);
    free(r);
}

/* ------------------------------------------------- columns */

unsigned routine_columns(const struct routine *r)
{
    return r->n_parameters + ROUTINE_TIMES + r->n_counters;
}

static bool add_column(struct routine *r, unsigned *n, const char *name)
{
    r->columns[*n] = portolan_strdup(name);
    return r->columns[(*n)++] != NULL;
}

static enum portolan_status name_columns(struct routine *r, const char *const *names, unsigned n,
                                         struct portolan_error *err)
{
    uint32_t named = 0;
    unsigned column = 0;
    bool good = true;

    if (n && register_timer(r->name, names, n, &named, err))
        return err->status;
    r->n_parameters = n;
    r->n_counters = (unsigned)portolan_probe_counter_slots();
    for (unsigned i = 0; i < n; ++i)
        good = add_column(r, &column, names[i]) && good;
    for (unsigned i = 0; i < ROUTINE_TIMES; ++i)
        good = add_column(r, &column, times[i]) && good;
    for (unsigned i = 0; i < r->n_counters; ++i)
        good = add_column(r, &column, portolan_probe_counter_slot_peek_name(i)) && good;
    if (good) {
        r->named = named;
        r->has_columns = true;
        return PORTOLAN_OK;
    }
    routine_unname(r);
    return portolan_no_memory(err);
}

void routine_unname(struct routine *r)
{
    for (unsigned i = 0; i < ROUTINE_COLUMNS; ++i) {
        free(r->columns[i]);
        r->columns[i] = NULL;
    }
    r->n_parameters = r->n_counters = 0;
    r->named = 0;
    r->has_columns = false;
}

enum portolan_status routine_check(struct routine *r, const char *const *names, unsigned n,
                                   struct portolan_error *err)
{
    bool same = n == r->n_parameters;

    if (!r->has_columns)
        return name_columns(r, names, n, err);
    for (unsigned i = 0; i < n && same; ++i)
        same = !strcmp(names[i], r->columns[i]);
    return same
               ? PORTOLAN_OK
               : portolan_error_set(err, PORTOLAN_EINVAL,
                                    "the record of '%s' has other parameters: %u, the first "
                                    "called '%s'",
                                    r->name, r->n_parameters, r->n_parameters ? r->columns[0] : "");
}

/* ------------------------------------------------- rows */

static bool reserve(struct routine *r, size_t *bytes, size_t limit)
{
    size_t size = routine_columns(r) * sizeof *r->rows;
    size_t more = r->capacity ? r->capacity : 64;
    double *rows;

    if (r->n < r->capacity)
        return true;
    while (more > 0 && *bytes + more * size > limit)
        more /= 2;
    rows = more ? portolan_reallocarray(r->rows, r->capacity + more, size) : NULL;
    if (!rows)
        return false;
    r->rows = rows;
    r->capacity += more;
    *bytes += more * size;
    return true;
}

/* NaN for a counter that is not being counted. */
static double counter(const char *name, const struct portolan_probe_activation *took)
{
    const char *other;

    for (size_t i = 0; (other = portolan_probe_counter_peek_name(i)); ++i)
        if (!strcmp(other, name))
            return (double)took->counters[i];
    return NAN;
}

bool routine_add(struct routine *r, const double *values,
                 const struct portolan_probe_activation *took, size_t *bytes, size_t limit)
{
    double *row;

    r->ended++;
    if (!reserve(r, bytes, limit))
        return r->left_out++ > 0;
    row = r->rows + r->n++ * routine_columns(r);
    for (unsigned i = 0; i < r->n_parameters; ++i)
        *row++ = values[i];
    *row++ = took->inclusive_ns / 1e3;
    *row++ = took->mpi_ns / 1e3;
    *row++ = (took->inclusive_ns - took->mpi_ns) / 1e3;
    for (unsigned i = 0; i < r->n_counters; ++i)
        *row++ = counter(r->columns[r->n_parameters + ROUTINE_TIMES + i], took);
    return true;
}

void routine_empty(struct routine *r, size_t *bytes)
{
    *bytes -= r->capacity * routine_columns(r) * sizeof *r->rows;
    free(r->rows);
    r->rows = NULL;
    r->n = r->capacity = 0;
    r->left_out = 0;
}

/* ------------------------------------------------- the file */

char *routine_path(const struct routine *r, const char *file, int rank)
{
    char *base, *path;
    uint32_t hash = 2166136261U; /* distinguishes names that differ only in replaced characters */

    if (!file || !*file)
        file = r->file;
    if (file)
        return portolan_asprintf("%s.%d", file, rank);
    base = portolan_strdup(r->name);
    for (char *c = base; c && *c; ++c) {
        hash = (hash ^ (unsigned char)*c) * 16777619U;
        if (!isalnum((unsigned char)*c) && !strchr("-_", *c))
            *c = '_';
    }
    if (base && strcmp(base, r->name))
        path = portolan_asprintf("%s-%08" PRIx32 ".%d", base, hash, rank);
    else
        path = base ? portolan_asprintf("%s.%d", base, rank) : NULL;
    free(base);
    return path;
}

/* A name as one field: tabs separate fields. */
static void add_field(struct portolan_text *t, const char *before, const char *name)
{
    portolan_text_add(t, "%s", before);
    for (const char *c = name; *c; ++c)
        portolan_text_add_bytes(t, (unsigned char)*c < ' ' ? " " : c, 1);
}

static void add_head(struct portolan_text *t, const struct routine *r, int rank, int ranks)
{
    portolan_text_add(t, "# Portolan record 1\n");
    add_field(t, "# routine ", r->name);
    portolan_text_add(t, "\n# rank %d of %d\n# rows %zu, left out %" PRIu64 "\n# columns", rank,
                      ranks, r->n, r->left_out);
    for (unsigned i = 0; r->has_columns && i < routine_columns(r); ++i)
        add_field(t, "\t", r->columns[i]);
    portolan_text_add(t, "\n");
}

enum portolan_status routine_write(struct routine *r, const char *path, int rank, int ranks,
                                   struct portolan_error *err)
{
    unsigned columns = routine_columns(r);
    struct portolan_text t = {0};
    enum portolan_status status;

    add_head(&t, r, rank, ranks);
    for (size_t i = 0; i < r->n; ++i)
        for (unsigned c = 0; c < columns; ++c)
            portolan_text_add(&t, "%.17g%s", r->rows[i * columns + c],
                              c + 1 < columns ? "\t" : "\n");
    status =
        t.failed ? portolan_no_memory(err) : portolan_replace_file(path, t.bytes, t.length, err);
    if (status == PORTOLAN_OK)
        r->written_to = r->ended;
    portolan_text_clear(&t);
    return status;
}
