/* SPDX-License-Identifier: BSD-3-Clause */
/* How MPI begins and ends. */
#include "note.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Set when Portolan initialised MPI: then it is also Portolan that ends it. */
static bool owned;

bool mpi_is_concurrent;

const char *mpi_error_text(int code, char text[MPI_MAX_ERROR_STRING])
{
    int length = 0;

    if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS)
        snprintf(text, MPI_MAX_ERROR_STRING, "MPI error %d", code);
    return text;
}

/* To be called when MPI has just begun. */
static enum portolan_status begin(struct portolan_error *err)
{
    int provided = MPI_THREAD_SINGLE;
    enum portolan_status status;

    PMPI_Query_thread(&provided);
    mpi_is_concurrent = provided == MPI_THREAD_MULTIPLE;
    mpi_peers_begin();
    status = mpi_yield_decide(err);
    if (mpi_is_observable)
        mpi_peers_number();
    return status;
}

/* After MPI began by ROUTINE, as far as the observer is concerned: the call that began it. */
static void observe_start(enum mpi_routine routine, uint64_t began, uint64_t ticks)
{
    struct mpi_call call = {.routine = routine, .began = began, .ticks = ticks};

    if (!mpi_is_observable)
        return;
    mpi_report(&call, &(struct portolan_mpi_event){
                          .kind = PORTOLAN_MPI_STARTED,
                          .comm = mpi_comm_of(MPI_COMM_WORLD),
                          .peer = mpi_world_rank(MPI_COMM_SELF, 0),
                          .tag = (mpi_shares_cores ? PORTOLAN_MPI_SHARES_CORES : 0) |
                                 (mpi_is_concurrent ? PORTOLAN_MPI_HAS_THREADS : 0),
                      });
    mpi_observe_begin(&call, began);
    mpi_end_call(&call);
}

/*
 * Likewise after the program itself began MPI by ROUTINE, with RESULT. Errors are logged, since
 * there is no caller to return them to.
 */
static int begin_unasked(enum mpi_routine routine, uint64_t began, int result)
{
    uint64_t ticks;
    struct portolan_error err = {0};

    if (result == MPI_SUCCESS && begin(&err) != PORTOLAN_OK)
        portolan_log(PORTOLAN_LOG_WARNING, "mpi", "%s; %s", err.text,
                     portolan_mpi_describe_waits());
    else if (result == MPI_SUCCESS && mpi_yields && mpi_world_rank(MPI_COMM_SELF, 0) == 0)
        portolan_log(PORTOLAN_LOG_NOTICE, "mpi", "%s", portolan_mpi_describe_waits());
    ticks = portolan_probe_mpi_leave();
    mpi_add(routine, -1, false, 1, ticks, 0);
    if (result == MPI_SUCCESS)
        observe_start(routine, began, ticks);
    return result;
}

static int end(void)
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Finalize};

    mpi_begin_call(&call);
    mpi_gather_ranks(MPI_COMM_WORLD);
    call.result = MPI_NEXT(Finalize, int (*)(void), ());
    call.ticks = portolan_probe_mpi_leave();
    mpi_note(&call);
    mpi_end_call(&call);
    if (mpi_is_observable)
        mpi_report(&call, &(struct portolan_mpi_event){.kind = PORTOLAN_MPI_ENDED});
    mpi_is_observable = false;
    return call.result;
}

enum portolan_status portolan_mpi_init(struct portolan_error *err)
{
    enum portolan_status status = portolan_mpi_check_launcher(err);
    int result, provided, ended = 0;
    uint64_t began, ticks;
    char text[MPI_MAX_ERROR_STRING];

    if (status != PORTOLAN_OK)
        return status;
    if (portolan_mpi_is_running())
        return PORTOLAN_OK;
    PMPI_Finalized(&ended);
    if (ended)
        return portolan_error_set(err, PORTOLAN_EINVAL, "MPI has ended and cannot start again");
    began = portolan_probe_mpi_enter();
    result = PMPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    if (result == MPI_SUCCESS)
        status = begin(err);
    ticks = portolan_probe_mpi_leave();
    mpi_add(MPI_ROUTINE_Init_thread, -1, false, 1, ticks, 0);
    if (result == MPI_SUCCESS && status == PORTOLAN_OK)
        observe_start(MPI_ROUTINE_Init_thread, began, ticks);
    if (result != MPI_SUCCESS)
        return portolan_error_set(err, PORTOLAN_EIO, "MPI does not start: %s",
                                  mpi_error_text(result, text));
    if (status != PORTOLAN_OK)
        PMPI_Finalize();
    owned = status == PORTOLAN_OK;
    return status;
}

void portolan_mpi_finalize(void)
{
    if (owned && portolan_mpi_is_running())
        end();
    owned = false;
}

void portolan_mpi_abort(int status)
{
    if (portolan_mpi_is_running())
        PMPI_Abort(MPI_COMM_WORLD, status);
    _exit(status);
}

const char *portolan_mpi_describe(void)
{
    static char text[128];
    char library[MPI_MAX_LIBRARY_VERSION_STRING], *end;
    int version = 0, subversion = 0, length = 0;

    PMPI_Get_version(&version, &subversion);
    PMPI_Get_library_version(library, &length);
    end = strchr(library, '\n');
    if (end)
        *end = '\0';
    for (end = library; *end; end++)
        if (*end == '\t')
            *end = ' ';
    snprintf(text, sizeof text, "MPI %d.%d, %.80s", version, subversion, library);
    return text;
}

/* Components written as whole programs begin and end MPI themselves, but it is running already. */
PORTOLAN_API int MPI_Init(int *argc, char ***argv)
{
    uint64_t began;

    if (owned && portolan_mpi_is_running())
        return MPI_SUCCESS;
    mpi_find_next();
    began = portolan_probe_mpi_enter();
    return begin_unasked(MPI_ROUTINE_Init, began,
                         MPI_NEXT(Init, int (*)(int *, char ***), (argc, argv)));
}

PORTOLAN_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    uint64_t began;

    if (owned && portolan_mpi_is_running())
        return PMPI_Query_thread(provided);
    mpi_find_next();
    began = portolan_probe_mpi_enter();
    return begin_unasked(MPI_ROUTINE_Init_thread, began,
                         MPI_NEXT(Init_thread, int (*)(int *, char ***, int, int *),
                                  (argc, argv, required, provided)));
}

PORTOLAN_API int MPI_Finalize(void)
{
    return owned ? MPI_SUCCESS : end();
}
