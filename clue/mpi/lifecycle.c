/* SPDX-License-Identifier: BSD-3-Clause */
/* The begin and the end of MPI, clocks, and MPI's information about itself. */
#include "internal.h"

int do_Init_thread(struct mpi_task *t, int *argc, char ***argv, int required, int *provided);

/* ---------------------------------------------------------------- Fortran's constants */

PORTOLAN_API MPI_Fint *MPI_F_STATUS_IGNORE, *MPI_F_STATUSES_IGNORE;
PORTOLAN_API MPI_F08_status MPIR_F08_MPI_STATUS_IGNORE_OBJ, MPIR_F08_MPI_STATUSES_IGNORE_OBJ[1];
PORTOLAN_API MPI_F08_status *MPI_F08_STATUS_IGNORE = &MPIR_F08_MPI_STATUS_IGNORE_OBJ;
PORTOLAN_API MPI_F08_status *MPI_F08_STATUSES_IGNORE = MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
PORTOLAN_API int MPIR_F08_MPI_IN_PLACE, MPIR_F08_MPI_BOTTOM;
static int unweighted, no_weights;
PORTOLAN_API int *const MPI_UNWEIGHTED = &unweighted, *const MPI_WEIGHTS_EMPTY = &no_weights;
/* Set by MPI_Init. libmpichfort defines them as well, and uses its own if it is loaded first. */
PORTOLAN_API int *MPIR_C_MPI_UNWEIGHTED, *MPIR_C_MPI_WEIGHTS_EMPTY;
/* Exported because MPICH exports it; the tools interface is not supported. */
PORTOLAN_API struct MPIR_T_pvar_handle_s *const MPI_T_PVAR_ALL_HANDLES = NULL;

/* ---------------------------------------------------------------- the observer */

void mpi_notify(struct mpi_task *t, struct portolan_mpi_event *event)
{
    event->name = t->routine->name;
    event->routine = t->routine->number;
    event->ticks = (uint64_t)clue_now();
    clue_observer()->tell(event);
}

/* Notifies the observer even while it is off. */
static void notify_always(struct mpi_task *t, struct portolan_mpi_event event)
{
    if (clue_observer())
        mpi_notify(t, &event);
}

void mpi_notify_collective(struct mpi_task *t, const struct mpi_comm *c, uint64_t bytes, int root,
                           const MPI_Request *request)
{
    struct mpi_request *r = request ? mpi_item(t, MPI_KIND_REQUEST, *request) : NULL;
    int peer = root == MPI_ROOT ? t->rank
               : root < 0       ? PORTOLAN_MPI_NONE
                                : mpi_partners(c)->members[root];
    struct portolan_mpi_event event = {.kind = PORTOLAN_MPI_COLLECTIVE,
                                       .comm = &c->seen,
                                       .bytes = bytes,
                                       .peer = peer,
                                       .request = r ? r->number : 0};

    mpi_notify(t, &event);
}

/* ---------------------------------------------------------------- begin and end */

/* Returns the world ranks of MPI_COMM_WORLD, which all ranks share. */
static struct mpi_group *world_group(int n)
{
    static struct mpi_group *world;
    int *members;

    if (!world) {
        members = mpi_alloc((size_t)n, sizeof *members);
        for (int i = 0; i < n; i++)
            members[i] = i;
        world = mpi_group_new(n, members);
    }
    return mpi_group_retain(world);
}

static void make_built_in(struct mpi_task *t)
{
    struct mpi_group *world = world_group(t->n);
    struct mpi_group *self = mpi_group_new(1, mpi_copy_of(&t->rank, 1, sizeof t->rank));

    t->world = mpi_comm_new(t, MPI_CHANNELS, world, NULL);
    t->world->handle = MPI_COMM_WORLD;
    mpi_set_name(&t->world->object, "MPI_COMM_WORLD");
    t->self = mpi_comm_new(t, mpi_context_of(2, (uint64_t)t->rank), self, NULL);
    t->self->handle = MPI_COMM_SELF;
    t->self->seen.number = 1;
    mpi_set_name(&t->self->object, "MPI_COMM_SELF");
    t->n_comms = 2;
    mpi_group_release(world);
    mpi_group_release(self);
}

int do_Init_thread(struct mpi_task *t, int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    if (t->has_begun)
        clue_fail("called a second time");
    t->rank = clue_self();
    t->n = clue_n_tasks();
    t->has_begun = true;
    t->thread_level = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
    *provided = t->thread_level;
    MPIR_C_MPI_UNWEIGHTED = MPI_UNWEIGHTED;
    MPIR_C_MPI_WEIGHTS_EMPTY = MPI_WEIGHTS_EMPTY;
    mpi_types_begin(t);
    make_built_in(t);
    mpi_errhandler_set(t, &t->file, MPI_ERRORS_RETURN);
    notify_always(t, (struct portolan_mpi_event){
                         .kind = PORTOLAN_MPI_STARTED, .comm = &t->world->seen, .peer = t->rank});
    return MPI_SUCCESS;
}

/* Reports requests that are left: the program's MPI_Wait is missing. */
static void look_for_requests(struct mpi_task *t)
{
    const struct mpi_table *table = &t->tables[MPI_KIND_REQUEST];
    unsigned n = 0;

    for (uint32_t i = 0; i < table->n; i++) {
        const struct mpi_request *r =
            mpi_item(t, MPI_KIND_REQUEST, (int)(2U << 30 | MPI_KIND_REQUEST << 26 | i));

        if (r && r->is_active && !r->is_free && r->kind != MPI_REQUEST_GENERALIZED)
            n++;
    }
    if (n)
        clue_mistake("%u request%s never completed", n, n > 1 ? "s were" : " was");
}

int do_Finalize(struct mpi_task *t)
{
    int code = mpi_attributes_delete(MPI_COMM_SELF, &t->self->object);

    if (code == MPI_SUCCESS) /* MPICH does this, too */
        code = mpi_attributes_delete(MPI_COMM_WORLD, &t->world->object);
    look_for_requests(t);
    mpi_buffered_bytes(t, true);
    mpi_meet(t, t->world);
    notify_always(t, (struct portolan_mpi_event){.kind = PORTOLAN_MPI_ENDED});
    t->has_ended = true;
    return code;
}

int do_Pcontrol(struct mpi_task *t, const int level, ...)
{
    notify_always(t, (struct portolan_mpi_event){.kind = PORTOLAN_MPI_MARK, .tag = level});
    return MPI_SUCCESS;
}
