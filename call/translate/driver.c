/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose processes run the program, and who measures. */
#include "pragma.h"

#include <string.h>
#include <strings.h>

static const struct driver drivers[] = {
    {.name = "SEQ", .symbol = "portolan_cll_seq", .packages = "portolan-call"},
    {.name = "OMP",
     .symbol = "portolan_cll_seq", /* one process: the run time keeps its threads apart */
     .packages = "portolan-call",
     .ignored = "omp_MAX_NUM_THREADS"},
    {.name = "MPI",
     .symbol = "portolan_cll_mpi",
     .packages = "portolan-call-mpi portolan-call",
     .machine = "MPI_COMMUNICATOR",
     .is_communicator = true},
    {.name = "PUB",
     .symbol = "portolan_cll_pub",
     .packages = "portolan-bsp portolan-call",
     .machine = "BSP_MACHINE",
     .is_pointer = true},
    {.name = "PUB_BSP",
     .symbol = "portolan_cll_pub",
     .packages = "portolan-bsp portolan-call",
     .machine = "BSP_MACHINE",
     .is_pointer = true},
    {.name = "OBSP",
     .refusal = "there is no library of the Oxford BSP toolset here; programs for PUB have "
                "'parallel PUB gbsp'"},
    {.name = "PVM", .refusal = "there is no PVM here; programs over MPI have 'parallel MPI'"},
};
enum { N_DRIVERS = sizeof drivers / sizeof *drivers };

const struct driver *driver_find(const char *name)
{
    for (size_t i = 0; i < N_DRIVERS; i++)
        if (strcmp(drivers[i].name, name) == 0)
            return &drivers[i];
    return NULL;
}

static void refuse_name(struct reader *r, struct words name)
{
    const char *names[N_DRIVERS], *near = NULL;

    for (size_t i = 0; i < N_DRIVERS; i++) {
        names[i] = drivers[i].name;
        if (name.text && strcasecmp(name.text, names[i]) == 0)
            near = names[i];
    }
    if (name.text && !near)
        near = portolan_nearest_word(name.text, names, N_DRIVERS);
    problem_at(r->t, name.at, "%s%s%s; there are SEQ, OMP, MPI and PUB%s%s%s",
               name.text ? "unknown driver '" : "parallel over what", name.text ? name.text : "",
               name.text ? "'" : "?", near ? ", did you mean '" : "", near ? near : "",
               near ? "'?" : "");
    reader_fail(r);
}

/* `NAME = "text"`; false where no such thing stands. */
static bool read_parameter(struct reader *r, const struct driver *driver)
{
    struct reader ahead = *r;
    struct words name = reader_word(&ahead), value;

    reader_blanks(&ahead);
    if (!name.text || *ahead.next != '=' || ahead.next[1] == '=')
        return false;
    ahead.next++;
    reader_blanks(&ahead);
    value = reader_string(&ahead);
    if (!value.text) {
        problem_at(r->t, name.at, "a driver's parameter is written %s = \"value\"", name.text);
        reader_fail(r);
        r->next += strlen(r->next);
        return true;
    }
    *r = ahead;
    if (driver->machine && strcmp(name.text, driver->machine) == 0) {
        r->d->argument = value;
    } else if (!driver->ignored || strcmp(name.text, driver->ignored) != 0) {
        const char *known = driver->machine ? driver->machine : driver->ignored;

        problem_at(r->t, name.at, "driver %s has no parameter '%s'%s%s", driver->name, name.text,
                   known ? ", but " : ": it needs none", known ? known : "");
        reader_fail(r);
    }
    return true;
}

void driver_read_parallel(struct reader *r, struct words word)
{
    struct directive *d = r->d;
    const struct driver *driver;

    (void)word;
    d->kind = DIRECTIVE_PARALLEL;
    d->name = reader_word(r);
    driver = d->name.text ? driver_find(d->name.text) : NULL;
    if (!driver) {
        refuse_name(r, d->name);
        return;
    }
    if (driver->refusal) {
        problem_at(r->t, d->name.at, "%s", driver->refusal);
        reader_fail(r);
        return;
    }
    while (!reader_ends(r) && read_parameter(r, driver))
        ;
    if (reader_ends(r))
        return;
    if (!driver->machine) {
        problem_at(r->t, reader_at(r), "nothing is expected behind driver %s", driver->name);
        reader_fail(r);
        return;
    }
    d->argument = reader_rest(r);
}

/* The text goes into calls as it is. */
static void check_argument(struct translation *t, struct directive *d)
{
    if (d->argument.text && (!*d->argument.text || !text_is_balanced(d->argument.text))) {
        problem_at(t, d->argument.at, "this is no expression of C");
        d->is_bad = true;
    }
}

static void check_sync(struct translation *t, const struct directive *d)
{
    if (d->is_synchronised && strcmp(t->driver->name, "OMP") == 0)
        problem_at(t, d->body,
                   "threads do not meet in a sync of the run time: write #pragma omp barrier "
                   "before the experiment, and no sync");
}

static void check_uses(struct translation *t, const struct directive *d)
{
    static const char *const there[] = {"PAPI", "CLOCK", "UNISTD", "USER", "SYSTEM"};
    static const char *const gone[] = {"NWS", "GANGLIA", "NGMPI", "GANGLIA_MPI"};
    const char *near;

    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        if (strcmp(d->name.text, there[i]) == 0)
            return;
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (strcmp(d->name.text, gone[i]) == 0) {
            problem_at(t, d->name.at,
                       "there is no driver of observables %s: what is observed here is CLOCK, "
                       "USER, SYSTEM and the events of PAPI",
                       d->name.text);
            return;
        }
    near = portolan_nearest_word(d->name.text, there, sizeof there / sizeof *there);
    problem_at(t, d->name.at,
               "unknown driver of observables '%s'; there are CLOCK, USER, SYSTEM and PAPI%s%s%s",
               d->name.text, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

void driver_choose(struct translation *t)
{
    t->driver = &drivers[0];
    for (size_t i = 0; i < t->n_directives; i++) {
        struct directive *d = &t->directives[i];

        check_argument(t, d);
        if (d->kind == DIRECTIVE_USES && !d->is_bad)
            check_uses(t, d);
        if (d->kind != DIRECTIVE_PARALLEL || d->is_bad)
            continue;
        if (t->parallel) {
            problem_at(t, d->start, "there is a parallel pragma in line %d already",
                       line_of(t, t->parallel));
            continue;
        }
        t->parallel = d;
        t->driver = driver_find(d->name.text);
    }
    for (size_t i = 0; i < t->n_directives; i++)
        check_sync(t, &t->directives[i]);
}
