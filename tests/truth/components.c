/* SPDX-License-Identifier: BSD-3-Clause */
/* truth.Driver and truth.Work: calls that nest, recur, start threads and wait for other ranks. */
#include "books.h"
#include "truth.h"

#include <portolan/framework.h>

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { LEAF_ROUNDS = 20000, THREADS_MAX = 4 };

struct work {
    struct sidl_object object;
    gov_cca_Services services;
    int instance; /* 0: a, 1: b */
    truth_Work next;
};

/* A chain of dependent additions: the compiler can't shorten it, the processor not overlap it. */
static void burn(int rounds)
{
    double x = 1;

    for (int i = 0; i < rounds; i++) {
        x = x + 1e-9;
        __asm__ volatile("" : "+x"(x));
    }
}

static truth_Work fetch(gov_cca_Services services, const char *uses, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPort(services, uses, _ex);
    truth_Work work = NULL;

    SIDL_CHECK(*_ex);
    work = truth_Work__cast(port, _ex);
    gov_cca_Port_deleteRef(port, _ex);
EXIT:
    return work;
}

/* Fetched at the first call, when ports are connected. */
static truth_Work next_of(struct work *w, sidl_BaseInterface *_ex)
{
    if (!w->next)
        w->next = fetch(w->services, "next", _ex);
    return w->next;
}

/* Calls METHOD of WORK, which is INSTANCE, and enters it in the books. */
static void call(truth_Work work, int instance, enum method method, int argument)
{
    static void (*const methods[METHODS])(truth_Work, int32_t, sidl_BaseInterface *) = {
        [LEAF] = truth_Work_leaf,       [NEST] = truth_Work_nest, [RECURSE] = truth_Work_recurse,
        [THREADS] = truth_Work_threads, [WAIT] = truth_Work_wait,
    };
    sidl_BaseInterface ex = NULL;
    struct call c;

    call_begin(&c, instance, method);
    methods[method](work, argument, &ex);
    call_end(&c);
}

static void leaf(void *self, int32_t rounds, sidl_BaseInterface *_ex)
{
    struct work *w = self;
    struct body b;

    *_ex = NULL;
    body_begin(&b, w->instance, LEAF);
    burn(rounds);
    body_end(&b);
}

static void nest(void *self, int32_t depth, sidl_BaseInterface *_ex)
{
    struct work *w = self;
    struct body b;

    *_ex = NULL;
    body_begin(&b, w->instance, NEST);
    burn(LEAF_ROUNDS / 2);
    if (next_of(w, _ex) && depth > 0) {
        for (int i = 0; i < 3; i++)
            call(w->next, !w->instance, LEAF, LEAF_ROUNDS);
        call(w->next, !w->instance, NEST, depth - 1);
    }
    body_end(&b);
}

static void recurse(void *self, int32_t depth, sidl_BaseInterface *_ex)
{
    struct work *w = self;
    struct body b;

    *_ex = NULL;
    body_begin(&b, w->instance, RECURSE);
    burn(LEAF_ROUNDS / 4);
    if (next_of(w, _ex) && depth > 0)
        for (int i = 0; i < 2; i++)
            call(w->next, !w->instance, RECURSE, depth - 1);
    body_end(&b);
}

static void *run_thread(void *arg)
{
    struct work *w = arg;

    for (int i = 0; i < 5; i++)
        call(w->next, !w->instance, LEAF, LEAF_ROUNDS);
    return NULL;
}

static void threads(void *self, int32_t n, sidl_BaseInterface *_ex)
{
    struct work *w = self;
    pthread_t thread[THREADS_MAX];
    int started = 0;
    struct body b;

    *_ex = NULL;
    body_begin(&b, w->instance, THREADS);
    if (next_of(w, _ex))
        while (started < n && started < THREADS_MAX &&
               pthread_create(&thread[started], NULL, run_thread, w) == 0)
            started++;
    while (started > 0)
        pthread_join(thread[--started], NULL);
    body_end(&b);
}

/* The message tells when it was sent; the ranks are on one machine, and so is its clock. */
static void wait_for_first(void *self, int32_t rounds, sidl_BaseInterface *_ex)
{
    struct work *w = self;
    double begin_s, sent_s = 0, end_s;
    int rank, size;
    struct body b;

    *_ex = NULL;
    body_begin(&b, w->instance, WAIT);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        burn(rounds);
    begin_s = books_now_s();
    for (int to = 1; rank == 0 && to < size; to++) {
        sent_s = books_now_s();
        MPI_Send(&sent_s, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
    }
    if (rank > 0)
        MPI_Recv(&sent_s, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    end_s = books_now_s();
    books_add_mpi(w->instance, WAIT, rank > 0 && sent_s > begin_s ? sent_s - begin_s : 0,
                  end_s - begin_s);
    body_end(&b);
}

static void work_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct work *w = self;
    gov_cca_ComponentID id = NULL;
    char *name = NULL;

    w->services = services;
    gov_cca_Services_registerUsesPort(services, "next", "truth.Work", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "work",
                                     "truth.Work", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerForRelease(services,
                                        sidl_object_facet(self, "gov.cca.ComponentRelease"), _ex);
    SIDL_CHECK(*_ex);
    id = gov_cca_Services_getComponentID(services, _ex);
    SIDL_CHECK(*_ex);
    name = gov_cca_ComponentID_getInstanceName(id, _ex);
    SIDL_CHECK(*_ex);
    w->instance = name[0] == 'b';
EXIT:
    sidl_String_free(name);
    if (id)
        gov_cca_ComponentID_deleteRef(id, NULL);
}

static void work_release(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct work *w = self;

    if (!w->next)
        return;
    truth_Work_deleteRef(w->next, _ex);
    gov_cca_Services_releasePort(services, "next", _ex);
    w->next = NULL;
}

static const struct truth_Work__epv truth_epv = {.f_leaf = leaf,
                                                 .f_nest = nest,
                                                 .f_recurse = recurse,
                                                 .f_threads = threads,
                                                 .f_wait = wait_for_first};
static const struct gov_cca_Component__epv work_component_epv = {.f_setServices =
                                                                     work_set_services};
static const struct gov_cca_ComponentRelease__epv work_release_epv = {.f_releaseServices =
                                                                          work_release};
static const struct sidl_implements work_implements[] = {
    {&gov_cca_Component__type, &work_component_epv},
    {&gov_cca_ComponentRelease__type, &work_release_epv},
    {&truth_Work__type, &truth_epv}};
static const struct sidl_class work_class = {.name = "truth.Work",
                                             .version = "1.0",
                                             .size = sizeof(struct work),
                                             .implements = work_implements,
                                             .n_implements = 3};

static gov_cca_Component create_work(sidl_BaseInterface *_ex)
{
    struct work *w = sidl_object_create(&work_class, _ex);

    return w ? sidl_object_facet(w, "gov.cca.Component") : NULL;
}

PORTOLAN_COMPONENT(truth_Work, "truth.Work", create_work);

/* ---------------------------------------------------------------- driver */

struct driver {
    struct sidl_object object;
    gov_cca_Services services;
};

static void exercise(truth_Work work)
{
    for (int i = 0; i < 5; i++) {
        call(work, 0, NEST, 4);
        call(work, 0, RECURSE, 5);
        call(work, 0, THREADS, 2);
        call(work, 0, WAIT, 20 * LEAF_ROUNDS);
    }
    for (int i = 0; i < 200; i++)
        call(work, 0, LEAF, LEAF_ROUNDS);
}

static int32_t driver_go(void *self, sidl_BaseInterface *_ex)
{
    struct driver *d = self;
    gov_cca_TypeMap map = NULL;
    truth_Work work = fetch(d->services, "work", _ex);
    char *books = NULL, *file = NULL;
    int rank, result = 1;

    SIDL_CHECK(*_ex);
    exercise(work);
    map = portolan_component_properties(d->services, _ex);
    SIDL_CHECK(*_ex);
    books = gov_cca_TypeMap_getString(map, "books", "", _ex);
    SIDL_CHECK(*_ex);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    file = portolan_asprintf("%s.%d", books, rank);
    result = !file || !books_write(file);
EXIT:
    free(file);
    sidl_String_free(books);
    if (map)
        gov_cca_TypeMap_deleteRef(map, NULL);
    if (work) {
        truth_Work_deleteRef(work, NULL);
        gov_cca_Services_releasePort(d->services, "work", _ex);
    }
    return result;
}

static void driver_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct driver *d = self;

    d->services = services;
    gov_cca_Services_registerUsesPort(services, "work", "truth.Work", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
EXIT:;
}

static const struct gov_cca_Component__epv driver_epv = {.f_setServices = driver_set_services};
static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = driver_go};
static const struct sidl_implements driver_implements[] = {{&gov_cca_Component__type, &driver_epv},
                                                           {&gov_cca_ports_GoPort__type, &go_epv}};
static const struct sidl_class driver_class = {.name = "truth.Driver",
                                               .version = "1.0",
                                               .size = sizeof(struct driver),
                                               .implements = driver_implements,
                                               .n_implements = 2};

static gov_cca_Component create_driver(sidl_BaseInterface *_ex)
{
    struct driver *d = sidl_object_create(&driver_class, _ex);

    return d ? sidl_object_facet(d, "gov.cca.Component") : NULL;
}

PORTOLAN_COMPONENT(truth_Driver, "truth.Driver", create_driver);
