/* SPDX-License-Identifier: BSD-3-Clause */
/* The drivers: which processes run the program, and what can be observed in them. */
#include "internal.h"

#include <string.h>
#include <strings.h>

static const struct driver drivers[] = {
    {.name = "SEQ", .symbol = "portolan_cll_seq", .packages = "portolan-call"},
    {.name = "OMP",
     .symbol = "portolan_cll_seq", /* one process; the run time keeps its threads apart */
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
    reader_fail(r, name.at, "%s%s%s; there are SEQ, OMP, MPI and PUB%s",
                name.text ? "unknown driver '" : "parallel over what", name.text ? name.text : "",
                name.text ? "'" : "?", portolan_did_you_mean(near).text);
}

/* Reads `NAME = "text"`; false if it is not there. */
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
        reader_fail(r, name.at, "a driver's parameter is written %s = \"value\"", name.text);
        r->next += strlen(r->next);
        return true;
    }
    *r = ahead;
    if (driver->machine && strcmp(name.text, driver->machine) == 0) {
        r->d->argument = value;
    } else if (!driver->ignored || strcmp(name.text, driver->ignored) != 0) {
        const char *known = driver->machine ? driver->machine : driver->ignored;

        reader_fail(r, name.at, "driver %s has no parameter '%s'%s%s", driver->name, name.text,
                    known ? ", but " : ": it needs none", known ? known : "");
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
        reader_fail(r, d->name.at, "%s", driver->refusal);
        return;
    }
    while (!reader_ends(r) && read_parameter(r, driver))
        ;
    if (reader_ends(r))
        return;
    if (!driver->machine) {
        reader_fail(r, reader_at(r), "nothing is expected behind driver %s", driver->name);
        return;
    }
    d->argument = reader_rest(r);
}

/* The text is copied into calls unchanged. */
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

static bool is_among(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static void check_uses(struct translation *t, const struct directive *d)
{
    static const char *const there[] = {"PAPI", "CLOCK", "UNISTD", "USER", "SYSTEM"};
    static const char *const gone[] = {"NWS", "GANGLIA", "NGMPI", "GANGLIA_MPI"};
    const char *near;

    if (is_among(d->name.text, there, sizeof there / sizeof *there))
        return;
    if (is_among(d->name.text, gone, sizeof gone / sizeof *gone)) {
        problem_at(t, d->name.at,
                   "there is no driver of observables %s: what is observed here is CLOCK, USER, "
                   "SYSTEM and the events of PAPI",
                   d->name.text);
        return;
    }
    near = portolan_nearest_word(d->name.text, there, sizeof there / sizeof *there);
    problem_at(t, d->name.at,
               "unknown driver of observables '%s'; there are CLOCK, USER, SYSTEM and PAPI%s",
               d->name.text, portolan_did_you_mean(near).text);
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

/* ------------------------------------------------------------------ observables */

/*
 * The run time's clocks and PAPI's presets are known here. Native events are known only where the
 * program runs, but start with the name of their component or unit.
 */
static const char *const known_observables[] = {
    "CLOCK", "CPUTIME", "USER", "SYSTEM",
    /* Presets of processors in PAPI 7.0. */
    "PAPI_BRU_IDL", "PAPI_BR_CN", "PAPI_BR_INS", "PAPI_BR_MSP", "PAPI_BR_NTK", "PAPI_BR_PRC",
    "PAPI_BR_TKN", "PAPI_BR_UCN", "PAPI_BTAC_M", "PAPI_CA_CLN", "PAPI_CA_INV", "PAPI_CA_ITV",
    "PAPI_CA_SHR", "PAPI_CA_SNP", "PAPI_CSR_FAL", "PAPI_CSR_SUC", "PAPI_CSR_TOT", "PAPI_DP_OPS",
    "PAPI_FAD_INS", "PAPI_FDV_INS", "PAPI_FMA_INS", "PAPI_FML_INS", "PAPI_FNV_INS", "PAPI_FPU_IDL",
    "PAPI_FP_INS", "PAPI_FP_OPS", "PAPI_FP_STAL", "PAPI_FSQ_INS", "PAPI_FUL_CCY", "PAPI_FUL_ICY",
    "PAPI_FXU_IDL", "PAPI_HW_INT", "PAPI_INT_INS", "PAPI_L1_DCA", "PAPI_L1_DCH", "PAPI_L1_DCM",
    "PAPI_L1_DCR", "PAPI_L1_DCW", "PAPI_L1_ICA", "PAPI_L1_ICH", "PAPI_L1_ICM", "PAPI_L1_ICR",
    "PAPI_L1_ICW", "PAPI_L1_LDM", "PAPI_L1_STM", "PAPI_L1_TCA", "PAPI_L1_TCH", "PAPI_L1_TCM",
    "PAPI_L1_TCR", "PAPI_L1_TCW", "PAPI_L2_DCA", "PAPI_L2_DCH", "PAPI_L2_DCM", "PAPI_L2_DCR",
    "PAPI_L2_DCW", "PAPI_L2_ICA", "PAPI_L2_ICH", "PAPI_L2_ICM", "PAPI_L2_ICR", "PAPI_L2_ICW",
    "PAPI_L2_LDM", "PAPI_L2_STM", "PAPI_L2_TCA", "PAPI_L2_TCH", "PAPI_L2_TCM", "PAPI_L2_TCR",
    "PAPI_L2_TCW", "PAPI_L3_DCA", "PAPI_L3_DCH", "PAPI_L3_DCM", "PAPI_L3_DCR", "PAPI_L3_DCW",
    "PAPI_L3_ICA", "PAPI_L3_ICH", "PAPI_L3_ICM", "PAPI_L3_ICR", "PAPI_L3_ICW", "PAPI_L3_LDM",
    "PAPI_L3_STM", "PAPI_L3_TCA", "PAPI_L3_TCH", "PAPI_L3_TCM", "PAPI_L3_TCR", "PAPI_L3_TCW",
    "PAPI_LD_INS", "PAPI_LST_INS", "PAPI_LSU_IDL", "PAPI_MEM_RCY", "PAPI_MEM_SCY", "PAPI_MEM_WCY",
    "PAPI_PRF_DM", "PAPI_REF_CYC", "PAPI_RES_STL", "PAPI_SP_OPS", "PAPI_SR_INS", "PAPI_STL_CCY",
    "PAPI_STL_ICY", "PAPI_SYC_INS", "PAPI_TLB_DM", "PAPI_TLB_IM", "PAPI_TLB_SD", "PAPI_TLB_TL",
    "PAPI_TOT_CYC", "PAPI_TOT_IIS", "PAPI_TOT_INS", "PAPI_VEC_DP", "PAPI_VEC_INS", "PAPI_VEC_SP"};

static bool begins_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* "perf::PAGE-FAULTS", "INST_RETIRED:ANY_P"; and presets that PAPI adds for a component. */
static bool is_left_to_papi(const char *name)
{
    return (*name != ':' && strchr(name, ':')) || begins_with(name, "PAPI_CUDA_");
}

void observable_check(struct reader *r, struct words w)
{
    static const char *const gone[] = {"NWS", "GANGLIA", "NGMPI"};
    const char *near;

    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (begins_with(w.text, gone[i])) {
            reader_fail(r, w.at,
                        "there is no driver of observable %s here: CLOCK, USER, SYSTEM and the "
                        "events of PAPI can be observed",
                        w.text);
            return;
        }
    if (is_left_to_papi(w.text) ||
        is_among(w.text, known_observables, sizeof known_observables / sizeof *known_observables))
        return;
    near = portolan_nearest_word(w.text, known_observables,
                                 sizeof known_observables / sizeof *known_observables);
    reader_fail(r, w.at,
                "unknown observable '%s'; known are CLOCK, CPUTIME, USER, SYSTEM, PAPI's presets "
                "(PAPI_TOT_CYC) and native events with their component (perf::PAGE-FAULTS)%s",
                w.text, portolan_did_you_mean(near).text);
}
