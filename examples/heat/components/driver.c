/* SPDX-License-Identifier: BSD-3-Clause */
/* heat.Driver: runs the simulation with the parts that it is connected to. */
#include <portolan/framework.h>

#include <math.h>
#include <stdlib.h>

#include "gov_cca_ports.h"
#include "heat.h"
#include "heat_simulation.h"
#include "portolan_ports.h"

struct driver {
    struct sidl_object object;
    gov_cca_Services services;
};

/* One go(). The ports are held to its end. */
struct run {
    gov_cca_Services services;
    struct heat_input input;
    int report; /* every so many steps; 0 = only the end */
    struct heat_simulation *simulation;
    heat_Assembler assembler;
    heat_LinearSolver solver;
    portolan_ports_SwapPoint swap; /* NULL = not connected */
};

/* -- the subdomain solve through the ports --------------------------------------------------- */

/* The exception in EX as a status, with the place in front of its text. */
static enum portolan_status caught(sidl_BaseInterface *ex, const char *place,
                                   struct portolan_error *err)
{
    enum portolan_status status = portolan_catch(ex, err);

    portolan_error_prefix(err, "%s", place);
    return status;
}

static enum portolan_status run_prepare(void *arg, const struct heat_box *box, int n,
                                        struct portolan_error *err)
{
    struct run *run = arg;
    sidl_BaseInterface ex = NULL, ignored;
    heat_Matrix matrix =
        heat_Assembler_assemble(run->assembler, box->conductivity, (int32_t)heat_box_nodes(box),
                                box->dimension, box->nx, box->ny, box->nz, box->scale, n, &ex);

    if (ex)
        return caught(&ex, "assembler.assemble", err);
    heat_LinearSolver_setup(run->solver, matrix, n, &ex);
    heat_Matrix_deleteRef(matrix, &ignored);
    return ex ? caught(&ex, "solver.setup", err) : PORTOLAN_OK;
}

static enum portolan_status run_solve(void *arg, double *b, double *x, int n, double *residual,
                                      struct portolan_error *err)
{
    struct run *run = arg;
    sidl_BaseInterface ex = NULL;

    *residual = heat_LinearSolver_solve(run->solver, b, x, n, &ex);
    return ex ? caught(&ex, "solver.solve", err) : PORTOLAN_OK;
}

/* -- parameters ------------------------------------------------------------------------------ */

/* The input file's path; a relative one starts at the folder of the assembly. Caller frees. */
static char *input_path(gov_cca_TypeMap properties, sidl_BaseInterface *_ex)
{
    char *input = NULL, *folder = NULL, *path = NULL;

    input = gov_cca_TypeMap_getString(properties, "input", "", _ex);
    SIDL_CHECK(*_ex);
    folder = gov_cca_TypeMap_getString(properties, "portolan.assemblyDir", ".", _ex);
    SIDL_CHECK(*_ex);
    if (!input || !*input)
        portolan_throw(_ex, PORTOLAN_EBADPROPERTIES,
                       "the parameter \"input\" is missing: wanted the path of an input file");
    else if (!(path = *input == '/' ? portolan_strdup(input)
                                    : portolan_asprintf("%s/%s", folder, input)))
        portolan_throw(_ex, PORTOLAN_ENOMEM, "no memory for a path");
EXIT:
    sidl_String_free(input);
    sidl_String_free(folder);
    return path;
}

static void tell_problem(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    (void)column;
    portolan_log(PORTOLAN_LOG_WARNING, "heat", "%s:%d: %s", file, line, text);
}

/* Rank 0 reads the file, so that one mistake in it is told once; the others get what it read. */
static enum portolan_status read_input(gov_cca_TypeMap properties, struct heat_input *input,
                                       struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = tell_problem};
    enum portolan_status status = PORTOLAN_OK;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        sidl_BaseInterface ex = NULL;
        char *path = input_path(properties, &ex);

        status = ex ? portolan_catch(&ex, err) : heat_input_read(path, input, &d, err);
        free(path);
    }
    status = heat_agree(MPI_COMM_WORLD, status, err);
    if (!status)
        MPI_Bcast(input, sizeof *input, MPI_BYTE, 0, MPI_COMM_WORLD);
    return status;
}

/* What the parameters say beside the input file. */
static enum portolan_status override_input(gov_cca_TypeMap properties, struct run *run,
                                           struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    int n = 0, steps = 0;

    n = gov_cca_TypeMap_getInt(properties, "n", 0, &ex);
    SIDL_CHECK(ex);
    steps = gov_cca_TypeMap_getInt(properties, "steps", 0, &ex);
    SIDL_CHECK(ex);
    run->report = gov_cca_TypeMap_getInt(properties, "report", 1, &ex);
    SIDL_CHECK(ex);
    if (n < 0 || n > 100000 || steps < 0)
        return portolan_error_set(
            err, PORTOLAN_EBADPROPERTIES,
            "n = %d, steps = %d: wanted 0 (as in the input file) or more, and "
            "at most 100000 for n",
            n, steps);
    if (n)
        run->input.grid = n;
    if (steps)
        run->input.steps = steps;
EXIT:
    return portolan_catch(&ex, err);
}

static enum portolan_status configure(struct run *run, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL, ignored;
    gov_cca_TypeMap properties = portolan_component_properties(run->services, &ex);
    enum portolan_status status = heat_agree(MPI_COMM_WORLD, portolan_catch(&ex, err), err);

    if (!status)
        status = read_input(properties, &run->input, err);
    if (!status)
        status = heat_agree(MPI_COMM_WORLD, override_input(properties, run, err), err);
    gov_cca_TypeMap_deleteRef(properties, &ignored);
    return status;
}

/* -- ports ----------------------------------------------------------------------------------- */

/* The port as TYPE, a reference of the caller's; NULL and no exception when an OPTIONAL one is
 * free. */
static void *get_port(gov_cca_Services services, const char *name, const char *type, bool optional,
                      sidl_BaseInterface *_ex)
{
    sidl_BaseInterface ignored = NULL;
    gov_cca_Port port = optional ? gov_cca_Services_getPortNonblocking(services, name, _ex)
                                 : gov_cca_Services_getPort(services, name, _ex);
    void *cast;

    if (*_ex || !port) {
        if (optional)
            SIDL_CLEAR(*_ex);
        return NULL;
    }
    cast = sidl_reference_cast(port, type, _ex);
    gov_cca_Port_deleteRef(port, &ignored);
    if (!cast && !*_ex) {
        gov_cca_Services_releasePort(services, name, &ignored);
        SIDL_CLEAR(ignored);
        portolan_throw(_ex, PORTOLAN_EBADPORTTYPE, "what is connected to \"%s\" is no %s", name,
                       type);
    }
    return cast;
}

static void release_port(gov_cca_Services services, const char *name, void *port)
{
    sidl_BaseInterface ignored = NULL;

    if (!port)
        return;
    sidl_reference_delete(port, &ignored);
    gov_cca_Services_releasePort(services, name, &ignored);
    SIDL_CLEAR(ignored);
}

static enum portolan_status get_ports(struct run *run, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    run->assembler = get_port(run->services, "assembler", "heat.Assembler", false, &ex);
    if (!ex)
        run->solver = get_port(run->services, "solver", "heat.LinearSolver", false, &ex);
    if (!ex)
        run->swap = get_port(run->services, "swap", "portolan.ports.SwapPoint", true, &ex);
    return heat_agree(MPI_COMM_WORLD, portolan_catch(&ex, err), err);
}

static void run_end(struct run *run)
{
    heat_simulation_destroy(run->simulation);
    release_port(run->services, "assembler", run->assembler);
    release_port(run->services, "solver", run->solver);
    release_port(run->services, "swap", run->swap);
}

/* -- time steps ------------------------------------------------------------------------------ */

/* Collective. STEPS time steps are done. */
static enum portolan_status reached(struct run *run, int steps, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = PORTOLAN_OK;

    if (!run->swap)
        return PORTOLAN_OK;
    portolan_ports_SwapPoint_reached(run->swap, steps, &ex);
    if (ex)
        status = caught(&ex, "swap.reached", err);
    return heat_agree(MPI_COMM_WORLD, status, err);
}

/* Collective. Before the first step: how many unknowns the largest domain has. */
static enum portolan_status announce(struct run *run, struct portolan_error *err)
{
    int mine = (int)heat_simulation_peek_grid(run->simulation)->extended, largest = 0;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = PORTOLAN_OK;

    MPI_Allreduce(&mine, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (run->swap)
        portolan_ports_SwapPoint_announce(run->swap, "n", largest, &ex);
    if (ex)
        status = caught(&ex, "swap.announce", err);
    return heat_agree(MPI_COMM_WORLD, status, err);
}

/* Collective. Whether the step that failed for the reason in ERR is worth repeating. */
static bool worth_repeating(struct run *run, int step, const struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    int mine = 0, all = 0;

    if (run->swap)
        mine = portolan_ports_SwapPoint_failed(run->swap, step, err->text, &ex) && !ex;
    SIDL_CLEAR(ex); /* what made the step fail is the better cause */
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

static enum portolan_status do_step(struct run *run, int number, struct heat_step *step,
                                    struct portolan_error *err)
{
    struct heat_subdomain subdomain = {.arg = run, .prepare = run_prepare, .solve = run_solve};

    for (;;) {
        enum portolan_status status = heat_simulation_step(run->simulation, &subdomain, step, err);

        if (!status)
            return PORTOLAN_OK;
        portolan_error_prefix(err, "step %d", number);
        /* A SwapPoint counts from 0: the step being done began with reached(number - 1). */
        if (!worth_repeating(run, number - 1, err))
            return status;
        *err = (struct portolan_error){0};
    }
}

static void report_step(const struct run *run, const struct heat_step *step)
{
    if (run->report > 0 && step->step % run->report == 0 &&
        heat_simulation_peek_grid(run->simulation)->rank == 0)
        portolan_log(PORTOLAN_LOG_NOTICE, "heat",
                     "step %d of %d, t = %g: %d outer iterations, relative residual %.1e",
                     step->step, run->input.steps, step->time, step->outer_iterations,
                     step->residual);
}

static void report_end(const struct run *run, const struct heat_step *step)
{
    double error = heat_simulation_error(run->simulation);

    if (heat_simulation_peek_grid(run->simulation)->rank != 0)
        return;
    if (isnan(error))
        portolan_log(PORTOLAN_LOG_NOTICE, "heat", "%d steps done, t = %g", step->step, step->time);
    else
        portolan_log(PORTOLAN_LOG_NOTICE, "heat",
                     "%d steps done, t = %g: at most %.2e away from the exact solution", step->step,
                     step->time, error);
}

static enum portolan_status run_all(struct run *run, struct portolan_error *err)
{
    struct heat_step step = {0};
    enum portolan_status status = configure(run, err);

    if (!status)
        status = get_ports(run, err);
    if (!status)
        status = heat_simulation_create(&run->input, MPI_COMM_WORLD, &run->simulation, err);
    if (!status)
        status = announce(run, err);
    if (!status)
        status = reached(run, 0, err);
    for (int number = 1; !status && number <= run->input.steps; number++) {
        status = do_step(run, number, &step, err);
        if (!status)
            status = reached(run, number, err);
        if (!status)
            report_step(run, &step);
    }
    if (!status)
        report_end(run, &step);
    return status;
}

/* -- the component --------------------------------------------------------------------------- */

static int32_t driver_go(void *self, sidl_BaseInterface *_ex)
{
    struct driver *d = self;
    struct run run = {.services = d->services};
    struct portolan_error err = {0};
    enum portolan_status status;
    int ready = 0;

    MPI_Initialized(&ready);
    if (!ready) {
        portolan_throw(_ex, PORTOLAN_ECOMPONENT,
                       "heat.Driver needs MPI: start with mpiexec -n 2 portolan run …");
        return -1;
    }
    status = run_all(&run, &err);
    run_end(&run);
    if (status)
        portolan_throw(_ex, status, "%s", err.text);
    return status ? -1 : 0;
}

static void driver_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const char *const uses[][2] = {{"assembler", "heat.Assembler"},
                                          {"solver", "heat.LinearSolver"},
                                          {"swap", "portolan.ports.SwapPoint"}};
    struct driver *d = self;
    sidl_BaseInterface ignored;

    d->services = services;
    gov_cca_Services_addRef(services, &ignored);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        gov_cca_Services_registerUsesPort(services, uses[i][0], uses[i][1], NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    gov_cca_Services_registerForRelease(services,
                                        sidl_object_facet(self, "gov.cca.ComponentRelease"), _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
EXIT:;
}

static void driver_release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct driver *d = self;

    (void)services;
    gov_cca_Services_deleteRef(d->services, _ex);
    d->services = NULL;
}

static void driver_destroy(void *self)
{
    sidl_BaseInterface ignored;

    gov_cca_Services_deleteRef(((struct driver *)self)->services, &ignored);
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = driver_set_services};
static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     driver_release_services};
static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = driver_go};
static const struct sidl_implements implements[] = {
    {&gov_cca_Component__type, &component_epv},
    {&gov_cca_ComponentRelease__type, &release_epv},
    {&gov_cca_ports_GoPort__type, &go_epv},
};
static const struct sidl_class driver_class = {.name = "heat.Driver",
                                               .version = "1.0",
                                               .size = sizeof(struct driver),
                                               .implements = implements,
                                               .n_implements = 3,
                                               .destroy = driver_destroy};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    void *driver = sidl_object_create(&driver_class, _ex);

    return driver ? sidl_object_facet(driver, "gov.cca.Component") : NULL;
}

PORTOLAN_COMPONENT(heat_Driver, "heat.Driver", create);
