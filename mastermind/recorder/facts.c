/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about a trial, as names with values: the machine, the environment that steers what runs on
 * it, the ranks. */
#include "recorder_internal.h"

#include <portolan/list.h>
#include <portolan/mastermind.h>

#include <gnu/libc-version.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

void portolan_facts_clear(struct portolan_facts *f)
{
    for (size_t i = 0; i < f->n; ++i) {
        free((char *)f->pairs[i].name);
        free((char *)f->pairs[i].value);
    }
    free(f->pairs);
    *f = (struct portolan_facts){0};
}

static bool replace_fact(struct portolan_facts *f, const char *name, char *value)
{
    for (size_t i = 0; i < f->n; ++i) {
        if (!strcmp(f->pairs[i].name, name)) {
            free((char *)f->pairs[i].value);
            f->pairs[i].value = value;
            return true;
        }
    }
    return false;
}

void portolan_facts_put(struct portolan_facts *f, const char *name, const char *value)
{
    char *n, *v = portolan_strdup(value ? value : "");

    if (v && replace_fact(f, name, v))
        return;
    n = portolan_strdup(name);
    if (!n || !v || !portolan_reserve(&f->pairs, &f->capacity, f->n + 1, sizeof *f->pairs)) {
        free(n);
        free(v);
        f->failed = true;
        return;
    }
    f->pairs[f->n++] = (struct portolan_name_value){n, v};
}

void facts_printf(struct portolan_facts *f, const char *name, const char *format, ...)
{
    char line[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    portolan_facts_put(f, name, line);
}

/* "password=secret": where the secret is, and how long. */
static const char *find_word(const char *text, size_t *length)
{
    const char *at = strstr(text, "password=");

    if (!at)
        return NULL;
    at += strlen("password=");
    *length = *at == '\'' ? strcspn(at + 1, "'") + 2 : strcspn(at, " \t\n&\"<");
    return at;
}

/* "postgresql://user:secret@host/x": the same. */
static const char *find_user(const char *text, size_t *length)
{
    while ((text = strstr(text, "://"))) {
        const char *end, *at, *colon;

        text += strlen("://");
        end = text + strcspn(text, "/?# \t\n\"<");
        at = memchr(text, '@', (size_t)(end - text));
        colon = at ? memchr(text, ':', (size_t)(at - text)) : NULL;
        if (colon) {
            *length = (size_t)(at - colon) - 1;
            return colon + 1;
        }
    }
    return NULL;
}

static const char *find_secret(const char *text, size_t *length)
{
    size_t user_length = 0;
    const char *word = find_word(text, length), *user = find_user(text, &user_length);

    if (word && (!user || word < user))
        return word;
    *length = user_length;
    return user;
}

char *facts_without_secrets(const char *text)
{
    char *copy = portolan_strdup(text), *from = copy;
    const char *secret;
    size_t length;

    while (copy && (secret = find_secret(from, &length))) {
        char *to = copy + (secret - copy);

        memset(to, '*', length);
        from = to + length;
    }
    return copy;
}

/* ------------------------------------------------------------------ the machine */

static void put_processor(struct portolan_facts *f)
{
    char name[256];
    cpu_set_t allowed;

    portolan_machine_processor(name, sizeof name);
    if (name[0])
        portolan_facts_put(f, "processor", name);
    facts_printf(f, "processors online", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    if (!sched_getaffinity(0, sizeof allowed, &allowed))
        facts_printf(f, "processors allowed", "%d", CPU_COUNT(&allowed));
}

static bool put_set(void *arg, const struct portolan_probe_counter_set *set)
{
    struct portolan_facts *f = arg;
    struct portolan_text text = {0};
    char *name = portolan_asprintf("%scounter set%s%s", set->multiplexed ? "multiplexed " : "",
                                   *set->name ? " " : "", set->name);

    for (size_t i = 0; i < set->n; ++i)
        portolan_text_add(&text, "%s%s", i ? ", " : "", set->counters[i]);
    if (set->multiplexed)
        portolan_text_add(&text, " (estimates)");
    if (set->user_mode_only)
        portolan_text_add(&text, " (of the program alone, not of the kernel)");
    f->failed = f->failed || !name || text.failed;
    if (name && text.bytes)
        portolan_facts_put(f, name, text.bytes);
    portolan_text_clear(&text);
    free(name);
    return true;
}

static bool steers(const char *variable)
{
    static const char *const beginnings[] = {"OMP_",
                                             "GOMP_",
                                             "KMP_",
                                             "OPENBLAS_",
                                             "BLIS_",
                                             "MKL_",
                                             "GOTO_",
                                             "MPICH_",
                                             "MPIR_CVAR_",
                                             "HYDRA_",
                                             "OMPI_MCA_",
                                             "UCX_",
                                             "FI_",
                                             "PAPI_",
                                             "MALLOC_",
                                             "GLIBC_TUNABLES",
                                             "LD_",
                                             "FLEXIBLAS",
                                             "PORTOLAN_",
                                             "SLURM_JOB_ID",
                                             "SLURM_JOB_NODELIST",
                                             "SLURM_NTASKS",
                                             "SLURM_CPUS_PER_TASK",
                                             "PBS_JOBID",
                                             "LSB_JOBID",
                                             "OAR_JOB_ID"};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i)
        if (!strncmp(variable, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

static void put_variable(struct portolan_facts *f, const char *variable)
{
    const char *equals = strchr(variable, '=');
    char *value = equals ? facts_without_secrets(equals + 1) : NULL;
    char *name =
        value ? portolan_asprintf("environment %.*s", (int)(equals - variable), variable) : NULL;

    if (name)
        portolan_facts_put(f, name, value);
    else if (equals)
        f->failed = true;
    free(name);
    free(value);
}

void portolan_facts_put_machine(struct portolan_facts *f)
{
    double pages = (double)sysconf(_SC_PHYS_PAGES), page = (double)sysconf(_SC_PAGESIZE);
    struct utsname u;

    if (!uname(&u)) {
        portolan_facts_put(f, "host", u.nodename);
        facts_printf(f, "kernel", "%s %s %s", u.sysname, u.release, u.machine);
    }
    if (getenv("PORTOLAN_VIRTUAL_MACHINE")) {
        portolan_facts_put(f, "host", getenv("PORTOLAN_VIRTUAL_MACHINE"));
        portolan_facts_put(f, PORTOLAN_STORE_VIRTUAL, getenv("PORTOLAN_VIRTUAL_MACHINE"));
    }
    put_processor(f);
    facts_printf(f, "memory", "%.0f MiB", pages * page / (1 << 20));
    facts_printf(f, "C library", "glibc %s", gnu_get_libc_version());
    portolan_facts_put(f, "portolan", portolan_version());
#ifdef __clang__
    portolan_facts_put(f, "compiler", __VERSION__);
#else
    portolan_facts_put(f, "compiler", "gcc " __VERSION__);
#endif
    portolan_facts_put(f, "compiler flags", MASTERMIND_FLAGS);
    portolan_facts_put(f, "counters", portolan_probe_counters_describe());
    portolan_probe_counter_sets_visit(put_set, f);
    for (char **variable = environ; variable && *variable; ++variable)
        if (steers(*variable))
            put_variable(f, *variable);
}

/* ------------------------------------------------------------------ the ranks */

enum { HOST_BYTES = 64 };

/* NAMES has RANKS names; equal ones that follow each other become "host 0-3". */
static void put_hosts(struct portolan_facts *f, const char *names, int ranks)
{
    struct portolan_text text = {0};

    for (int first = 0, last; first < ranks; first = last + 1) {
        const char *name = names + (size_t)first * HOST_BYTES;

        for (last = first; last + 1 < ranks; ++last)
            if (strcmp(name, names + (size_t)(last + 1) * HOST_BYTES))
                break;
        portolan_text_add(&text, "%s%s %d", first ? ", " : "", name, first);
        if (last > first)
            portolan_text_add(&text, "-%d", last);
    }
    f->failed = f->failed || text.failed;
    if (text.bytes)
        portolan_facts_put(f, "ranks of hosts", text.bytes);
    portolan_text_clear(&text);
}

static enum portolan_status gather_hosts(struct portolan_recorder *r)
{
    char host[HOST_BYTES] = "";
    void *all = NULL;
    enum portolan_status status;

    gethostname(host, sizeof host - 1);
    status = r->cohort->gather(r->cohort, host, sizeof host, &all, NULL);
    if (!status && r->cohort->rank == 0)
        put_hosts(&r->facts, all, r->cohort->size);
    free(all);
    return status;
}

/* *COST becomes that of the slowest rank (of several, the lowest). */
static enum portolan_status find_slowest(struct portolan_cohort *c,
                                         struct portolan_probe_cost *cost)
{
    int slowest;
    enum portolan_status status = gather_find_most(c, cost->mean_ns, &slowest);

    return status ? status : c->bcast(c, cost, sizeof *cost, slowest);
}

static void put_cost(struct portolan_facts *f, const struct portolan_probe_cost *cost)
{
    facts_printf(f, "cost.call_ns", "%.6g", cost->mean_ns);
    facts_printf(f, "cost.spread_ns", "%.6g", cost->spread_ns);
    facts_printf(f, "cost.inside_ns", "%.6g", cost->inside_ns);
    facts_printf(f, "cost.rows_ns", "%.6g", cost->rows_ns);
    facts_printf(f, "cost.forward_ns", "%.6g", cost->forward_ns);
    if (cost->counters_ns > 0)
        facts_printf(f, "cost.counters_ns", "%.6g", cost->counters_ns);
}

enum portolan_status facts_put_ranks(struct portolan_recorder *r, struct portolan_error *err)
{
    struct portolan_probe_cost cost = {0};
    enum portolan_status status = gather_hosts(r);

    if (r->cohort->medium)
        portolan_facts_put(&r->facts, "MPI", r->cohort->medium);
    if (r->cohort->waits)
        portolan_facts_put(&r->facts, "MPI waits", r->cohort->waits);
    if (!status && r->source->cost) {
        cost = r->source->cost(r->source->self);
        status = find_slowest(r->cohort, &cost);
        if (!status && r->cohort->rank == 0 && cost.mean_ns > 0) /* else it could not be measured */
            put_cost(&r->facts, &cost);
        r->state->call_cost_ns = status ? 0 : cost.mean_ns;
    }
    if (status)
        portolan_error_set(err, status, "the ranks' metadata did not arrive");
    return status;
}

static void put_verdict(struct portolan_facts *f, const struct portolan_machine_verdict *v)
{
    double mhz = portolan_machine_frequency_mhz();

    facts_printf(f, "others busy %", "%.3g", v->others_percent);
    facts_printf(f, "steal %", "%.3g", v->steal_percent);
    facts_printf(f, "run delay %", "%.3g", v->delay_percent);
    if (mhz > 0)
        facts_printf(f, "processor MHz", "%.0f", mhz);
    /* A clock that is moved by hand, or virtual time, cannot be disturbed. */
    if (v->is_disturbed && portolan_probe_clock_get() != PORTOLAN_PROBE_CLOCK_MANUAL &&
        !getenv("PORTOLAN_VIRTUAL_MACHINE"))
        portolan_facts_put(f, PORTOLAN_STORE_DISTURBED, v->reason);
}

void facts_put_load(struct portolan_recorder *r, const struct portolan_machine_reading *opened)
{
    struct portolan_machine_reading mine = *opened, now;
    struct portolan_machine_verdict verdict;
    enum portolan_status status;
    void *all = NULL;

    portolan_machine_read(&now);
    portolan_machine_subtract(&mine, &now);
    status = r->cohort->gather(r->cohort, &mine, sizeof mine, &all, NULL);
    if (!status && r->cohort->rank == 0) {
        portolan_machine_judge(all, (size_t)r->cohort->size, &verdict);
        put_verdict(&r->facts, &verdict);
    }
    r->facts.failed = r->facts.failed || status;
    free(all);
}

void facts_put_times(struct portolan_recorder *r)
{
    const struct recorder_state *s = r->state;
    double paused_ns = portolan_probe_paused_ns() - s->paused_ns;
    struct portolan_machine_reading now;

    if (r->cohort->rank != 0 || r->source != &slice_own_source)
        return;
    portolan_machine_read(&now);
    facts_printf(&r->facts, PORTOLAN_FACT_WALL, "%.0f",
                 r->source->now_ns(r->source->self) - r->opened_ns);
    facts_printf(&r->facts, PORTOLAN_FACT_PROCESSOR, "%.0f", now.own_ns - s->opened.own_ns);
    facts_printf(&r->facts, PORTOLAN_FACT_CALLS, "%.0f", s->calls_ns);
    facts_printf(&r->facts, PORTOLAN_FACT_MEASURING, "%.0f",
                 portolan_probe_clock_get() == PORTOLAN_PROBE_CLOCK_MANUAL
                     ? 0
                     : s->timed_calls * s->call_cost_ns);
    facts_printf(&r->facts, PORTOLAN_FACT_WAITING, "%.0f", s->pace.waited_ns);
    facts_printf(&r->facts, PORTOLAN_FACT_STORING, "%.0f",
                 fmax(0, paused_ns - r->deciding_ns - s->pace.waited_ns));
}
