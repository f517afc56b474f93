/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of this job. MPI is loaded, and begun, with the first run: who only reads does without.
 * What it needs is looked up, since a module that linked it would load MPICH at once. */
#include "module.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include <portolan/mpi.h>

static struct {
    void *library;
    struct portolan_cohort *cohort;
    __typeof__(portolan_mpi_init) *init;
    __typeof__(portolan_mpi_finalize) *finalize;
    __typeof__(portolan_mpi_cohort_create) *create;
    __typeof__(portolan_mpi_cohort_destroy) *destroy;
    __typeof__(portolan_mpi_serve) *serve;
    __typeof__(portolan_mpi_verdict) *verdict;
    __typeof__(portolan_mpi_abort) *abort;
} mpi;

/* How long a rank that failed waits for the others before it ends the job. */
static const double patience_s = 2;

static int find_foreign(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *const ours = !strcmp(PORTOLAN_MPI, "mpich") ? "/libmpich.so" : "/libmpi.so";
    const char *const other = !strcmp(PORTOLAN_MPI, "mpich") ? "/libmpi.so" : "/libmpich.so";

    if (strstr(info->dlpi_name, other) && !strstr(info->dlpi_name, ours))
        *(const char **)found = info->dlpi_name;
    return 0;
}

static bool load(struct portolan_error *err)
{
    static const struct {
        const char *name;
        void **function;
    } symbols[] = {
        {"portolan_mpi_init", (void **)&mpi.init},
        {"portolan_mpi_finalize", (void **)&mpi.finalize},
        {"portolan_mpi_cohort_create", (void **)&mpi.create},
        {"portolan_mpi_cohort_destroy", (void **)&mpi.destroy},
        {"portolan_mpi_serve", (void **)&mpi.serve},
        {"portolan_mpi_verdict", (void **)&mpi.verdict},
        {"portolan_mpi_abort", (void **)&mpi.abort},
    };
    const char *foreign = NULL;

    dl_iterate_phdr(find_foreign, &foreign);
    if (foreign) {
        portolan_error_set(
            err, PORTOLAN_EFOREIGN,
            "this process has loaded another MPI, %s, and Portolan is built for " PORTOLAN_MPI
            "; run without what loads it (Debian's mpi4py does)",
            foreign);
        return false;
    }
    /* For all: plug-ins call MPI_* of this library, which comes before MPI's own. */
    if (!mpi.library)
        mpi.library = dlopen(PORTOLAN_MPI_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    for (size_t i = 0; mpi.library && i < sizeof symbols / sizeof *symbols; i++)
        if (!(*symbols[i].function = dlsym(mpi.library, symbols[i].name)))
            mpi.library = NULL;
    if (!mpi.library)
        portolan_error_set(err, PORTOLAN_EFOREIGN, "%s", dlerror());
    return mpi.library;
}

struct portolan_cohort *ranks_begin(void)
{
    struct portolan_error err = {0};

    if (!mpi.cohort && load(&err) && !mpi.init(&err) && mpi.create(&mpi.cohort, &err))
        mpi.cohort = NULL;
    if (!mpi.cohort)
        module_raise(&err);
    return mpi.cohort;
}

enum portolan_status ranks_serve(struct portolan_framework *fw, struct portolan_error *err)
{
    return mpi.serve(fw, err);
}

enum portolan_status ranks_settle(enum portolan_status status, struct portolan_error *err)
{
    if (!mpi.verdict(mpi.cohort, &status, patience_s, err))
        mpi.abort(1);
    return status;
}

void ranks_end(void)
{
    if (!mpi.cohort)
        return;
    if (mpi.cohort != portolan_cohort_alone())
        mpi.destroy(mpi.cohort);
    mpi.cohort = NULL;
    mpi.finalize();
}
